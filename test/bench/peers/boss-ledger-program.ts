import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import PgBoss from 'pg-boss'
import postgres from 'postgres'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import { answerOrders } from '../programs/child-program.ts'
import { engineConcurrency } from '../programs/engine.ts'
import { accept, acceptRoute, ledgerTables, recordOutcome } from '../programs/plain-ledger.ts'

/**
 * The plain design with pg-boss: its job is sent in the transaction that accepts the action, fetched in batches, and what it
 * comes to is recorded in a transaction of its own. One process does both, since only there a worker is woken at once. No
 * key, limit, gate, hash or log.
 */
answerOrders(
  async ({
    start: { databaseUrl, ...login },
  }: {
    start: { databaseUrl: string; host: string; user: string; database: string }
  }) => {
    const sql = postgres({ ...login, max: 10, onnotice: () => undefined })
    await sql.unsafe(ledgerTables)
    const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false })
    // Whatever fails in the background ends the program, and with it the run.
    boss.on('error', error => {
      throw error
    })
    await boss.start()
    const queue = 'execute'
    await boss.createQueue(queue)
    let worker = ''
    worker = await boss.work<{ id: string }>(
      queue,
      { batchSize: engineConcurrency, pollingIntervalSeconds: 0.5 },
      async jobs => {
        await Promise.all(jobs.map(({ data: { id } }) => sql.begin(tx => recordOutcome(tx, id))))
        // Or it would rest for half a second though there may be more.
        if (jobs.length === engineConcurrency) boss.notifyWorker(worker)
      },
    )
    const app = express()
    app.use(express.json())
    const acceptAndWake = async (proposal: Proposal): Promise<string> => {
      const id = await accept(sql, proposal, (tx, id) => boss.send(queue, { id }, { db: withTimeout(tx) }))
      boss.notifyWorker(worker)
      return id
    }
    app.post('/actions', acceptRoute(acceptAndWake))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  },
)

/** pg-boss's statements as part of a transaction. */
function withTimeout(tx: postgres.TransactionSql): PgBoss.Db {
  return {
    async executeSql(text: string, values: (postgres.ParameterOrJSON<never> | undefined)[]) {
      const given = values.map(value => value ?? null)
      return { rows: await tx.unsafe(text, given, { prepare: true }) }
    },
  }
}
