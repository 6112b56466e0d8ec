import { setTimeout as delay } from 'node:timers/promises'
import { Queue, type QueueOptions, Worker, type WorkerOptions, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { withTimeout } from '../deadline.ts'
import { StartupError } from '../outage.ts'
import { shownAddress } from '../settings/setting.ts'
import { migrateQueue, type PostgresLogin, postgresBackend, postgresPool } from './postgres-backend.ts'

/** The location of the queue: Redis in platform mode, otherwise BullMQ's Postgres backend. */
export type QueueLocation =
  | { redisUrl: string; prefix: string }
  | { postgres: PostgresLogin; owner: PostgresLogin; prefix: string }

const queueName = 'execution'
const reachMsMax = 3_000

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
  const { Queue: PostgresQueue } = withBackend(postgresBackend)
  const pool = postgresPool(location.postgres)
  return {
    queue: new PostgresQueue(queueName, { ...options, connection: pool }),
    disconnect: () => pool.end(),
  }
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
  const { Worker: PostgresWorker } = withBackend(postgresBackend)
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

/**
 * Checks at start-up that the queue works; later outages are tolerated. Creates the queue's tables only if
 * `migrate` is true.
 */
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

export type QueueDepth = Record<(typeof states)[number], number>

const states = ['waiting', 'delayed', 'active', 'failed'] as const
const answerMsMax = 500

interface CountedQueue {
  getJobCounts(...of: (typeof states)[number][]): Promise<Record<string, number>>
}

/** Returns the numbers of wake-ups in the queue; null if the queue does not answer within 500 ms. */
export async function queueDepth(queue: CountedQueue): Promise<QueueDepth | null> {
  const answered = new AbortController()
  const late = delay(answerMsMax, null, { signal: answered.signal }).catch(() => null)
  const counts = await Promise.race([queue.getJobCounts(...states).catch(() => null), late])
  answered.abort()
  if (!counts) return null
  const { waiting = 0, delayed = 0, active = 0, failed = 0 } = counts
  return { waiting, delayed, active, failed }
}
