import { latestAttempt, requestHash, sinceFirst } from '../action/attempts.ts'
import {
  frozen,
  type LockedAction,
  type LockedRow,
  lockedAction,
  lockedColumns,
} from '../action/locked-actions.ts'
import { arrayLiteral } from '../postgres/array-literal.ts'
import type { Writer } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import {
  commitSeconds,
  foundSql,
  freezesInPartSql,
  keepCursors,
  knownPlaceSql,
  looksSql,
  placeColumns,
  placesSql,
  type ScanCursor,
} from './scan-cursors.ts'
import { inLine, leftOut, pendingSince, rotateTenants, seenTo } from './tenant-rotation.ts'

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
  /** How the latest attempt asked for it, where one may have happened and that is recorded. */
  request_hash: string | null
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
  /**
   * Nothing was pending before; null where not everybody was looked at. From time to time a claim must look at all, for what
   * was committed that late; before the places of freezes it is found when these are forgotten.
   */
  since: string | null
  /** More may be due than was taken. */
  more: boolean
  /** The tenants that were looked at, where none of them can run and there are others; else null. */
  passed: readonly string[] | null
  /** A bound on calls under way keeps jobs that are due: they may run once a call ends. */
  bounded: boolean
}

/**
 * Lock due jobs that nothing freezes, until the transaction ends: it takes their leases or leaves them. Tenants take turns,
 * so that the flood of one does not delay the single job of another. Claims of one tenant follow each other, so that bounds
 * over all workers are exact.
 */
export async function lockDueJobs(
  writer: Writer,
  bounds: ClaimBounds,
): Promise<{ due: DueAction[]; report: ClaimReport }> {
  const { limit, share } = bounds
  // As it is now: what is judged by it below is what the statement was told.
  const taken = new Map(bounds.taken)
  rotateTenants(writer, bounds)
  const found = await writer.query<DueRow>('claim_due', claimSql, [
    share,
    arrayLiteral([...taken.keys()]),
    arrayLiteral([...taken.values()]),
    limit,
    bounds.tenant_in_flight_max,
    bounds.actuator_in_flight_max,
  ])
  const { line, seenTo, since, kept, looksOn, places } = lineOf(found)
  const rows = found.filter(({ action_id }) => action_id !== null)
  await keepCursors(writer, places)
  const report = {
    after: rows.length < limit ? (seenTo ?? line.at(-1) ?? '') : (rows.at(-1)?.tenant_id ?? ''),
    since,
    more:
      rows.length === limit ||
      places.some(({ more }) => more) ||
      (rows.length > 0 && (looksOn || seenTo !== null)),
    passed: rows.length === 0 && seenTo !== null ? line : null,
    bounded: kept || rows.some(row => meetsBound(row, { ...bounds, taken })),
  }
  return { due: rows.map(dueAction), report }
}

interface Line {
  /** Tenants in their turns. */
  line: string[]
  /** The last tenant that was looked at; null where all were. */
  seenTo: string | null
  since: string | null
  /** A bound keeps jobs of theirs. */
  kept: boolean
  /** More jobs wait behind those in whose actions it was looked. */
  looksOn: boolean
  places: ScanCursor[]
}

/** Who was lined up: every row tells it, and there is one though nothing was claimed. */
function lineOf([first]: readonly DueRow[]): Line {
  if (!first) throw new Error('the database did not tell who was lined up')
  const { in_line, seen_to, pending_since: since, kept, looks_on: looksOn, places } = first
  return {
    line: in_line === '' ? [] : in_line.split(','),
    seenTo: seen_to === '' ? null : seen_to,
    since,
    kept,
    looksOn,
    places: places ?? [],
  }
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
  seen_to: string
  pending_since: string | null
  kept: boolean
  looks_on: boolean
  places: ScanCursor[] | null
  token: string
  proposal: string | null
  verdict: string | null
  actuator_kind: string | null
  actuator_settings: unknown
  waited_ms: number
  tried_for_ms: number | null
  request_hash: string | null
  proven: boolean
  /** Among the claimed jobs of its tenant, from one. */
  place: string
  tenant_load: string
  actuator_load: string
}

function dueAction(row: DueRow): DueAction {
  const actuator =
    row.actuator_kind === null ? null : { kind: row.actuator_kind, settings: row.actuator_settings }
  const { proposal, verdict, waited_ms, tried_for_ms, request_hash } = row
  const token = Number(row.token)
  return {
    token,
    proposal,
    verdict,
    actuator,
    waited_ms,
    tried_for_ms,
    request_hash,
    ...lockedAction(row, { given: [], proven: row.proven }),
  }
}

/** As of the claim's own statement, which begins when it has the locks. */
const isDue = (job: string): string =>
  `${job}.state = 'pending' and ${job}.next_run_at >= ${pendingSince} and ${job}.next_run_at <= statement_timestamp()`

/**
 * Jobs are taken system by system of a tenant: those that a pause, a freeze or a bound keeps from running are not looked at
 * one by one, however many they are. A freeze of an operation or of a key is looked up for each,
 * beginning behind the place up to which all are known to be kept. The look ends where enough were found, since PostgreSQL
 * knows that `count(*)` only grows; of a count of an expression version 15 does not.
 */
const claimSql = `
with recursive busy as (
  select tenant_id, target_system, count(*) as calls
  from execution_jobs where state = 'leased' and tenant_id = any(string_to_array(${inLine}, ','))
  group by tenant_id, target_system
),
busy_tenants as (select tenant_id, sum(calls) as calls from busy group by tenant_id),
served as (
  select tenant_id, l.turn, coalesce(b.calls, 0) as calls,
    greatest(0, least($1::int4 - coalesce(t.jobs, 0), $4::int4, $5::int4 - coalesce(b.calls, 0))) as room
  from unnest(string_to_array(${inLine}, ',')) with ordinality l(tenant_id, turn)
  left join unnest($2::text[], $3::int4[]) t(tenant_id, jobs) using (tenant_id)
  left join busy_tenants b using (tenant_id)
),
systems as (
  select s.tenant_id, x.target_system, x.next_run_at from served s cross join lateral (
    select y.target_system, y.next_run_at from execution_jobs y
    where y.tenant_id = s.tenant_id and ${isDue('y')}
    order by y.target_system, y.next_run_at limit 1
  ) x
  union all
  select s.tenant_id, x.target_system, x.next_run_at from systems s cross join lateral (
    select y.target_system, y.next_run_at from execution_jobs y
    where y.tenant_id = s.tenant_id and y.target_system > s.target_system and ${isDue('y')}
    order by y.target_system, y.next_run_at limit 1
  ) x
),
going as (
  select s.tenant_id, s.target_system, v.turn, v.room, v.calls as tenant_calls, coalesce(b.calls, 0) as calls,
    greatest(0, least(v.room, $6::int4 - coalesce(b.calls, 0)))::int8 as wanted, ${placeColumns}
  from systems s join served v using (tenant_id) left join busy b using (tenant_id, target_system)
  cross join lateral (${freezesInPartSql}) p
  left join ${knownPlaceSql}
  where not exists (
    select from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.system = s.target_system, true) and coalesce(f.operation, f.key_id) is null
  )
),
looking as (select *, ${looksSql} as looks from going where wanted > 0),
looked as (
  select g.*, y.* from looking g cross join lateral ${optimizationFence(`
    select * from (
      select x.*, count(*) filter (where not x.frozen)
          over (order by x.next_run_at, x.action_id rows between unbounded preceding and 1 preceding) as before
      from (
        select y.action_id, y.next_run_at, g.freezes is not null and exists (
            select from actions a where a.action_id = y.action_id and ${frozen('a', ['freeze', 'pause'])}
          ) as frozen
        from execution_jobs y
        where y.tenant_id = g.tenant_id and y.target_system = g.target_system and ${isDue('y')}
          and y.next_run_at >= g.kept_to and (y.next_run_at, y.action_id) > (g.kept_to, g.last_kept)
        order by y.next_run_at, y.action_id
        limit coalesce(g.looks, g.wanted)
      ) x
    ) z where before < g.wanted
  `)} y
),
runnable as (
  select *, tenant_calls + place as tenant_load, calls + before + 1 as actuator_load from (
    select l.*, row_number() over (partition by turn order by next_run_at, action_id) as place
    from looked l where not frozen
  ) x
  where place <= room
),
${placesSql},
chosen as (
  select * from runnable order by place, turn limit $4::int4
),
j as (
  select x.*, c.place, c.turn, c.tenant_load, c.actuator_load
  from chosen c cross join lateral (
    select * from execution_jobs y
    where y.tenant_id = c.tenant_id and y.target_system = c.target_system and y.next_run_at = c.next_run_at
      and y.action_id = c.action_id and y.state = 'pending'
    for update skip locked
  ) x
),
claimed as (
  select ${lockedColumns},
  nextval('lease_tokens') as token, j.place, j.turn, j.tenant_load, j.actuator_load,
  extract(epoch from clock_timestamp() - j.next_run_at)::float8 * 1000 as waited_ms,
  case when j.maybe_executed then ${sinceFirst("kind = 'execution_attempt'")} end as tried_for_ms,
  case when j.maybe_executed then (select ${requestHash} ${latestAttempt}) end as request_hash,
  case when j.rounds > 0 then exists (select from late_results l where l.action_id = j.action_id) else false end as proven,
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
select ${inLine} as in_line, ${seenTo} as seen_to, one.*, claimed.*
from (
  select case
      when ${seenTo} = '' and not ${leftOut}
      then (least((select min(next_run_at) from systems), now()) - interval '${commitSeconds} s')::text
    end as pending_since,
    exists (select from going where wanted = 0) as kept,
    exists (select from places where more) as looks_on,
    ${foundSql} as places
) one left join claimed on true
order by place, turn`
