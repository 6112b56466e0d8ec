import { randomBytes } from 'node:crypto'
import { type Job, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { engineConcurrency, runEngine } from './engine.ts'

/** BullMQ alone on Redis: nothing is durable but what the Redis keeps. */
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true }

runEngine(async ({ redisUrl }, ran) => {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const blocking = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const prefix = `peer-${randomBytes(4).toString('hex')}`
  const queue = new Queue('noop', { connection, prefix })
  let worker: Worker | null = null
  const job = (sent: number) => ({ name: 'noop', data: { sent }, opts: jobOptions })
  return {
    async add(sent) {
      const { id } = await queue.add('noop', { sent }, jobOptions)
      return id ?? ''
    },
    addAll: (sent, count) => queue.addBulk(Array.from({ length: count }, () => job(sent))),
    async work() {
      const run = async ({ data }: Job<{ sent: number }>): Promise<void> => ran(data.sent)
      const options = { connection: blocking, prefix, concurrency: engineConcurrency, maxStalledCount: 0 }
      worker = new Worker('noop', run, options)
      await worker.waitUntilReady()
    },
    finished: async id => (await queue.getJob(id)) === undefined,
    async stop() {
      await worker?.close()
      await queue.close()
      for (const each of [connection, blocking]) each.disconnect()
    },
  }
})
