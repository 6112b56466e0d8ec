import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Dispatched } from '../../contract/configuration/completion.ts'
import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { callToAskAbout, sinceFirst, walkSystems } from './job-sql.ts'

export interface ReconcileAttempt {
  action_id: string
  tenant_id: string
  target_system: string
  proposal_hash: string
  /**
   * Recorded rounds. The next is only recorded if this number is unchanged, so that no round is recorded twice.
   */
  rounds: number
  attempt: number
  traceparent: string | null
  key_honoured: boolean
  leases_lost: number
  max_attempts: number
  /** Milliseconds since the first attempt, and since the outcome first became unknown. */
  tried_for_ms: number
  unknown_for_ms: number
  /** The deadline of the latest attempt (ISO 8601, UTC), and the milliseconds since then (negative before it). */
  not_after: string
  late_by_ms: number
  last_error: string | null
  request_hash: string | null
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  late_detail: string | null
  /** The address at which the downstream reports on the latest attempt; null if unknown or past its deadline. */
  dispatched: Dispatched | null
}

export interface Partition {
  tenant_id: string
  target_system: string
}

export interface ReconcileBounds {
  /** The partition after which the turns of the partitions begin. */
  after: Partition
  busy: readonly Partition[]
  /** The most further partitions to ask in all and per tenant, and the partitions under way per tenant. */
  partitions: number
  partitions_of_tenant: number
  under_way: ReadonlyMap<string, number>
  /** The most rounds of one partition, and the most rounds in all that need no look-up. */
  rounds_of_partition: number
  sure: number
  /** Milliseconds for which no other worker takes the same round. */
  hold_ms: number
}

export interface TakenReconcileAttempts {
  attempts: ReconcileAttempt[]
  after: Partition
}

/**
 * Takes due reconcile rounds. Partitions (a system of a tenant) take turns, so that many rounds of one delay no
 * other. A round that a late result or the idempotency key may settle is taken from busy partitions too, because
 * it needs no look-up.
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
 * Counts a look-up before it begins. Returns how many look-ups began since the last recorded change, or null if
 * another worker has recorded a round.
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

/** Subtracts a look-up that a shutdown ended, because it did not kill its worker. */
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
 * Stores a late result once. An erased action keeps none: the erasure waits for this lock, or this statement sees
 * it. `contradicts` is true if the action is recorded as failed.
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
