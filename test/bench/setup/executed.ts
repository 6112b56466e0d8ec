import { setTimeout } from 'node:timers/promises'
import type postgres from 'postgres'
import { quantile } from '../figure.ts'

/** How fast actions were executed, and how long each took from being accepted, in milliseconds. */
export interface Executed {
  perSecond: number
  p50: number
  p99: number
}

/** Tables of actions and jobs: those of the service, or those of a plain design. */
export interface Ledger {
  sql: postgres.Sql
  actions: string
  /** Of a job that is not done: its table and a condition. */
  open: string
}

export const serviceLedger = (sql: postgres.Sql): Ledger => ({
  sql,
  actions: 'action_gate.actions',
  open: "action_gate.execution_jobs where state <> 'done'",
})

const settleMsMax = 60_000

export async function databaseTime({ sql }: Ledger): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  if (!row) throw new Error('the database does not tell the time')
  return row.now
}

/** Seldom: a look passes the index entries of jobs that are done, and rates are taken from the rows' own times. */
const lookMs = 100

export async function allSettled({ sql, open }: Ledger): Promise<void> {
  const tooLate = AbortSignal.timeout(settleMsMax)
  for (;;) {
    const [row] = await sql.unsafe<{ open: boolean }[]>(`select exists (select from ${open}) as open`)
    if (!row?.open) return
    if (tooLate.aborted) throw new Error(`there are unsettled jobs after ${settleMsMax} ms`)
    await setTimeout(lookMs)
  }
}

/** Of the actions accepted since, leaving out the first of them. */
export async function executedSince({ sql, actions }: Ledger, from: Date, leaveOut = 0): Promise<Executed> {
  const rows = await sql<{ at: number; took: number }[]>`
    select extract(epoch from updated_at)::float8 as at, extract(epoch from updated_at - created_at)::float8 * 1000 as took
    from ${sql(actions)} where status = 'executed' and created_at >= ${from} order by updated_at`
  const counted = rows.slice(leaveOut)
  const seconds = (counted.at(-1)?.at ?? 0) - (counted[0]?.at ?? 0)
  if (seconds <= 0) throw new Error(`too few actions were executed: ${rows.length}`)
  const took = counted.map(row => row.took)
  return { perSecond: counted.length / seconds, p50: quantile(took, 0.5), p99: quantile(took, 0.99) }
}
