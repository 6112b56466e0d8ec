import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { answerOrders } from './child-program.ts'
import { engineConcurrency } from './engine.ts'
import { oneByOneQueue } from './one-by-one-queue.ts'
import { recordOutcome } from './plain-ledger.ts'

/**
 * The worker of the plain design on the floor's tables: one BullMQ job an action, each claimed by one statement and
 * finished by one transaction, so that a job that comes twice is executed once. No fencing, lease, hash or log.
 */
answerOrders(
  async ({
    start: { redisUrl, ...login },
  }: {
    start: { redisUrl: string; host: string; user: string; database: string }
  }) => {
    const sql = postgres({ ...login, max: 10, onnotice: () => undefined })
    const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
    const execute = async ({ data: { id } }: Job<{ id: string }>): Promise<void> => {
      const [claimed] = await sql`
        update job set state = 'running' where action_id = ${id} and state = 'pending' returning action_id`
      if (!claimed) return
      await sql.begin(async tx => {
        await recordOutcome(tx, id)
        await tx`update job set state = 'done' where action_id = ${id}`
      })
    }
    const options = { connection, concurrency: engineConcurrency, maxStalledCount: 0 }
    await new Worker(oneByOneQueue, execute, options).waitUntilReady()
    return true
  },
)
