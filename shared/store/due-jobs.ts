import { arrayLiteral } from './array-literal.ts'
import { appendChanges } from './ledger.ts'
import {
  frozen,
  type LockedAction,
  type LockedRow,
  lockedAction,
  lockedColumns,
  type SealAll,
} from './locked-actions.ts'
import type { Writer } from './open.ts'
import { sinceFirst } from './since-first.ts'

/** A due job with what its execution needs; `token` is a fresh fencing number for this claim. */
export interface DueAction extends LockedAction {
  token: number
  /** Canonical text of the recorded proposal, null where it was erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  waited_ms: number
  /** Since the first attempt, where one may have happened; else null. */
  tried_for_ms: number | null
}

/** How much may be claimed, and by whom. */
export interface ClaimBounds {
  limit: number
  /** Tenants are served in turn, beginning after this one. */
  after: string
  /** Only jobs that are due at this time or later, as Postgres writes it; null: however long one is due. */
  since: string | null
  /** Jobs of a tenant that the claimer has at most, and those it has, by tenant. */
  share: number
  taken: ReadonlyMap<string, number>
  /** Calls under way at once, over all workers. */
  tenant_in_flight_max: number
  actuator_in_flight_max: number
}

export interface ClaimReport {
  /** Where the next claim begins. */
  after: string
  /** Nothing was pending before. From time to time a claim must look at all: for what was committed that late. */
  since: string
  /** More may be due than was taken. */
  more: boolean
  /** A bound on calls under way was met: more may be due once one of them ends. */
  bounded: boolean
}

/**
 * Lock due jobs that nothing freezes, decide and append. Tenants take turns, so that the flood of one does not delay the
 * single job of another. Claims of one tenant follow each other, so that bounds over all workers are exact.
 */
export async function claimDue(
  writer: Writer,
  bounds: ClaimBounds,
  seal: SealAll<DueAction>,
): Promise<ClaimReport> {
  const { limit, after, share } = bounds
  // As it is now: what is judged by it below is what the statement was told.
  const taken = new Map(bounds.taken)
  writer.ahead('line_up_tenants', lineUpSql, [after, limit, bounds.since ?? '-infinity'])
  const found = await writer.query<DueRow>('claim_due', claimSql, [
    share,
    arrayLiteral([...taken.keys()]),
    arrayLiteral([...taken.values()]),
    limit,
    bounds.tenant_in_flight_max,
    bounds.actuator_in_flight_max,
  ])
  const { line, since } = lineOf(found)
  const rows = found.filter(({ action_id }) => action_id !== null)
  await appendChanges(writer, seal(rows.map(dueAction)))
  return {
    after: rows.length < limit ? (line.at(-1) ?? '') : (rows.at(-1)?.tenant_id ?? ''),
    since,
    more: rows.length === limit || (rows.length > 0 && line.length === limit),
    bounded:
      line.length > 0 && (rows.length === 0 || rows.some(row => meetsBound(row, { ...bounds, taken }))),
  }
}

/**
 * The tenants that were lined up, in their turns, and since when anything is pending; every row tells it, and there is one
 * though nothing was claimed.
 */
function lineOf([first]: readonly DueRow[]): { line: string[]; since: string } {
  if (!first) throw new Error('the database did not tell who was lined up')
  const { in_line, pending_since: since } = first
  return { line: in_line === '' ? [] : in_line.split(','), since }
}

/** Whether a claimed job was the last that a bound lets through. */
function meetsBound(row: DueRow, bounds: ClaimBounds): boolean {
  return (
    Number(row.place) >= bounds.share - (bounds.taken.get(row.tenant_id) ?? 0) ||
    Number(row.tenant_load) >= bounds.tenant_in_flight_max ||
    Number(row.actuator_load) >= bounds.actuator_in_flight_max
  )
}

interface DueRow extends LockedRow {
  in_line: string
  pending_since: string
  token: string
  proposal: string | null
  verdict: string | null
  actuator_kind: string | null
  actuator_settings: unknown
  waited_ms: number
  tried_for_ms: number | null
  /** Among the claimed jobs of its tenant, from one. */
  place: string
  tenant_load: string
  actuator_load: string
}

function dueAction(row: DueRow): DueAction {
  const actuator =
    row.actuator_kind === null ? null : { kind: row.actuator_kind, settings: row.actuator_settings }
  const { proposal, verdict, waited_ms, tried_for_ms } = row
  const token = Number(row.token)
  return { token, proposal, verdict, actuator, waited_ms, tried_for_ms, ...lockedAction(row) }
}

/** Tenants with pending jobs that one walk comes to. */
const scannedMax = 256

/** From one tenant with pending jobs to the next by the index, each with its earliest job. */
export const walk = (name: string, first: string, next: string, tenantsMax = scannedMax): string => `
${name} as (
  (
    select 1 as scanned, tenant_id, next_run_at from execution_jobs
    where state = 'pending' and ${first} order by tenant_id, next_run_at limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id, x.next_run_at
  from ${name} w cross join lateral (
    select tenant_id, next_run_at from execution_jobs
    where state = 'pending' and tenant_id > w.tenant_id and ${next} order by tenant_id, next_run_at limit 1
  ) x
  where w.scanned < ${tenantsMax}
)`

const inLine = `current_setting('action_gate.in_line')`
const pendingSince = `current_setting('action_gate.pending_since')`

/** So much later than it is due a new job may be seen, for its transaction has to commit; what takes longer waits for a sweep. */
const commitSeconds = 2

/** By the index, so that a walk comes to no tenant whose jobs are all due later (a skip scan of PostgreSQL 18). */
const due = 'next_run_at >= $3::timestamptz and next_run_at <= now()'

/**
 * The locks are taken in one order everywhere. The claim that follows, in the same round trip, sees what whoever held them
 * before has done, and is told by the settings whose locks it has and since when anything is pending: an index keeps the
 * entries of jobs long done until a vacuum, and a walk from its beginning goes over all of them.
 */
const lineUpSql = `
with recursive ${walk('onward', `tenant_id > $1 and ${due}`, due)},
${walk('again', `tenant_id <= $1 and ${due}`, `tenant_id <= $1 and ${due}`)},
found as (select 1 as part, * from onward union all select 2, * from again),
first as (select part, tenant_id from found order by part, tenant_id limit $2::int4),
locked as (
  select part, tenant_id, pg_advisory_xact_lock(hashtextextended(tenant_id, 4701225003))::text as nothing
  from (select part, tenant_id from first order by tenant_id offset 0) ordered
)
select set_config('action_gate.in_line', coalesce(string_agg(tenant_id || nothing, ',' order by part, tenant_id), ''), true),
  set_config('action_gate.pending_since', (
    select case when max(scanned) = ${scannedMax} then '-infinity' else least(min(next_run_at), now()) - interval '${commitSeconds} s' end::text
    from found
  ), true)
from locked`

const claimSql = `
with served as (
  select tenant_id, greatest(0, $1::int4 - coalesce(t.jobs, 0)) as share, l.turn
  from unnest(string_to_array(${inLine}, ',')) with ordinality l(tenant_id, turn)
  left join unnest($2::text[], $3::int4[]) t(tenant_id, jobs) using (tenant_id)
),
busy as (
  select j.tenant_id, a.target_system, count(*) as calls
  from execution_jobs j join actions a using (action_id)
  where j.state = 'leased' and j.tenant_id = any(string_to_array(${inLine}, ','))
  group by j.tenant_id, a.target_system
),
busy_tenants as (select tenant_id, sum(calls) as calls from busy group by tenant_id),
runnable as (
  select x.action_id, s.tenant_id, x.next_run_at, s.turn, x.place,
    coalesce(t.calls, 0) + x.place as tenant_load,
    coalesce(b.calls, 0) + row_number() over (partition by s.tenant_id, x.target_system order by x.place) as actuator_load
  from served s
  left join busy_tenants t using (tenant_id)
  cross join lateral (
    select y.action_id, y.next_run_at, a.target_system, row_number() over (order by y.next_run_at, y.action_id) as place
    from execution_jobs y join actions a using (action_id)
    where y.state = 'pending' and y.tenant_id = s.tenant_id
      and y.next_run_at >= ${pendingSince}::timestamptz and y.next_run_at <= clock_timestamp()
      and not ${frozen('a', ['freeze', 'pause'])}
      and not exists (
        select from busy c where c.tenant_id = s.tenant_id and c.target_system = a.target_system and c.calls >= $6::int4
      )
    order by y.next_run_at, y.action_id
    limit greatest(0, least(s.share, $4::int4, $5::int4 - coalesce(t.calls, 0)))
  ) x
  left join busy b on b.tenant_id = s.tenant_id and b.target_system = x.target_system
),
chosen as (
  select * from runnable where actuator_load <= $6::int4 order by place, turn limit $4::int4
),
j as (
  select x.*, c.place, c.turn, c.tenant_load, c.actuator_load
  from chosen c cross join lateral (
    select * from execution_jobs y
    where y.tenant_id = c.tenant_id and y.next_run_at = c.next_run_at and y.action_id = c.action_id and y.state = 'pending'
    for update skip locked
  ) x
),
claimed as (
  select ${lockedColumns},
  nextval('lease_tokens') as token, j.place, j.turn, j.tenant_load, j.actuator_load,
  extract(epoch from clock_timestamp() - j.next_run_at)::float8 * 1000 as waited_ms,
  case when j.maybe_executed then ${sinceFirst("kind = 'execution_attempt'")} end as tried_for_ms,
  convert_from(proposal.payload, 'UTF8') as proposal,
  convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings
from j join actions a using (action_id)
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system
order by j.place, j.turn
for update of a
)
select ${inLine} as in_line, ${pendingSince} as pending_since, claimed.* from (select) one left join claimed on true order by place, turn`
