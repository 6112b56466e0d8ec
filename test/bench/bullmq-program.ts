import { randomBytes } from 'node:crypto'
import { type Job, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { answerOrders } from './child-program.ts'
import { quantile } from './figure.ts'

/**
 * The floor of execution: BullMQ alone with jobs that do nothing, in one process that adds and works. `drain` works off
 * a backlog, `together` adds from so many loops while working, `idle` adds one job at a time.
 */
export type BullmqOrder = { redisUrl: string } & (
  | { kind: 'drain'; jobs: number }
  | { kind: 'together'; loops: number; ms: number }
  | { kind: 'idle'; jobs: number }
)

/** Jobs a second and latencies from before the add to the end of the job, in milliseconds. */
export interface BullmqReport {
  perSecond: number
  p50: number
  p99: number
}

const concurrency = 50
const bulkSize = 1_000
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true }
const waitMsMax = 30_000

answerOrders(async (order: BullmqOrder): Promise<BullmqReport> => {
  const connection = new Redis(order.redisUrl, { maxRetriesPerRequest: null })
  const prefix = `floor-${randomBytes(4).toString('hex')}`
  const queue = new Queue('noop', { connection, prefix })
  try {
    if (order.kind === 'drain') await addBacklog(queue, order.jobs)
    const workers = startWorker(order.redisUrl, prefix)
    try {
      if (order.kind === 'drain') await workers.done(order.jobs)
      else if (order.kind === 'together') await addFromLoops(queue, order)
      else await addOneByOne(queue, workers, order.jobs)
      return workers.report()
    } finally {
      await workers.close()
    }
  } finally {
    await queue.close()
    connection.disconnect()
  }
})

interface Workers {
  /** Resolves when so many jobs were done in all. */
  done(jobs: number): Promise<void>
  report(): BullmqReport
  close(): Promise<void>
}

function startWorker(redisUrl: string, prefix: string): Workers {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const ends: number[] = []
  const latencies: number[] = []
  let waiting: { jobs: number; resolve: () => void } | null = null
  const work = async (job: Job<{ sent: number }>): Promise<void> => {
    const now = performance.now()
    ends.push(now)
    latencies.push(now - job.data.sent)
    if (waiting && ends.length >= waiting.jobs) waiting.resolve()
  }
  const worker = new Worker('noop', work, { connection, prefix, concurrency, maxStalledCount: 0 })
  return {
    async done(jobs) {
      if (ends.length >= jobs) return
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${jobs} jobs were not done in time`)), waitMsMax)
        const finish = (): void => {
          clearTimeout(late)
          resolve()
        }
        waiting = { jobs, resolve: finish }
      })
    },
    report() {
      const took = (ends.at(-1) ?? 0) - (ends[0] ?? 0)
      return {
        perSecond: (ends.length * 1000) / took,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      }
    },
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}

function newJob(): { name: string; data: { sent: number }; opts: typeof jobOptions } {
  return { name: 'noop', data: { sent: performance.now() }, opts: jobOptions }
}

async function addBacklog(queue: Queue, jobs: number): Promise<void> {
  for (let added = 0; added < jobs; added += bulkSize) {
    await queue.addBulk(Array.from({ length: Math.min(bulkSize, jobs - added) }, newJob))
  }
}

async function addFromLoops(queue: Queue, { loops, ms }: { loops: number; ms: number }): Promise<void> {
  const until = performance.now() + ms
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      const { name, data, opts } = newJob()
      await queue.add(name, data, opts)
    }
  }
  await Promise.all(Array.from({ length: loops }, loop))
}

async function addOneByOne(queue: Queue, workers: Workers, jobs: number): Promise<void> {
  for (let at = 1; at <= jobs; at += 1) {
    const { name, data, opts } = newJob()
    await queue.add(name, data, opts)
    await workers.done(at)
  }
}
