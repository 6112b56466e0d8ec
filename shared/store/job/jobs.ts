import type { Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { isDispatched } from './dispatched-operations.ts'

/**
 * Extends leases whose token is still valid and returns these tokens. It does not return actions, because a worker
 * that lost a lease may hold a later lease of the same action.
 */
export async function renewLeases(
  writer: Writer,
  leases: readonly { action_id: string; token: number }[],
  leaseMs: number,
): Promise<ReadonlySet<number>> {
  // Jobs are locked in a fixed order, because two statements would deadlock otherwise.
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
 * Recognises a lease by its owner and end (the check `execution_jobs_lease`). A condition on the state would let a
 * plan made with few leases choose the index of all leases.
 */
const renewSql = `
update execution_jobs j set lease_expires_at = clock_timestamp() + $3::int8 * interval '1 millisecond'
from unnest($1::text[], $2::int8[]) held(action_id, token)
where j.action_id = held.action_id and j.lease_token = held.token and j.lease_owner is not null
  and j.lease_expires_at > clock_timestamp()
returning held.token::float8 as token`

/** Returns expired leases, the oldest first. Operations of a downstream are left out, because they are polled. */
export async function expiredLeases(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  const text = `
    select action_id from execution_jobs j
    where state = 'leased' and lease_expires_at <= statement_timestamp() and not ${isDispatched('j')}
    order by lease_expires_at limit $1::int4`
  return reader.query('expired_leases', text, [limit])
}

export async function expiredHolds(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  const text = `
    select action_id from actions
    where status = 'pending_approval' and held_until <= statement_timestamp() order by held_until limit $1::int4`
  return reader.query('expired_holds', text, [limit])
}

const sweepLock = 4_701_225_002

/**
 * Takes the right to sweep until the transaction ends; false if another process has it. A suspended process loses
 * the right, because the server ends its idle transaction.
 */
export async function takeSweep(writer: Writer): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1::int8) as taken'
  const [lock] = await writer.query<{ taken: boolean }>('take_sweep', text, [sweepLock])
  return lock?.taken ?? false
}

/** Keeps the sweep's transaction open, because the server ends a transaction that is idle for too long. */
export async function keepSweep(writer: Writer): Promise<void> {
  await writer.query('keep_sweep', 'select 1', [])
}
