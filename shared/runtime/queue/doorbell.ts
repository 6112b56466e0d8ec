import { monotonicMs } from '../clock.ts'
import { withTimeout } from '../deadline.ts'
import { newName } from '../ids.ts'
import type { Events } from '../telemetry/events.ts'
import { createWaitingWakeUps, type Due, type Ring } from './waiting-wake-ups.ts'
import {
  openQueue,
  openWorker,
  type QueueDepth,
  type QueueLocation,
  queueDepth,
  type WakeUpQueue,
} from './wake-up-queue.ts'

/**
 * Sends wake-ups that say "work is due" and carry no authority, because only Postgres decides about jobs. No
 * request waits for a wake-up. A lost wake-up delays its work by at most one sweep interval.
 */
export interface Doorbell {
  ring(rings: readonly Ring[]): void
  state(): 'ok' | 'down'
  depth(): Promise<QueueDepth | null>
  close(): Promise<void>
}

/** The names of wake-ups in the queue. Workers of an earlier version treat unknown names as jobs. */
const names = { jobs: 'due', messages: 'messages-due', tests: 'tests-due' } as const satisfies Record<
  Due,
  string
>
const ringMsMax = 250
const closeMsMax = 2_000
const restMs = 500
/**
 * Wake-ups in close succession are sent as one, because a wake-up costs two processes more than the work itself.
 * The pause is longer after many wake-ups, because workers are then awake anyway. `upTo` is the highest number of
 * wake-ups for a pause of `ms`.
 */
const pauses = [
  { ms: 10, upTo: 3 },
  { ms: 20, upTo: 20 },
  { ms: 30, upTo: Number.POSITIVE_INFINITY },
] as const
/**
 * The limit of delayed wake-ups. Beyond it the latest are lost, because a lost wake-up costs one sweep interval,
 * while a huge number would all be sent at once after an outage.
 */
const laterMax = 1_000
/** BullMQ never retries a wake-up, because Postgres decides about retries. */
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export function openDoorbell(location: QueueLocation, events: Events): Doorbell {
  const { queue, disconnect } = openQueue(location)
  const waiting = createWaitingWakeUps(laterMax, monotonicMs)
  const health = createHealth(events, () => ring([{ id: newName('ring'), delayMs: 0 }]))
  queue.on('error', health.down)
  let asked = 0
  let underWay: Promise<unknown> | null = null
  let pause: NodeJS.Timeout | undefined

  /**
   * Sends one group of wake-ups at a time with a pause after it. Wake-ups that arrive during the pause go out
   * together, and a dead queue blocks only one call.
   */
  const send = (): void => {
    if (underWay || pause || waiting.isEmpty()) return
    const rings = waiting.take()
    const adding = add(queue, rings).then(health.up, (error: unknown) => health.lost(String(error)))
    underWay = adding.finally(() => {
      underWay = null
      send()
    })
    pause = setTimeout(resume, pauses.find(({ upTo }) => asked <= upTo)?.ms)
    asked = 0
    void withTimeout(adding, ringMsMax, () => health.lost('no answer in time'))
  }

  const resume = (): void => {
    clearTimeout(pause)
    pause = undefined
    send()
  }

  /** Sends wake-ups after the current turn, so that an answer that is ready goes out first. */
  const ring = (rings: readonly Ring[]): void => {
    asked += rings.length
    health.leftOut(rings.filter(one => !waiting.add(one)).length)
    setImmediate(send)
  }

  return {
    ring,
    state: health.state,
    depth: () => queueDepth(queue),
    async close() {
      health.stop()
      resume()
      await withTimeout(Promise.resolve(underWay), ringMsMax, () => undefined)
      await withTimeout(queue.close(), closeMsMax, () => undefined)
      await disconnect()
    },
  }
}

/**
 * Tracks if the queue works. While it is down, `ringAgain` sends a wake-up every 500 ms to notice the end of the
 * outage. The log also counts the wake-ups lost beyond the limit.
 */
function createHealth(events: Events, ringAgain: () => void) {
  let state: 'ok' | 'down' = 'ok'
  let beyond = 0
  let again: NodeJS.Timeout | undefined
  const logBeyond = (): void => {
    if (beyond > 0) events.wakeUpLost(`more than ${laterMax} wait`, beyond)
    beyond = 0
  }
  const down = (): void => {
    state = 'down'
    again ??= setTimeout(() => {
      again = undefined
      logBeyond()
      ringAgain()
    }, restMs)
  }
  return {
    state: () => state,
    up(): void {
      state = 'ok'
    },
    down,
    lost(reason: string): void {
      events.wakeUpLost(reason)
      down()
    },
    leftOut(rings: number): void {
      beyond += rings
      if (rings > 0) down()
    },
    stop(): void {
      clearTimeout(again)
      logBeyond()
    },
  }
}

/** Listens for wake-ups and reconnects by itself. `onRing` must return at once. */
export function answerDoorbell(
  location: QueueLocation,
  onRing: (due: Due) => void,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const options = { concurrency: 1, maxStalledCount: 0, autorun: true, prefix: location.prefix }
  const answer = async ({ name }: { name: string }) => onRing(dueOf(name))
  const { worker, disconnect } = openWorker(location, answer, options)
  let resting: NodeJS.Timeout | undefined
  worker.on('error', error => {
    onError(error)
    resting ??= rest()
  })

  /** Pauses the worker for 500 ms, because BullMQ otherwise repeats a failed query at once and without end. */
  const rest = (): NodeJS.Timeout => {
    worker.pause(true).catch(onError)
    return setTimeout(() => {
      resting = undefined
      worker.resume()
    }, restMs)
  }

  return {
    async close() {
      clearTimeout(resting)
      await withTimeout(worker.close(true), closeMsMax, () => undefined)
      await disconnect()
    },
  }
}

function dueOf(name: string): Due {
  if (name === names.messages) return 'messages'
  return name === names.tests ? 'tests' : 'jobs'
}

/** Adds a single wake-up without a list, because BullMQ takes three times as long for a list of one. */
function add(queue: WakeUpQueue, rings: readonly Ring[]): Promise<unknown> {
  const jobs = rings.map(({ id, delayMs, due }) => ({
    name: names[due ?? 'jobs'],
    data: { job_id: id },
    opts: { ...jobOptions, jobId: id, ...(delayMs > 0 ? { delay: delayMs } : {}) },
  }))
  const [first] = jobs
  return first && jobs.length === 1 ? queue.add(first.name, first.data, first.opts) : queue.addBulk(jobs)
}
