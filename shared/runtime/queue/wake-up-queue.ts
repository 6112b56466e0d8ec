import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
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
import { withTimeout } from '../deadline.ts'
import { StartupError } from '../outage.ts'
import { shownAddress } from '../settings/setting.ts'

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

const queueName = 'execution'
const reachMsMax = 3_000
/** The schema that BullMQ uses on a pool that it is given. */
const queueSchema = 'bullmq'
/** Processes that start together prepare the queue one at a time. */
const queueLock = 4_701_225_003

/** The queue of BullMQ, whichever server it is on. */
export interface WakeUpQueue extends CountedQueue {
  add(name: string, data: object, opts: object): Promise<unknown>
  addBulk(jobs: { name: string; data: object; opts: object }[]): Promise<unknown>
  close(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

export interface WakeUpWorker {
  close(force: boolean): Promise<void>
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

export function openQueue(location: QueueLocation): { queue: WakeUpQueue; disconnect(): Promise<void> } {
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
  pool.on('connect', client => {
    client.on('error', () => undefined)
    keepHeard(client)
  })
  return pool as unknown as PgPool
}

const beatMs = 5_000
const beatAnswerMsMax = 3_000

/**
 * Ends a connection that does not answer any more. TCP keeps one alive whose other end takes bytes and is gone, and a
 * worker that listens on it would hear of no job: BullMQ makes another one where it ends.
 */
function keepHeard(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let waits = false
  const beat = setInterval(() => {
    if (waits) return
    waits = true
    const late = setTimeout(
      () => stream.destroy(new Error('the connection does not answer')),
      beatAnswerMsMax,
    )
    client
      .query('select')
      // What fails it ends the connection as well, which tells everybody.
      .catch(() => undefined)
      .finally(() => {
        waits = false
        clearTimeout(late)
      })
  }, beatMs).unref()
  client.once('end', () => clearInterval(beat))
}

export function openWorker(
  location: QueueLocation,
  processor: (job: { name: string }) => Promise<void>,
  options: Omit<WorkerOptions, 'connection'>,
): { worker: WakeUpWorker; disconnect(): Promise<void> } {
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
  await withTimeout(pinged, reachMsMax, () => undefined)
  connection.disconnect()
  if (reason === null) return
  throw new StartupError(
    `Redis at ${shownAddress(redisUrl)} cannot be used: ${reason}\n` +
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

/** Wake-ups by where they are. */
export type QueueDepth = Record<(typeof states)[number], number>

const states = ['waiting', 'delayed', 'active', 'failed'] as const
const answerMsMax = 500

/** As much of a queue as is counted. */
interface CountedQueue {
  getJobCounts(...of: (typeof states)[number][]): Promise<Record<string, number>>
}

/** How many wake-ups a queue holds; null where it does not answer in time. */
export async function queueDepth(queue: CountedQueue): Promise<QueueDepth | null> {
  const answered = new AbortController()
  const late = delay(answerMsMax, null, { signal: answered.signal }).catch(() => null)
  const counts = await Promise.race([queue.getJobCounts(...states).catch(() => null), late])
  answered.abort()
  if (!counts) return null
  const { waiting = 0, delayed = 0, active = 0, failed = 0 } = counts
  return { waiting, delayed, active, failed }
}
