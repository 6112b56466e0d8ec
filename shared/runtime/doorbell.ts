import {
  createPostgresBackend,
  type PgPool,
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
import { newName } from './ids.ts'
import { type CountedQueue, type QueueDepth, queueDepth } from './queue-depth.ts'
import { StartupError } from './startup-error.ts'

/** Where the queue is: Redis in platform mode, else BullMQ's Postgres backend. */
export type QueueLocation =
  | { redisUrl: string; prefix: string }
  | { postgres: PostgresLogin; owner: PostgresLogin; prefix: string }

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
  /** What is due; jobs unless it says otherwise. */
  due?: Due
}

/** Jobs of actions, or messages to endpoints. */
export type Due = 'jobs' | 'messages'

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

const queueName = 'execution'
const messagesDue = 'messages-due'
const ringMsMax = 250
const closeMsMax = 2_000
const reachMsMax = 3_000
const restMs = 500
/** Rings that follow one another more closely are one ring: each costs two processes more than the work it tells of. */
const pauseMs = 5
/** The schema that BullMQ uses on a pool that it is given. */
const queueSchema = 'bullmq'
/** Processes that start together prepare the queue one at a time. */
const queueLock = 4_701_225_003
/** BullMQ never retries and never runs a ring again: retries are decided in Postgres. */
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export function openDoorbell(location: QueueLocation, events: Events): Doorbell {
  const { queue, disconnect } = openQueue(location)
  let state: 'ok' | 'down' = 'ok'
  let waiting: Ring[] = []
  let underWay: Promise<unknown> | null = null
  let pause: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined

  const lost = (reason: string): void => {
    events.ringLost(reason)
    down()
  }
  /** Ring again from time to time: what was missed is then found, and told, as soon as the queue is back. */
  const down = (): void => {
    state = 'down'
    again ??= setTimeout(() => {
      again = undefined
      ring([{ id: newName('ring'), delayMs: 0 }])
    }, restMs)
  }
  queue.on('error', down)

  /**
   * One sending at a time, and none at once after another: rings that arrive meanwhile go out together, and a dead queue
   * holds one call, not many.
   */
  const send = (): void => {
    if (underWay || pause || waiting.length === 0) return
    const rings = waiting
    waiting = []
    const adding = add(queue, rings).then(
      () => {
        state = 'ok'
      },
      (error: unknown) => lost(String(error)),
    )
    underWay = adding.finally(() => {
      underWay = null
      send()
    })
    pause = setTimeout(resume, pauseMs)
    void within(adding, ringMsMax, () => lost('no answer in time'))
  }

  const resume = (): void => {
    clearTimeout(pause)
    pause = undefined
    send()
  }

  /** After what is under way in this turn: an answer that is ready goes out before its ring is made. */
  const ring = (rings: readonly Ring[]): void => {
    waiting = coalesce([...waiting, ...rings])
    setImmediate(send)
  }

  return {
    ring,
    state: () => state,
    depth: () => queueDepth(queue),
    async close() {
      clearTimeout(again)
      resume()
      await within(Promise.resolve(underWay), ringMsMax, () => undefined)
      await within(queue.close(), closeMsMax, () => undefined)
      await disconnect()
    },
  }
}

/** Make sure at start-up that the queue can be used; later losses are lived with. Tables are made only where `migrate`. */
export async function prepareQueue(location: QueueLocation, migrate: boolean): Promise<void> {
  if ('redisUrl' in location) await reachRedis(location.redisUrl)
  else if (migrate) await migrateQueue(location.owner)
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

/** BullMQ's tables belong to the owner role; the runtime role uses them, and makes a sequence for each queue. */
export async function migrateQueue(owner: PostgresLogin): Promise<void> {
  const schema = queueSchema
  const client = new pg.Client(owner)
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${queueLock})`)
    await client.query(`
      create schema if not exists ${schema};
      grant usage, create on schema ${schema} to action_gate_runtime;
      alter default privileges in schema ${schema} grant all on tables to action_gate_runtime;
      alter default privileges in schema ${schema} grant all on sequences to action_gate_runtime`)
    await runMigrations(client, schema)
  } finally {
    await client.end()
  }
}

/** Listen for rings; `onRing` must return at once. It connects, and connects again, by itself. */
export function answerDoorbell(
  location: QueueLocation,
  onRing: (due: Due) => void,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const options = { concurrency: 1, maxStalledCount: 0, autorun: true, prefix: location.prefix }
  const answer = async ({ name }: { name: string }) => onRing(name === messagesDue ? 'messages' : 'jobs')
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
      await within(worker.close(true), closeMsMax, () => undefined)
      await disconnect()
    },
  }
}

/** What BullMQ does for one job is a third of what it does for a list of one. */
function add(queue: RingQueue, rings: readonly Ring[]): Promise<unknown> {
  const jobs = rings.map(({ id, delayMs, due }) => ({
    name: due === 'messages' ? messagesDue : 'due',
    data: { job_id: id },
    opts: { ...jobOptions, jobId: id, ...(delayMs > 0 ? { delay: delayMs } : {}) },
  }))
  const [first] = jobs
  return first && jobs.length === 1 ? queue.add(first.name, first.data, first.opts) : queue.addBulk(jobs)
}

/** Due-now rings say the same thing: of those that wait together one is enough. */
function coalesce(rings: readonly Ring[]): Ring[] {
  const now = new Map(rings.filter(({ delayMs }) => delayMs === 0).map(ring => [ring.due ?? 'jobs', ring]))
  return [...now.values(), ...rings.filter(({ delayMs }) => delayMs > 0)]
}

interface RingQueue extends CountedQueue {
  add(name: string, data: object, opts: object): Promise<unknown>
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

function openQueue(location: QueueLocation): { queue: RingQueue; disconnect(): Promise<void> } {
  const options = { prefix: location.prefix }
  if ('redisUrl' in location) {
    const connection = redis(location.redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
    const queue = new Queue(queueName, { ...options, connection } as QueueOptions)
    return { queue, disconnect: async () => connection.disconnect() }
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend)
  const pool = postgresPool(location.postgres)
  return {
    queue: new PostgresQueue(queueName, { ...options, connection: pool }),
    disconnect: () => pool.end(),
  }
}

/**
 * A pool for BullMQ whose clients never throw: it borrows them without listening for their errors, and one lost connection
 * would otherwise end the process. It uses the schema that BullMQ takes where it is given a pool.
 */
function postgresPool(login: PostgresLogin): PgPool {
  const options = [login.options, `-c search_path=${queueSchema}`]
    .filter(part => part !== undefined)
    .join(' ')
  const pool = new pg.Pool({ ...login, options, keepAlive: true })
  pool.on('connect', client => client.on('error', () => undefined))
  return pool as unknown as PgPool
}

function openWorker(
  location: QueueLocation,
  processor: (job: { name: string }) => Promise<void>,
  options: Omit<WorkerOptions, 'connection'>,
): { worker: RingWorker; disconnect(): Promise<void> } {
  if ('redisUrl' in location) {
    const connection = redis(location.redisUrl, { maxRetriesPerRequest: null })
    const worker = new Worker(queueName, processor, { ...options, connection })
    return { worker, disconnect: async () => connection.disconnect() }
  }
  const { Worker: PostgresWorker } = withBackend(createPostgresBackend)
  const pool = postgresPool(location.postgres)
  const worker = new PostgresWorker(queueName, processor, { ...options, connection: pool })
  return { worker, disconnect: () => pool.end() }
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
