import type { Writer } from '../../postgres/open.ts'

const claimLock = 4_701_225_003

/**
 * Waits until the running claims of a tenant end. A later claim sees everything that is committed now, because its
 * statements read the tables after they have the lock.
 */
export async function passClaims(writer: Writer, tenantId: string): Promise<void> {
  const text = `select pg_advisory_xact_lock_shared(hashtextextended($1, ${claimLock}))::text`
  await writer.last('pass_claims', text, [tenantId])
}

/** The fewest tenants to examine, even for few jobs, because a tenant without a runnable job costs little time. */
const lineMin = 32

/**
 * Locks the next tenants with due jobs, up to `limit` or `lineMin`, whichever is more. Tenants take turns. The
 * statement is sent together with the claim.
 */
export function rotateTenants(
  writer: Writer,
  { after, limit, since }: { after: string; limit: number; since: string | null },
): void {
  writer.ahead('rotate_tenants', rotationSql, [after, Math.max(limit, lineMin), since ?? '-infinity'])
}

const scannedMax = 256

/**
 * The first statement of a claim, sent together with the second; `claim.sql` shows both. The second sees what
 * earlier holders of the locks have done. Settings of the transaction pass it the tenants in line, the earliest
 * due time, the tenant at which the walk ended, and if a frozen tenant was left out.
 *
 * $1 the tenant after which the walk begins; $2 most tenants in line; $3 the earliest due time of jobs.
 */
export const rotationSql = `
with recursive

-- From one tenant with due jobs to the next by the index: first those after $1, then those up to it.
onward as (
  (
    select 1 as scanned, tenant_id from execution_jobs
    where state = 'pending' and tenant_id > $1 and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id from onward w cross join lateral (
    select tenant_id from execution_jobs
    where state = 'pending' and tenant_id > w.tenant_id and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  ) x
  where w.scanned < ${scannedMax}
),
again as (
  (
    select 1 as scanned, tenant_id from execution_jobs
    where state = 'pending' and tenant_id <= $1 and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id from again w cross join lateral (
    select tenant_id from execution_jobs
    where state = 'pending' and tenant_id > w.tenant_id and tenant_id <= $1
      and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  ) x
  where w.scanned < ${scannedMax}
),
found as (select 1 as part, * from onward union all select 2, * from again),

-- Tenants that are stopped as a whole do not stand in line.
going as (
  select * from found f
  where not exists (
    select from freezes z where z.tenant_id = f.tenant_id and coalesce(z.system, z.operation, z.key_id) is null
  )
),
first as (select part, tenant_id from going order by part, tenant_id limit $2::int4),

-- The last tenant that was looked at, where there may be more: the line is full, or a walk came to its bound.
seen as (
  select part, tenant_id, true as full_line
  from (select * from first order by part, tenant_id offset $2::int4 - 1) last
  where (select count(*) from going) > $2::int4
  union all
  select part, tenant_id, false from found where scanned = ${scannedMax}
),

-- The locks are taken in one order everywhere, so that no two claims wait for each other.
locked as (
  select part, tenant_id, pg_advisory_xact_lock(hashtextextended(tenant_id, ${claimLock}))::text as nothing
  from (select part, tenant_id from first order by tenant_id) ordered
)

select
  set_config('action_gate.in_line', coalesce(string_agg(tenant_id || nothing, ',' order by part, tenant_id), ''), true),
  set_config('action_gate.pending_since', $3::timestamptz::text, true),
  set_config('action_gate.seen_to',
    coalesce((select tenant_id from seen order by full_line desc, part limit 1), ''), true),
  set_config('action_gate.left_out', ((select count(*) from found) > (select count(*) from going))::text, true)
from locked`
