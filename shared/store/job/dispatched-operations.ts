import type { Dispatched } from '../../contract/configuration/completion.ts'
import type { Writer } from '../postgres/open.ts'
import { latestAttempt, requestHash } from './job-sql.ts'

/**
 * Operations that a downstream accepted and ends later. Their jobs stay leased, by nobody: what would be the end of a lease
 * is when they are asked about next. So they count as under way, no claim takes them, and no attempt is repeated.
 */

/** Who holds the lease meanwhile. */
const heldBy = 'downstream'

export interface DispatchedAction {
  action_id: string
  tenant_id: string
  token: number
  attempt: number
  dispatched: Dispatched
  /** Its time is over: it is not asked about again. */
  over: boolean
  target_system: string
  proposal_hash: string
  traceparent: string | null
  not_after: string
  /** How the attempt asked for it, where that is recorded. */
  request_hash: string | null
  /** Canonical text of the recorded proposal and verdict, null where they were erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
}

/** Keep that the latest attempt of an action was accepted, while its lease is held. False: somebody else has judged it. */
export async function keepDispatched(
  writer: Writer,
  { action_id, token, dispatched }: { action_id: string; token: number; dispatched: Dispatched },
): Promise<boolean> {
  const { url, interval_ms, deadline_ms } = dispatched
  const rows = await writer.query('keep_dispatched', keepSql, [
    action_id,
    token,
    url,
    interval_ms,
    deadline_ms,
  ])
  return rows.length > 0
}

const keepSql = `
with j as (
  update execution_jobs set lease_token = nextval('lease_tokens'), lease_owner = '${heldBy}',
    lease_expires_at = clock_timestamp() + $4::int8 * interval '1 millisecond'
  where action_id = $1 and lease_token = $2::int8 and lease_owner is not null and lease_expires_at > clock_timestamp()
  returning action_id, tenant_id, attempt
)
insert into dispatched_operations (action_id, tenant_id, attempt, url, interval_ms, ends_at)
select action_id, tenant_id, attempt, $3::text, $4::int8, clock_timestamp() + $5::int8 * interval '1 millisecond' from j
on conflict (action_id) do update set attempt = excluded.attempt, url = excluded.url, interval_ms = excluded.interval_ms,
  kept_at = excluded.kept_at, ends_at = excluded.ends_at
returning action_id`

/** Take the leases of operations that are to be asked about now. */
export async function takeDispatched(
  writer: Writer,
  { worker, limit, lease_ms }: { worker: string; limit: number; lease_ms: number },
): Promise<DispatchedAction[]> {
  const rows = await writer.query<DispatchedRow>('take_dispatched', takeSql, [limit, worker, lease_ms])
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

/** An operation of an earlier attempt says nothing of a later one. */
export const isDispatched = (job: string): string => `exists (
    select from dispatched_operations d where d.action_id = ${job}.action_id and d.attempt = ${job}.attempt
  )`

const takeSql = `
with due as (
  select x.action_id from execution_jobs x
  where x.state = 'leased' and x.lease_expires_at <= clock_timestamp() and ${isDispatched('x')}
  order by x.lease_expires_at limit $1::int4 for update of x skip locked
),
j as (
  update execution_jobs x set lease_token = nextval('lease_tokens'), lease_owner = $2,
    lease_expires_at = clock_timestamp() + $3::int8 * interval '1 millisecond'
  where x.action_id = any(array(select action_id from due))
  returning x.*
)
select j.action_id, j.tenant_id, j.lease_token::float8 as token, j.attempt, d.url, d.interval_ms::float8 as interval_ms,
  extract(epoch from d.ends_at - d.kept_at)::float8 * 1000 as deadline_ms, d.ends_at <= clock_timestamp() as over,
  a.target_system, a.proposal_hash, a.traceparent, latest.not_after, latest.request_hash,
  convert_from(proposal.payload, 'UTF8') as proposal, convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings
from j join actions a using (action_id) join dispatched_operations d using (action_id)
left join lateral (
  select convert_from(p.payload, 'UTF8')::jsonb ->> 'not_after' as not_after, ${requestHash} as request_hash
  ${latestAttempt}
) latest on true
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system`

/** Give a lease back until the operation is asked about again, at the latest when its time is over. */
export async function postponeDispatched(
  writer: Writer,
  { action_id, token, ms }: { action_id: string; token: number; ms: number },
): Promise<void> {
  const text = `
    update execution_jobs j set lease_owner = '${heldBy}',
      lease_expires_at = least(clock_timestamp() + $3::int8 * interval '1 millisecond', greatest(d.ends_at, clock_timestamp()))
    from dispatched_operations d
    where j.action_id = $1 and j.lease_token = $2::int8 and j.lease_owner is not null and d.action_id = j.action_id`
  await writer.query('postpone_dispatched', text, [action_id, token, Math.round(ms)])
}

/** Forget the operations of actions that have ended. */
export async function forgetDispatched(writer: Writer): Promise<void> {
  const text = `
    delete from dispatched_operations d using execution_jobs j
    where j.action_id = d.action_id and j.state <> 'leased' and d.kept_at < now() - interval '1 minute'`
  await writer.query('forget_dispatched', text, [])
}
