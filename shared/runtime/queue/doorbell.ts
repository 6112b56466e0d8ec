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
 * The doorbell: a ring means "work is due" and carries no authority; the truth about jobs stands in Postgres. Sending
 * is never waited for by a request, is bounded in time, and a lost ring costs one sweep interval.
 */
export interface Doorbell {
  ring(rings: readonly Ring[]): void
  /** Whether the last wake-up got through. */
  state(): 'ok' | 'down'
  /** Wake-ups by where they are; null where the queue does not answer in time. */
  depth(): Promise<QueueDepth | null>
  close(): Promise<void>
}

/** What a wake-up is called in the queue; a worker of an earlier version takes an unknown name for jobs. */
const names = { jobs: 'due', messages: 'messages-due', tests: 'tests-due' } as const satisfies Record<
  Due,
  string
>
const ringMsMax = 250
const closeMsMax = 2_000
const restMs = 500
/**
 * Rings that follow one another more closely are one ring: each costs two processes more than the work it tells of. The
 * pause after one is longer where it stood for many: workers are awake anyway. Each row: milliseconds, up to how many.
 */
const pauses = [
  { ms: 10, upTo: 3 },
  { ms: 20, upTo: 20 },
  { ms: 30, upTo: Number.POSITIVE_INFINITY },
] as const
/**
 * Rings that are due later and wait while the queue does not answer. Beyond them the latest are lost: each costs a sweep
 * interval, and all of them would be sent at once when the queue is back.
 */
const laterMax = 1_000
/** BullMQ never retries and never runs a ring again: retries are decided in Postgres. */
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export function openDoorbell(location: QueueLocation, events: Events): Doorbell {
  const { queue, disconnect } = openQueue(location)
  const waiting = createWaitingWakeUps(laterMax, monotonicMs)
  const health = createHealth(events, () => ring([{ id: newName('ring'), delayMs: 0 }]))
  queue.on('error', health.down)
  /** Rings since the last sending. */
  let asked = 0
  let underWay: Promise<unknown> | null = null
  let pause: NodeJS.Timeout | undefined

  /**
   * One sending at a time, and none at once after another: rings that arrive meanwhile go out together, and a dead queue
   * holds one call, not many.
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

  /** After what is under way in this turn: an answer that is ready goes out before its ring is made. */
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
 * Whether wake-ups get through. While they do not, `ringAgain` tries one from time to time, so that the end of an outage
 * is noticed, and how many were lost beyond the bound is logged by then.
 */
function createHealth(events: Events, ringAgain: () => void) {
  let state: 'ok' | 'down' = 'ok'
  /** Rings beyond the bound that no line of the log has counted yet. */
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
    /** So many rings found no room among those that wait. */
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

/** Listen for rings; `onRing` must return at once. It connects, and connects again, by itself. */
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

  /** BullMQ asks again at once after an error that is not of the connection: let it rest instead of turning hot. */
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

/** What BullMQ does for one job is a third of what it does for a list of one. */
function add(queue: WakeUpQueue, rings: readonly Ring[]): Promise<unknown> {
  const jobs = rings.map(({ id, delayMs, due }) => ({
    name: names[due ?? 'jobs'],
    data: { job_id: id },
    opts: { ...jobOptions, jobId: id, ...(delayMs > 0 ? { delay: delayMs } : {}) },
  }))
  const [first] = jobs
  return first && jobs.length === 1 ? queue.add(first.name, first.data, first.opts) : queue.addBulk(jobs)
}
