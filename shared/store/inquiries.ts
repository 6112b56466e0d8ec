import type { JsonObject } from '../contract/json.ts'
import type { Writer } from './open.ts'
import { sinceFirst } from './since-first.ts'

/** An unknown outcome whose next round of reconcile is due, with all that a round looks at. */
export interface Inquiry {
  action_id: string
  tenant_id: string
  target_system: string
  proposal_hash: string
  /** Rounds so far: whoever records this one must find them unchanged. */
  rounds: number
  attempt: number
  /** Where its proposal stood in the caller's trace, or null. */
  traceparent: string | null
  key_honoured: boolean
  /** Milliseconds since the first attempt, and since the outcome was first unknown. */
  tried_for_ms: number
  unknown_for_ms: number
  /** What the latest attempt was given (ISO 8601, UTC), and milliseconds since then: negative before it. */
  not_after: string
  late_by_ms: number
  /** Canonical text of the recorded proposal and verdict, null where they were erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  /** What a result that came late says was done, as canonical text. */
  late_detail: string | null
}

/**
 * Take up to `limit` rounds that are due; nobody else takes them for `holdMs` milliseconds.
 * model: take
 */
export async function takeInquiries(writer: Writer, limit: number, holdMs: number): Promise<Inquiry[]> {
  const rows = await writer.query<InquiryRow>('take_inquiries', takeSql, [limit, holdMs])
  return rows.map(({ actuator_kind, actuator_settings, ...row }) => ({
    ...row,
    actuator: actuator_kind === null ? null : { kind: actuator_kind, settings: actuator_settings },
  }))
}

type InquiryRow = Omit<Inquiry, 'actuator'> & { actuator_kind: string | null; actuator_settings: unknown }

const takeSql = `
with due as (
  select action_id from execution_jobs
  where state = 'unknown' and not needs_operator and next_run_at <= clock_timestamp()
  order by next_run_at limit $1::int4
  for update skip locked
),
j as (
  update execution_jobs x set next_run_at = clock_timestamp() + $2::int8 * interval '1 millisecond'
  from due where x.action_id = due.action_id
  returning x.*
)
select j.action_id, j.tenant_id, a.target_system, a.proposal_hash, a.traceparent, j.rounds, j.key_honoured,
  ${sinceFirst("kind = 'execution_attempt'")} as tried_for_ms, ${sinceFirst("status_to = 'outcome_unknown'")} as unknown_for_ms,
  j.attempt, latest.not_after,
  extract(epoch from clock_timestamp() - latest.not_after::timestamptz)::float8 * 1000 as late_by_ms,
  convert_from(proposal.payload, 'UTF8') as proposal,
  convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings,
  (select convert_from(l.detail, 'UTF8') from late_results l where l.action_id = j.action_id order by l.token limit 1) as late_detail
from j join actions a using (action_id)
left join lateral (
  select convert_from(p.payload, 'UTF8')::jsonb ->> 'not_after' as not_after
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1
) latest on true
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system`

export interface LateResult {
  action_id: string
  tenant_id: string
  token: number
  worker: string
  detail: JsonObject
}

/**
 * Keep a result that came after its lease; the same one again changes nothing, and of an action that was erased nothing
 * is kept: an erasure waits for the lock or is seen.
 * model: late_result
 */
export async function insertLateResult(writer: Writer, result: LateResult): Promise<void> {
  const text = `
    insert into late_results (action_id, tenant_id, token, worker, detail)
    select $1, $2, $3::int8, $4, convert_to($5, 'UTF8')
    where not exists (select from action_events where action_id = $1 and kind = 'erasure') on conflict do nothing`
  const { action_id, tenant_id, token, worker, detail } = result
  const lock = 'select from actions where action_id = $1 for share'
  await writer.query('lock_for_late_result', lock, [action_id])
  await writer.query('insert_late_result', text, [
    action_id,
    tenant_id,
    token,
    worker,
    JSON.stringify(detail),
  ])
}
