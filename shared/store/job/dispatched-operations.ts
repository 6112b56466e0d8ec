import type { Dispatched } from '../../contract/configuration/completion.ts'
import type { CalledBack } from '../../lifecycle/change.ts'
import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { callToAskAbout } from './job-sql.ts'

/**
 * The lease owner of jobs whose operation a downstream has accepted and runs. The lease ends when the next poll is
 * due. Such a job counts as under way, no claim takes it, and its attempt is not repeated.
 */

const heldBy = 'downstream'

export interface DispatchedAction {
  action_id: string
  tenant_id: string
  token: number
  attempt: number
  dispatched: Dispatched
  called_back: string | null
  /** True if the operation's deadline has passed, so that it is not polled again. */
  over: boolean
  target_system: string
  proposal_hash: string
  traceparent: string | null
  not_after: string
  request_hash: string | null
  /** Canonical texts of the recorded proposal and verdict; null after an erasure. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
}

/**
 * Records that a downstream accepted the latest attempt, even if its lease has expired, unless another worker has
 * taken the lease. A callback that came earlier makes the operation due at once. Returns the milliseconds until
 * the operation is due, or null if the attempt has been judged.
 */
export async function keepDispatched(
  writer: Writer,
  { action_id, token, dispatched }: { action_id: string; token: number; dispatched: Dispatched },
): Promise<number | null> {
  const { url, interval_ms, deadline_ms } = dispatched
  const parameters = [action_id, token, url, interval_ms, deadline_ms]
  const [kept] = await writer.query<{ called: boolean }>('keep_dispatched', keepSql, parameters)
  if (!kept) return null
  if (!kept.called) return interval_ms
  await hasten(writer, action_id)
  return 0
}

const insertSql = `insert into dispatched_operations as d (action_id, tenant_id, attempt, url, interval_ms, ends_at)
select action_id, tenant_id, attempt, $3::text, $4::int8, clock_timestamp() + $5::int8 * interval '1 millisecond' from j
on conflict (action_id) do update set attempt = excluded.attempt, url = excluded.url, interval_ms = excluded.interval_ms,
  kept_at = excluded.kept_at, ends_at = excluded.ends_at,
  called_back = case when d.attempt = excluded.attempt then d.called_back end
returning d.called_back is not null as called`

const keepSql = `
with j as (
  update execution_jobs set lease_token = nextval('lease_tokens'), lease_owner = '${heldBy}',
    lease_expires_at = clock_timestamp() + $4::int8 * interval '1 millisecond'
  where action_id = $1 and lease_token = $2::int8 and lease_owner is not null
  returning action_id, tenant_id, attempt
)
${insertSql}`

/**
 * Stores the address of an operation whose attempt was judged unknown before the acceptance was recorded.
 * Reconcile rounds then ask there, even if an operator should find out. Stores nothing without an address or after
 * a later attempt.
 */
export async function keepAddress(
  writer: Writer,
  { action_id, attempt, dispatched }: { action_id: string; attempt: number; dispatched: Dispatched },
): Promise<void> {
  const { url, interval_ms, deadline_ms } = dispatched
  const parameters = [action_id, attempt, url, interval_ms, deadline_ms]
  await writer.query('keep_address', keepAddressSql, parameters)
}

const keepAddressSql = `
with j as (
  update execution_jobs set needs_operator = false, next_run_at = clock_timestamp() + $4::int8 * interval '1 millisecond'
  where action_id = $1 and attempt = $2::int4 and state = 'unknown' and $3::text is not null
  returning action_id, tenant_id, attempt
)
${insertSql}`

/**
 * Lets an earlier callback end an attempt whose answer was lost. Returns false if there is no callback or another
 * worker has taken the lease.
 */
export async function leaveToCallback(
  writer: Writer,
  { action_id, token }: { action_id: string; token: number },
): Promise<boolean> {
  const text = `
    update execution_jobs j set lease_token = nextval('lease_tokens'), lease_owner = '${heldBy}', lease_expires_at = clock_timestamp()
    from dispatched_operations d
    where j.action_id = $1 and j.lease_token = $2::int8 and j.lease_owner is not null
      and d.action_id = j.action_id and d.attempt = j.attempt and d.called_back is not null
    returning j.action_id`
  return (await writer.query('leave_to_callback', text, [action_id, token])).length > 0
}

/** Makes an operation due at once, unless a worker polls it at the moment. */
async function hasten(writer: Writer, actionId: string): Promise<void> {
  const text = `
    update execution_jobs set lease_expires_at = clock_timestamp()
    where action_id = $1 and state = 'leased' and lease_owner = '${heldBy}'`
  await writer.query('hasten_dispatched', text, [actionId])
}

export interface CalledAttempt {
  under_way: boolean
  target_system: string
  proposal: string | null
  actuator: { kind: string; settings: unknown } | null
  called: boolean
}

/** Locks the job of an attempt that a callback names. Returns null if no such attempt was made. */
export async function lockCalled(
  writer: Writer,
  { action_id, attempt }: { action_id: string; attempt: number },
): Promise<CalledAttempt | null> {
  const [row] = await writer.query<CalledRow>('lock_called', lockCalledSql, [action_id, attempt])
  if (!row) return null
  const { actuator_kind, actuator_settings, ...called } = row
  return {
    ...called,
    actuator: actuator_kind === null ? null : { kind: actuator_kind, settings: actuator_settings },
  }
}

interface CalledRow extends Omit<CalledAttempt, 'actuator'> {
  actuator_kind: string | null
  actuator_settings: unknown
}

/**
 * Locks the job before reading its operation, because a statement that waits for a lock sees other tables as they
 * were before the wait.
 */
const lockCalledSql = `
with j as materialized (
  select action_id, tenant_id, attempt, state from execution_jobs
  where action_id = $1 and attempt >= $2::int4 for update
)
select j.state = 'leased' and j.attempt = $2::int4 as under_way, a.target_system, convert_from(proposal.payload, 'UTF8') as proposal, r.kind as actuator_kind,
  r.settings as actuator_settings,
  exists (
    select from dispatched_operations d where d.action_id = j.action_id and d.attempt = $2::int4 and d.called_back is not null
  ) as called
from j join actions a using (action_id)
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system`

export interface Callback {
  action_id: string
  attempt: number
  body: string
  /** Milliseconds until the deadline, for an attempt whose call has no answer yet. */
  deadline_ms: number
  said: CalledBack
}

/** Stores the first callback of a locked attempt and makes it due at once; false if one is already stored. */
export async function keepCalledBack(
  writer: Writer,
  { action_id, attempt, body, deadline_ms, said }: Callback,
): Promise<boolean> {
  const rows = await writer.query('keep_called_back', keepCalledSql, [action_id, attempt, body, deadline_ms])
  if (rows.length > 0) markCalledBack(writer, action_id, said)
  await hasten(writer, action_id)
  return rows.length > 0
}

/** Records a callback on the locked job. Never overwrites a reported success, because its effect remains. */
export function markCalledBack(writer: Writer, actionId: string, said: CalledBack): void {
  const text = `
    update execution_jobs set called_back = $2
    where action_id = $1 and coalesce(called_back, 'failed') = 'failed'`
  writer.ahead('mark_called_back', text, [actionId, said])
}

const keepCalledSql = `
insert into dispatched_operations as d (action_id, tenant_id, attempt, interval_ms, ends_at, called_back)
select action_id, tenant_id, attempt, $4::int8, clock_timestamp() + $4::int8 * interval '1 millisecond', $3::text
from execution_jobs where action_id = $1 and attempt = $2::int4
on conflict (action_id) do update set called_back = excluded.called_back,
  attempt = excluded.attempt,
  url = case when d.attempt = excluded.attempt then d.url end,
  interval_ms = case when d.attempt = excluded.attempt then d.interval_ms else excluded.interval_ms end,
  kept_at = case when d.attempt = excluded.attempt then d.kept_at else excluded.kept_at end,
  ends_at = case when d.attempt = excluded.attempt then d.ends_at else excluded.ends_at end
where d.attempt < excluded.attempt or d.called_back is null
returning action_id`

export interface DispatchedBounds {
  worker: string
  lease_ms: number
  limit: number
}

/** Leases operations with a due callback, separately from polls, so that a slow poll delays no callback. */
export async function takeCalledBack(writer: Writer, bounds: DispatchedBounds): Promise<DispatchedAction[]> {
  const { limit, worker, lease_ms } = bounds
  return actionsOf(
    await writer.query<DispatchedRow>('take_called_back', takeSql(calledBackSql), [limit, worker, lease_ms]),
  )
}

/** Limits of polls per system and tenant, and polls under way; a system not to be polled is passed as full. */
export interface PollBounds extends DispatchedBounds {
  of_system: number
  of_tenant: number
  by_system: ReadonlyMap<string, number>
  by_tenant: ReadonlyMap<string, number>
}

export const polledName = (tenantId: string, system: string): string => `${tenantId} ${system}`

/** Leases a few due polls of each system and tenant, so that a system without answers delays no other system. */
export async function takePolls(writer: Writer, bounds: PollBounds): Promise<DispatchedAction[]> {
  const { limit, worker, lease_ms, of_system, of_tenant, by_system, by_tenant } = bounds
  return actionsOf(
    await writer.query<DispatchedRow>('take_polls', takeSql(pollsSql), [
      limit,
      worker,
      lease_ms,
      of_system,
      of_tenant,
      arrayLiteral([...by_system.keys()]),
      arrayLiteral([...by_system.values()]),
      arrayLiteral([...by_tenant.keys()]),
      arrayLiteral([...by_tenant.values()]),
    ]),
  )
}

function actionsOf(rows: readonly DispatchedRow[]): DispatchedAction[] {
  return rows.map(({ url, interval_ms, deadline_ms, actuator_kind, actuator_settings, ...row }) => ({
    ...row,
    dispatched: { url, interval_ms, deadline_ms },
    actuator: actuator_kind === null ? null : { kind: actuator_kind, settings: actuator_settings },
  }))
}

interface DispatchedRow extends Omit<DispatchedAction, 'dispatched' | 'actuator'>, Dispatched {
  actuator_kind: string | null
  actuator_settings: unknown
}

/**
 * Returns a condition that also compares the attempt, because the operation of an earlier attempt says nothing
 * about a later attempt.
 */
export const isDispatched = (job: string): string => `exists (
    select from dispatched_operations d where d.action_id = ${job}.action_id and d.attempt = ${job}.attempt
  )`

const dueLookedMax = 1_000

const dueSql = (isCalledBack: boolean): string => `
  select x.action_id, x.tenant_id, x.target_system, x.lease_expires_at
  from execution_jobs x join dispatched_operations d on d.action_id = x.action_id and d.attempt = x.attempt
  where x.state = 'leased' and x.lease_expires_at <= clock_timestamp()
    and d.called_back is ${isCalledBack ? 'not ' : ''}null`

const calledBackSql = `${dueSql(true)} order by x.lease_expires_at limit $1::int4`

/** Leaves out full systems and tenants, because their many polls could fill the scan and hide all others. */
const pollsSql = `
  select * from (
    select *, row_number() over (partition by tenant_id order by nth_of_system, lease_expires_at) as nth_of_tenant
    from (
      select due_now.*, row_number() over (partition by tenant_id, target_system order by lease_expires_at) as nth_of_system,
        coalesce(s.polls, 0) as of_system, coalesce(t.polls, 0) as of_tenant
      from (
        ${dueSql(false)}
        and x.tenant_id <> all(array(select name from unnest($8::text[], $9::int4[]) t(name, polls) where polls >= $5::int4))
        and x.tenant_id || ' ' || x.target_system
          <> all(array(select name from unnest($6::text[], $7::int4[]) s(name, polls) where polls >= $4::int4))
        order by x.lease_expires_at limit ${dueLookedMax}
      ) due_now
      left join unnest($6::text[], $7::int4[]) s(name, polls) on s.name = tenant_id || ' ' || target_system
      left join unnest($8::text[], $9::int4[]) t(name, polls) on t.name = tenant_id
    ) of_systems where nth_of_system + of_system <= $4::int4
  ) of_tenants where nth_of_tenant + of_tenant <= $5::int4
  order by nth_of_tenant, lease_expires_at limit $1::int4`

/** Locks the chosen jobs, skips locked jobs and checks each again, so that no lease of another worker is taken. */
const takeSql = (chosen: string): string => `
with chosen as materialized (${chosen}),
due as (
  select x.action_id from execution_jobs x
  where x.action_id = any(array(select action_id from chosen)) and x.state = 'leased' and x.lease_expires_at <= clock_timestamp()
  order by x.action_id for update of x skip locked
),
j as (
  update execution_jobs x set lease_token = nextval('lease_tokens'), lease_owner = $2,
    lease_expires_at = clock_timestamp() + $3::int8 * interval '1 millisecond'
  where x.action_id = any(array(select action_id from due))
  returning x.*
)
select j.action_id, j.tenant_id, j.lease_token::float8 as token, j.attempt, d.url, d.called_back, d.interval_ms::float8 as interval_ms,
  extract(epoch from d.ends_at - d.kept_at)::float8 * 1000 as deadline_ms, d.ends_at <= clock_timestamp() as over,
  a.target_system, a.proposal_hash, a.traceparent, latest.not_after, latest.request_hash,
  convert_from(proposal.payload, 'UTF8') as proposal, convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings
from j join actions a using (action_id) join dispatched_operations d using (action_id)
${callToAskAbout}`

/**
 * Gives back a lease until the next poll or the deadline, whichever is sooner. A callback that came during the
 * lease makes the operation due at once, unless `read` says that this worker has seen the callback.
 */
export async function postponeDispatched(
  writer: Writer,
  { action_id, token, ms, read }: { action_id: string; token: number; ms: number; read: boolean },
): Promise<number> {
  const [given] = await writer.query('postpone_dispatched', postponeSql, [action_id, token, Math.round(ms)])
  if (read || !given) return ms
  const text = `select called_back is not null as called from dispatched_operations where action_id = $1`
  const [operation] = await writer.query<{ called: boolean }>('read_called', text, [action_id])
  if (!operation?.called) return ms
  await hasten(writer, action_id)
  return 0
}

const postponeSql = `
update execution_jobs j set lease_owner = '${heldBy}',
  lease_expires_at = least(clock_timestamp() + $3::int8 * interval '1 millisecond', greatest(d.ends_at, clock_timestamp()))
from dispatched_operations d
where j.action_id = $1 and j.lease_token = $2::int8 and j.lease_owner is not null and d.action_id = j.action_id
returning j.action_id`

/** Deletes operations of ended actions. An operation with an unknown outcome stays until its deadline. */
export function forgetDispatched(writer: Writer): void {
  const text = `
    delete from dispatched_operations d using execution_jobs j
    where j.action_id = d.action_id and d.kept_at < now() - interval '1 minute'
      and j.state <> 'leased' and (j.state <> 'unknown' or d.attempt <> j.attempt or d.ends_at <= now())`
  writer.ahead('forget_dispatched', text, [])
}
