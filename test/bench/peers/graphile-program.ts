import { randomBytes } from 'node:crypto'
import { Logger, makeWorkerUtils, type Runner, run } from 'graphile-worker'
import pg from 'pg'
import { engineConcurrency, runEngine } from '../programs/engine.ts'

/** graphile-worker with its local queue, woken by LISTEN and NOTIFY. */
const silent = new Logger(() => () => undefined)

runEngine(async ({ databaseUrl }, ran) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
  const failures: Error[] = []
  pool.on('error', error => failures.push(error))
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
  await utils.migrate()
  const task = `noop_${randomBytes(4).toString('hex')}`
  let runner: Runner | null = null
  const spec = { maxAttempts: 1 }
  return {
    add: async sent => (await utils.addJob(task, { sent }, spec)).id,
    addAll: (sent, count) =>
      utils.addJobs(Array.from({ length: count }, () => ({ identifier: task, payload: { sent }, ...spec }))),
    async work() {
      runner = await run({
        pgPool: pool,
        logger: silent,
        noHandleSignals: true,
        taskList: { [task]: async payload => ran((payload as { sent: number }).sent) },
        preset: {
          worker: {
            concurrentJobs: engineConcurrency,
            pollInterval: 1_000,
            localQueue: { size: 2 * engineConcurrency },
            completeJobBatchDelay: 0,
          },
        },
      })
    },
    async finished(id) {
      const { rows } = await pool.query('select from graphile_worker._private_jobs where id = $1', [id])
      return rows.length === 0
    },
    async stop() {
      await runner?.stop()
      await utils.release()
      await pool.end()
      if (failures[0]) throw failures[0]
    },
  }
})
