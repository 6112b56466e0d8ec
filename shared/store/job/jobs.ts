import type { Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { isDispatched } from './dispatched-operations.ts'

/**
 * Extend leases that are still held with the token they were taken with. Returns the tokens that still hold: the worker that
 * lost a lease may hold the next one of the same action.
 */
export async function renewLeases(
  writer: Writer,
  leases: readonly { action_id: string; token: number }[],
  leaseMs: number,
): Promise<ReadonlySet<number>> {
  // Jobs are locked in one order everywhere, so that no two statements can wait for each other.
  const ordered = [...leases].sort((one, other) => (one.action_id < other.action_id ? -1 : 1))
  const ids = ordered.map(({ action_id }) => action_id)
  const tokens = ordered.map(({ token }) => token)
  const rows = await writer.query<{ token: number }>('renew_leases', renewSql, [
    arrayLiteral(ids),
    arrayLiteral(tokens),
    leaseMs,
  ])
  return new Set(rows.map(({ token }) => token))
}

/**
 * A job is leased where it has an owner and an end (the check `execution_jobs_lease`). Asked for by its state, the index of
 * all leases looked as good as that of the id to a plan that was made while there were few.
 */
const renewSql = `
update execution_jobs j set lease_expires_at = clock_timestamp() + $3::int8 * interval '1 millisecond'
from unnest($1::text[], $2::int8[]) held(action_id, token)
where j.action_id = held.action_id and j.lease_token = held.token and j.lease_owner is not null
  and j.lease_expires_at > clock_timestamp()
returning held.token::float8 as token`

/** Leases that ran out, by the database's clock, oldest first; those of operations that a downstream ends are asked about. */
export async function expiredLeases(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  const text = `
    select action_id from execution_jobs j
    where state = 'leased' and lease_expires_at <= statement_timestamp() and not ${isDispatched('j')}
    order by lease_expires_at limit $1::int4`
  return reader.query('expired_leases', text, [limit])
}

/** Held actions whose time to live is over, oldest first. */
export async function expiredHolds(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  const text = `
    select action_id from actions
    where status = 'pending_approval' and held_until <= statement_timestamp() order by held_until limit $1::int4`
  return reader.query('expired_holds', text, [limit])
}

const sweepLock = 4_701_225_002

/**
 * Take the right to sweep until the transaction ends; false when another process has it. The lock goes with its
 * transaction, which the server ends by itself when its holder is suspended: a sleeping sweeper keeps nobody out.
 */
export async function takeSweep(writer: Writer): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1::int8) as taken'
  const [lock] = await writer.query<{ taken: boolean }>('take_sweep', text, [sweepLock])
  return lock?.taken ?? false
}

/** Say that the sweep goes on: a transaction in which nothing is asked for is ended. */
export async function keepSweep(writer: Writer): Promise<void> {
  await writer.query('keep_sweep', 'select 1', [])
}
