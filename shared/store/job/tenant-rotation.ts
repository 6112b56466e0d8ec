import type { Writer } from '../postgres/open.ts'
import { walkTenants } from './pending-walk.ts'

/** What a claim that follows in the same transaction is told of its line: the tenants, from when on, where the walk ended. */
export const inLine = `current_setting('action_gate.in_line')`
export const pendingSince = `current_setting('action_gate.pending_since')::timestamptz`
export const seenTo = `current_setting('action_gate.seen_to')`
/** Whether tenants that are stopped as a whole do not stand in it. */
export const leftOut = `current_setting('action_gate.left_out')::boolean`

/** Claims of a tenant follow each other under this lock, from their line-up to their commit. */
const claimLock = (tenant: string): string => `hashtextextended(${tenant}, 4701225003)`

/**
 * Wait for the claims of a tenant that are under way. One that begins later sees what is committed now; statements of a
 * claim look at the tables once it has the lock.
 */
export async function passClaims(writer: Writer, tenantId: string): Promise<void> {
  const text = `select pg_advisory_xact_lock_shared(${claimLock('$1')})::text`
  await writer.last('pass_claims', text, [tenantId])
}

/** Tenants that are looked at, whatever the room: those that cannot run take little time. */
const lineMin = 32

/**
 * Tenants with due jobs take their turns, beginning after one, and are locked: at least so many that `limit` jobs find one
 * each. Goes out with the claim.
 */
export function rotateTenants(
  writer: Writer,
  { after, limit, since }: { after: string; limit: number; since: string | null },
): void {
  writer.ahead('line_up_tenants', rotateTenantsSql, [after, Math.max(limit, lineMin), since ?? '-infinity'])
}

/** Tenants with due jobs that one walk comes to. */
const scannedMax = 256

const due = 'next_run_at >= $3::timestamptz and next_run_at <= now()'

/**
 * The locks are taken in one order everywhere. The claim that follows, in the same round trip, sees what whoever held them
 * before has done, and is told by settings whose locks it has. Tenants that are stopped as a whole do not stand in line.
 */
const rotateTenantsSql = `
with recursive ${walkTenants('onward', `tenant_id > $1 and ${due}`, due, scannedMax)},
${walkTenants('again', `tenant_id <= $1 and ${due}`, `tenant_id <= $1 and ${due}`, scannedMax)},
found as (select 1 as part, * from onward union all select 2, * from again),
going as (
  select * from found f
  where not exists (select from freezes z where z.tenant_id = f.tenant_id and coalesce(z.system, z.operation, z.key_id) is null)
),
first as (select part, tenant_id from going order by part, tenant_id limit $2::int4),
seen as (
  select part, tenant_id, true as full_line from (select * from first order by part, tenant_id offset $2::int4 - 1) last
  where (select count(*) from going) > $2::int4
  union all
  select part, tenant_id, false from found where scanned = ${scannedMax}
),
locked as (
  select part, tenant_id, pg_advisory_xact_lock(${claimLock('tenant_id')})::text as nothing
  from (select part, tenant_id from first order by tenant_id) ordered
)
select set_config('action_gate.in_line', coalesce(string_agg(tenant_id || nothing, ',' order by part, tenant_id), ''), true),
  set_config('action_gate.pending_since', $3::timestamptz::text, true),
  set_config('action_gate.seen_to', coalesce((select tenant_id from seen order by full_line desc, part limit 1), ''), true),
  set_config('action_gate.left_out', ((select count(*) from found) > (select count(*) from going))::text, true)
from locked`
