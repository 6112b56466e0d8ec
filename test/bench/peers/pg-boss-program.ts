import { randomBytes } from 'node:crypto'
import PgBoss from 'pg-boss'
import { engineConcurrency, runEngine } from '../programs/engine.ts'

/** pg-boss at its best: fetches batches, is woken within the process by every add, keeps nothing waiting for maintenance. */
runEngine(async ({ databaseUrl }, ran) => {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false })
  const failures: Error[] = []
  boss.on('error', error => failures.push(error))
  await boss.start()
  const name = `noop-${randomBytes(4).toString('hex')}`
  await boss.createQueue(name)
  let worker = ''
  return {
    async add(sent) {
      const id = await boss.send(name, { sent })
      if (worker !== '') boss.notifyWorker(worker)
      return id ?? ''
    },
    addAll: (sent, count) => boss.insert(Array.from({ length: count }, () => ({ name, data: { sent } }))),
    async work() {
      const options = { batchSize: engineConcurrency, pollingIntervalSeconds: 0.5 }
      worker = await boss.work<{ sent: number }>(name, options, async jobs => {
        for (const { data } of jobs) ran(data.sent)
        // Or it would rest for half a second though there may be more.
        if (jobs.length === engineConcurrency) boss.notifyWorker(worker)
      })
      boss.notifyWorker(worker)
    },
    finished: async id => (await boss.getJobById(name, id))?.state === 'completed',
    async stop() {
      await boss.stop({ graceful: true, wait: true })
      if (failures[0]) throw failures[0]
    },
  }
})
