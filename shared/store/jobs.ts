import type { JobState } from '../lifecycle/change.ts'
import { arrayLiteral } from './array-literal.ts'
import type { Reader, Writer } from './open.ts'

/** Extend leases that are still held with the token they were taken with. Returns the ids that still hold. */
export async function renewLeases(
  writer: Writer,
  leases: readonly { action_id: string; token: number }[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const ids = leases.map(({ action_id }) => action_id)
  const tokens = leases.map(({ token }) => token)
  const rows = await writer.sql<{ action_id: string }[]>`
    update execution_jobs j set lease_expires_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from unnest(${arrayLiteral(ids)}::text[], ${arrayLiteral(tokens)}::int8[]) held(action_id, token)
    where j.action_id = held.action_id and j.lease_token = held.token and j.state = 'leased'
      and j.lease_expires_at > clock_timestamp()
    returning j.action_id`
  return new Set(rows.map(({ action_id }) => action_id))
}

/** Leases that ran out, by the database's clock, oldest first; with how their actuator treats a repeated key. */
export async function expiredLeases(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  return reader.sql<{ action_id: string }[]>`
    select action_id from execution_jobs
    where state = 'leased' and lease_expires_at <= clock_timestamp() order by lease_expires_at limit ${limit}`
}

/** Held actions whose time to live is over, oldest first. */
export async function expiredHolds(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  return reader.sql<{ action_id: string }[]>`
    select action_id from actions
    where status = 'pending_approval' and held_until <= clock_timestamp() order by held_until limit ${limit}`
}

/** Number of unsettled jobs by state; settled ones are not touched. */
export async function countUnsettledJobs(reader: Reader): Promise<Record<Exclude<JobState, 'done'>, number>> {
  const rows = await reader.sql<{ state: Exclude<JobState, 'done'>; count: number }[]>`
    select state, count(*)::int4 as count from execution_jobs where state in ('pending', 'leased', 'unknown') group by state`
  return {
    pending: 0,
    leased: 0,
    unknown: 0,
    ...Object.fromEntries(rows.map(({ state, count }) => [state, count])),
  }
}

const sweepLock = 4_701_225_002

/**
 * Run `work` only if no other process is sweeping; false when another one is. The lock is one of a transaction, which
 * the server ends by itself when its holder is suspended, so a sleeping sweeper cannot keep the others out for long.
 */
export async function asOnlySweeper(writer: Writer, work: () => Promise<void>): Promise<boolean> {
  return writer.transaction(async transaction => {
    const text = 'select pg_try_advisory_xact_lock($1) as taken'
    const [lock] = await transaction.query<{ taken: boolean }>('take_sweep', text, [sweepLock])
    if (lock?.taken) await work()
    return lock?.taken ?? false
  })
}
