import {
  createPostgresBackend,
  Queue,
  type QueueOptions,
  runMigrations,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Events } from './events.ts'
import { StartupError } from './startup-error.ts'

/** Where the queue is: Redis in platform mode, else BullMQ's Postgres backend. */
export type QueueLocation =
  | { redisUrl: string; prefix: string }
  | { postgres: PostgresLogin & { schema: string }; owner: PostgresLogin; prefix: string }

/** How node-postgres reaches a database. */
export type PostgresLogin = {
  connectionString?: string
  host?: string
  user?: string
  database?: string
  options?: string
  max?: number
}

/** A wake-up: `id` is unique per action and lease token; `delayMs` for work that is due later. */
export interface Ring {
  id: string
  delayMs: number
}

/**
 * The doorbell: a ring means "work is due" and carries no authority; the truth about jobs stands in Postgres. Sending
 * is never waited for by a request, is bounded in time, and a lost ring costs one sweep interval.
 */
export interface Doorbell {
  ring(rings: readonly Ring[]): void
  /** Whether the last wake-up got through. */
  state(): 'ok' | 'down'
  close(): Promise<void>
}

const queueName = 'execution'
const ringMsMax = 250
const closeMsMax = 2_000
const reachMsMax = 3_000
const restMs = 500
/** BullMQ never retries and never runs a ring again: retries are decided in Postgres. */
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export function openDoorbell(location: QueueLocation, events: Events): Doorbell {
  const { queue, disconnect } = openQueue(location)
  let state: 'ok' | 'down' = 'ok'
  let waiting: Ring[] = []
  let underWay: Promise<unknown> | null = null

  const lost = (reason: string): void => {
    state = 'down'
    events.ringLost(reason)
  }
  queue.on('error', () => {
    state = 'down'
  })

  /** One sending at a time: rings that arrive meanwhile go out together, and a dead queue holds one call, not many. */
  const send = (): void => {
    if (underWay || waiting.length === 0) return
    const rings = waiting
    waiting = []
    const adding = queue
      .addBulk(
        rings.map(({ id, delayMs }) => ({
          name: 'due',
          data: { job_id: id },
          opts: { ...jobOptions, jobId: id, ...(delayMs > 0 ? { delay: delayMs } : {}) },
        })),
      )
      .then(
        () => {
          state = 'ok'
        },
        (error: unknown) => lost(String(error)),
      )
    underWay = adding.finally(() => {
      underWay = null
      send()
    })
    void within(adding, ringMsMax, () => lost('no answer in time'))
  }

  return {
    ring(rings) {
      waiting = coalesce([...waiting, ...rings])
      send()
    },
    state: () => state,
    async close() {
      await within(Promise.resolve(underWay), ringMsMax, () => undefined)
      await within(queue.close(), closeMsMax, () => undefined)
      disconnect()
    },
  }
}

/** Make sure at start-up that the queue can be used; later losses are lived with. */
export async function prepareQueue(location: QueueLocation): Promise<void> {
  if ('redisUrl' in location) await reachRedis(location.redisUrl)
  else await migrateQueue(location.owner, location.postgres.schema)
}

async function reachRedis(redisUrl: string): Promise<void> {
  const connection = redis(redisUrl, { maxRetriesPerRequest: 0 })
  let reason: string | null = 'it did not answer in time'
  const pinged = connection.ping().then(
    () => {
      reason = null
    },
    (error: unknown) => {
      reason = String(error)
    },
  )
  await within(pinged, reachMsMax, () => undefined)
  connection.disconnect()
  if (reason === null) return
  throw new StartupError(
    `Redis at ${redisUrl.replace(/\/\/[^@/]*@/, '//***@')} cannot be used: ${reason}\n` +
      'Check REDIS_URL and that the server runs; without REDIS_URL the queue runs on Postgres.',
  )
}

/** BullMQ's tables belong to the owner role; the runtime role only uses them. */
async function migrateQueue(owner: PostgresLogin, schema: string): Promise<void> {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    await runMigrations(client, schema)
    await client.query(`
      grant usage, create on schema ${schema} to action_gate_runtime;
      grant all on all tables in schema ${schema} to action_gate_runtime;
      grant all on all sequences in schema ${schema} to action_gate_runtime;
      grant execute on all functions in schema ${schema} to action_gate_runtime`)
  } finally {
    await client.end()
  }
}

/** Listen for rings; `onRing` must return at once. It connects, and connects again, by itself. */
export function answerDoorbell(
  location: QueueLocation,
  onRing: () => void,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const options = { concurrency: 1, maxStalledCount: 0, autorun: true, prefix: location.prefix }
  const { worker, disconnect } = openWorker(location, async () => onRing(), options)
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
      await within(worker.close(true), closeMsMax, () => undefined)
      disconnect()
    },
  }
}

/** Due-now rings say the same thing: of those that wait together one is enough. */
function coalesce(rings: readonly Ring[]): Ring[] {
  const now = rings.find(({ delayMs }) => delayMs === 0)
  const later = rings.filter(({ delayMs }) => delayMs > 0)
  return now ? [now, ...later] : later
}

interface RingQueue {
  addBulk(jobs: { name: string; data: object; opts: object }[]): Promise<unknown>
  close(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface RingWorker {
  close(force: boolean): Promise<void>
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

function openQueue(location: QueueLocation): { queue: RingQueue; disconnect(): void } {
  const options = { prefix: location.prefix }
  if ('redisUrl' in location) {
    const connection = redis(location.redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
    const queue = new Queue(queueName, { ...options, connection } as QueueOptions)
    return { queue, disconnect: () => connection.disconnect() }
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend)
  return {
    queue: new PostgresQueue(queueName, { ...options, connection: location.postgres }),
    disconnect: () => undefined,
  }
}

function openWorker(
  location: QueueLocation,
  processor: () => Promise<void>,
  options: Omit<WorkerOptions, 'connection'>,
): { worker: RingWorker; disconnect(): void } {
  if ('redisUrl' in location) {
    const connection = redis(location.redisUrl, { maxRetriesPerRequest: null })
    const worker = new Worker(queueName, processor, { ...options, connection })
    return { worker, disconnect: () => connection.disconnect() }
  }
  const { Worker: PostgresWorker } = withBackend(createPostgresBackend)
  const worker = new PostgresWorker(queueName, processor, { ...options, connection: location.postgres })
  return { worker, disconnect: () => undefined }
}

function redis(
  url: string,
  options: { enableOfflineQueue?: boolean; maxRetriesPerRequest: number | null },
): Redis {
  const connection = new Redis(url, {
    ...options,
    connectTimeout: 2_000,
    retryStrategy: times => Math.min(times * 100, 1_000),
  })
  connection.on('error', () => undefined)
  return connection
}

/** Wait for a promise at most `ms`; a rejection is the caller's own business and was handled where it was made. */
async function within(promise: Promise<unknown>, ms: number, onTimeout: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<void>(resolve => {
    timer = setTimeout(() => {
      onTimeout()
      resolve()
    }, ms)
  })
  await Promise.race([promise.then(() => undefined), bound]).finally(() => clearTimeout(timer))
}
