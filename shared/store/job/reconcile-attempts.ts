import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Dispatched } from '../../contract/configuration/completion.ts'
import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { callToAskAbout, sinceFirst, walkSystems } from './job-sql.ts'

/** An unknown outcome whose next round of reconcile is due, with all that a round looks at. */
export interface ReconcileAttempt {
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
  /** Attempts whose worker did not report within its lease, and how many there may be. */
  leases_lost: number
  max_attempts: number
  /** Milliseconds since the first attempt, and since the outcome was first unknown. */
  tried_for_ms: number
  unknown_for_ms: number
  /** What the latest attempt was given (ISO 8601, UTC), and milliseconds since then: negative before it. */
  not_after: string
  late_by_ms: number
  /** What ended the latest attempt, or the latest round; null where nothing is known of it. */
  last_error: string | null
  /** How the latest attempt asked for it, where that is recorded. */
  request_hash: string | null
  /** Canonical text of the recorded proposal and verdict, null where they were erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  /** What a result that came late says was done, as canonical text. */
  late_detail: string | null
  /** Where the downstream says how the latest attempt ends, which it accepted; null where that is not known or over. */
  dispatched: Dispatched | null
}

/** A system of a tenant: about one of these it is asked a few at a time. */
export interface Partition {
  tenant_id: string
  target_system: string
}

export interface ReconcileBounds {
  /** Partitions are looked at in turn, beginning after this one. */
  after: Partition
  /** Partitions about which nothing may be asked now. */
  busy: readonly Partition[]
  /** Further partitions that may be asked about, in all and for one tenant, and those under way, by tenant. */
  partitions: number
  partitions_of_tenant: number
  under_way: ReadonlyMap<string, number>
  /** Rounds of a partition, and of all partitions those that take no look-up. */
  rounds_of_partition: number
  sure: number
  /** Nobody else takes what was taken for so many milliseconds. */
  hold_ms: number
}

export interface TakenReconcileAttempts {
  attempts: ReconcileAttempt[]
  /** Where the next one begins. */
  after: Partition
}

/**
 * Take rounds that are due. Partitions of tenants take turns, however many rounds one has; what a late result or the same key
 * may settle is taken from every partition, also from those that are busy.
 * model: take
 */
export async function takeReconcileAttempts(
  writer: Writer,
  bounds: ReconcileBounds,
): Promise<TakenReconcileAttempts> {
  const { after, busy, under_way } = bounds
  const rows = await writer.query<ReconcileAttemptRow>('take_reconcile_attempts', takeSql, [
    after.tenant_id,
    after.target_system,
    arrayLiteral(busy.map(partitionName)),
    arrayLiteral([...under_way.keys()]),
    arrayLiteral([...under_way.values()]),
    bounds.partitions,
    bounds.partitions_of_tenant,
    bounds.rounds_of_partition,
    bounds.sure,
    bounds.hold_ms,
  ])
  const [first] = rows
  return {
    attempts: rows
      .filter(({ action_id }) => action_id !== null)
      .map(({ after_tenant, after_system, actuator_kind, actuator_settings, ...of }) => {
        const { url, interval_ms, deadline_ms, ...row } = of
        return {
          ...row,
          dispatched: url === null ? null : { url, interval_ms, deadline_ms },
          actuator: actuator_kind === null ? null : { kind: actuator_kind, settings: actuator_settings },
        }
      }),
    after: { tenant_id: first?.after_tenant ?? '', target_system: first?.after_system ?? '' },
  }
}

const partitionName = ({ tenant_id, target_system }: Partition): string => `${tenant_id} ${target_system}`

type ReconcileAttemptRow = Omit<ReconcileAttempt, 'actuator' | 'dispatched'> &
  Dispatched & {
    after_tenant: string | null
    after_system: string | null
    actuator_kind: string | null
    actuator_settings: unknown
  }

/** Partitions that one statement comes to, and rounds of each that it looks at. */
const partitionsWalked = 256
const roundsLooked = 32

const takeSql = `
with recursive ${walkSystems('walked', partitionsWalked, "state = 'unknown' and not needs_operator", '(tenant_id, target_system) > ($1, $2)')},
partitions as (
  select *, tenant_id || ' ' || target_system = any($3::text[]) as busy
  from walked where next_run_at <= now()
),
chosen as (
  select * from (
    select l.tenant_id, l.target_system, coalesce(t.partitions, 0)
      + row_number() over (partition by l.tenant_id order by l.next_run_at, l.target_system) as place
    from partitions l left join unnest($4::text[], $5::int4[]) t(tenant_id, partitions) using (tenant_id)
    where not l.busy
  ) x
  where place <= $7::int4 order by place, tenant_id, target_system limit $6::int4
),
looked as (
  select l.tenant_id, l.target_system, y.*, c.place is not null as chosen,
    row_number() over (partition by l.tenant_id, l.target_system, y.sure order by y.next_run_at, y.action_id) as nth
  from partitions l left join chosen c using (tenant_id, target_system)
  cross join lateral (
    select y.action_id, y.next_run_at,
      (y.key_honoured and y.leases_lost < y.max_attempts) or exists (select from late_results r where r.action_id = y.action_id) as sure
    from execution_jobs y
    where y.tenant_id = l.tenant_id and y.target_system = l.target_system and y.state = 'unknown' and not y.needs_operator
      and y.next_run_at <= now()
    order by y.next_run_at, y.action_id limit ${roundsLooked}
  ) y
),
wanted as (
  (select * from looked where sure order by nth, next_run_at limit $9::int4)
  union all
  select * from looked where not sure and chosen and nth <= $8::int4
),
due as (
  select y.action_id from wanted w cross join lateral (
    select action_id from execution_jobs x
    where x.tenant_id = w.tenant_id and x.target_system = w.target_system and x.next_run_at = w.next_run_at
      and x.action_id = w.action_id and x.state = 'unknown' and not x.needs_operator
    for update skip locked
  ) y
),
j as (
  update execution_jobs x set
    -- Those that were taken with one that kills its worker are soon taken without it.
    next_run_at = clock_timestamp() + $10::int8 * (1 + random() * least(x.lookups_begun, 3)) * interval '1 millisecond'
  where x.action_id = any(array(select action_id from due))
  returning x.*
),
last as (
  select tenant_id, target_system from (
    select 1 as part, c.* from (
      select tenant_id, target_system from chosen order by place desc, tenant_id desc, target_system desc limit 1
    ) c where (select count(*) from chosen) = $6::int4
    union all
    select 2, tenant_id, target_system from walked where scanned = ${partitionsWalked}
  ) x
  order by part limit 1
),
taken as (
select j.action_id, j.tenant_id, a.target_system, a.proposal_hash, a.traceparent, j.rounds, j.key_honoured, j.leases_lost, j.max_attempts, j.last_error,
  ${sinceFirst("kind = 'execution_attempt'")} as tried_for_ms, ${sinceFirst("status_to = 'outcome_unknown'")} as unknown_for_ms,
  j.attempt, latest.not_after, latest.request_hash,
  extract(epoch from clock_timestamp() - latest.not_after::timestamptz)::float8 * 1000 as late_by_ms,
  convert_from(proposal.payload, 'UTF8') as proposal,
  convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings,
  (select convert_from(l.detail, 'UTF8') from late_results l where l.action_id = j.action_id order by l.token limit 1) as late_detail,
  d.url, d.interval_ms::float8 as interval_ms, extract(epoch from d.ends_at - d.kept_at)::float8 * 1000 as deadline_ms
from j join actions a using (action_id)
left join dispatched_operations d on d.action_id = j.action_id and d.attempt = j.attempt and d.ends_at > clock_timestamp()
${callToAskAbout}
)
select last.tenant_id as after_tenant, last.target_system as after_system, taken.*
from (values (true)) one left join last on true left join taken on true`

/**
 * Count a look-up that is about to begin: how many were begun since something was last recorded, this one included. Null
 * where somebody else has recorded a round meanwhile.
 */
export async function beginLookup(
  writer: Writer,
  { action_id, rounds }: Pick<ReconcileAttempt, 'action_id' | 'rounds'>,
): Promise<number | null> {
  const text = `
    update execution_jobs set lookups_begun = lookups_begun + 1
    where action_id = $1 and rounds = $2::int4 and state = 'unknown' returning lookups_begun`
  const [row] = await writer.query<{ lookups_begun: number }>('begin_lookup', text, [action_id, rounds])
  return row?.lookups_begun ?? null
}

/** Take back a look-up that its worker gave up because it ends: it survived. */
export async function giveUpLookup(
  writer: Writer,
  { action_id, rounds }: Pick<ReconcileAttempt, 'action_id' | 'rounds'>,
): Promise<void> {
  const text = `
    update execution_jobs set lookups_begun = lookups_begun - 1
    where action_id = $1 and rounds = $2::int4 and state = 'unknown' and lookups_begun > 0`
  await writer.query('give_up_lookup', text, [action_id, rounds])
}

export interface LateResult {
  action_id: string
  tenant_id: string
  token: number
  worker: string
  detail: JsonObject
}

/**
 * Keep a result that came after its lease; the same one again changes nothing, and of an action that was erased nothing
 * is kept: an erasure waits for the lock or is seen. Whether it contradicts what is recorded for good: that it failed.
 * model: late_result
 */
export async function insertLateResult(
  writer: Writer,
  result: LateResult,
): Promise<{ contradicts: boolean }> {
  const text = `
    insert into late_results (action_id, tenant_id, token, worker, detail, contradicts)
    select $1, $2, $3::int8, $4, convert_to($5, 'UTF8'), $6::int4 <> 0
    where not exists (select from action_events where action_id = $1 and kind = 'erasure') on conflict do nothing`
  const { action_id, tenant_id, token, worker, detail } = result
  const lock = 'select status from actions where action_id = $1 for share'
  const [action] = await writer.query<{ status: ActionStatus }>('lock_for_late_result', lock, [action_id])
  const contradicts = action?.status === 'execution_failed'
  await writer.query('insert_late_result', text, [
    action_id,
    tenant_id,
    token,
    worker,
    JSON.stringify(detail),
    Number(contradicts),
  ])
  return { contradicts }
}
