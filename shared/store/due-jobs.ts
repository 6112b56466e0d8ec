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
import { isPending, walkTenants } from './pending-walk.ts'
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
  /**
   * Nothing was pending before; null where not everybody was looked at. From time to time a claim must look at all: for what
   * was committed that late.
   */
  since: string | null
  /** More may be due than was taken. */
  more: boolean
  /** The tenants that were looked at, where none of them can run and there are others; else null. */
  passed: readonly string[] | null
  /** A bound on calls under way keeps jobs that are due: they may run once a call ends. */
  bounded: boolean
}

/** Tenants that are looked at, whatever the room: those that cannot run take little time. */
const lineMin = 32

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
  writer.ahead('line_up_tenants', lineUpSql, [after, Math.max(limit, lineMin), bounds.since ?? '-infinity'])
  const found = await writer.query<DueRow>('claim_due', claimSql, [
    share,
    arrayLiteral([...taken.keys()]),
    arrayLiteral([...taken.values()]),
    limit,
    bounds.tenant_in_flight_max,
    bounds.actuator_in_flight_max,
  ])
  const { line, seenTo, since, kept } = lineOf(found)
  const rows = found.filter(({ action_id }) => action_id !== null)
  await appendChanges(writer, seal(rows.map(dueAction)))
  return {
    after: rows.length < limit ? (seenTo ?? line.at(-1) ?? '') : (rows.at(-1)?.tenant_id ?? ''),
    since,
    more: rows.length === limit || (rows.length > 0 && seenTo !== null),
    passed: rows.length === 0 && seenTo !== null ? line : null,
    bounded: kept || rows.some(row => meetsBound(row, { ...bounds, taken })),
  }
}

interface Line {
  /** Tenants in their turns. */
  line: string[]
  /** The last tenant that was looked at; null where all were. */
  seenTo: string | null
  since: string | null
  /** A bound keeps jobs of theirs. */
  kept: boolean
}

/** Who was lined up: every row tells it, and there is one though nothing was claimed. */
function lineOf([first]: readonly DueRow[]): Line {
  if (!first) throw new Error('the database did not tell who was lined up')
  const { in_line, seen_to, pending_since: since, kept } = first
  return {
    line: in_line === '' ? [] : in_line.split(','),
    seenTo: seen_to === '' ? null : seen_to,
    since,
    kept,
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

/** Tenants with due jobs that one walk comes to. */
const scannedMax = 256

const inLine = `current_setting('action_gate.in_line')`
const pendingSince = `current_setting('action_gate.pending_since')::timestamptz`
const seenTo = `current_setting('action_gate.seen_to')`

/** So much later than it is due a new job may be seen, for its transaction has to commit; what takes longer waits for a sweep. */
const commitSeconds = 2

const due = 'next_run_at >= $3::timestamptz and next_run_at <= now()'

/**
 * The locks are taken in one order everywhere. The claim that follows, in the same round trip, sees what whoever held them
 * before has done, and is told by settings whose locks it has. Tenants that are stopped as a whole do not stand in line.
 */
const lineUpSql = `
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
  select part, tenant_id, pg_advisory_xact_lock(hashtextextended(tenant_id, 4701225003))::text as nothing
  from (select part, tenant_id from first order by tenant_id offset 0) ordered
)
select set_config('action_gate.in_line', coalesce(string_agg(tenant_id || nothing, ',' order by part, tenant_id), ''), true),
  set_config('action_gate.pending_since', $3::timestamptz::text, true),
  set_config('action_gate.seen_to', coalesce((select tenant_id from seen order by full_line desc, part limit 1), ''), true),
  set_config('action_gate.left_out', ((select count(*) from found) > (select count(*) from going))::text, true)
from locked`

/** As of the claim's own statement, which begins when it has the locks. */
const isDue = (job: string): string =>
  `${isPending(job)} and ${job}.next_run_at >= ${pendingSince} and ${job}.next_run_at <= statement_timestamp()`

/**
 * Jobs are taken system by system of a tenant: those that a pause, a freeze or a bound keeps from running are not looked at
 * one by one, however many they are. A freeze of an operation or of a key is looked up for each.
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
  select tenant_id, target_system, coalesce(b.calls, 0) as calls, v.room = 0 or coalesce(b.calls, 0) >= $6::int4 as kept,
    exists (select from freezes f where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null) as in_part
  from systems s join served v using (tenant_id) left join busy b using (tenant_id, target_system)
  where not exists (
    select from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.system = s.target_system, true) and coalesce(f.operation, f.key_id) is null
  )
),
runnable as (
  select x.action_id, s.tenant_id, x.target_system, x.next_run_at, s.turn, x.place, s.calls + x.place as tenant_load,
    x.calls + row_number() over (partition by s.tenant_id, x.target_system order by x.place) as actuator_load
  from served s
  cross join lateral (
    select z.*, g.target_system, g.calls, row_number() over (order by z.next_run_at, z.action_id) as place
    from going g cross join lateral (
      select y.action_id, y.next_run_at from execution_jobs y
      where y.tenant_id = s.tenant_id and y.target_system = g.target_system and ${isDue('y')}
        and not (g.in_part and exists (
          select from actions a where a.action_id = y.action_id and ${frozen('a', ['freeze', 'pause'])}
        ))
      order by y.next_run_at, y.action_id
      limit greatest(0, least(s.room, $6::int4 - g.calls))
    ) z
    where g.tenant_id = s.tenant_id and not g.kept
    order by z.next_run_at, z.action_id
    limit s.room
  ) x
),
chosen as (
  select * from runnable where actuator_load <= $6::int4 order by place, turn limit $4::int4
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
      when ${seenTo} = '' and not current_setting('action_gate.left_out')::boolean
      then (least((select min(next_run_at) from systems), now()) - interval '${commitSeconds} s')::text
    end as pending_since,
    exists (select from going where kept) as kept
) one left join claimed on true
order by place, turn`
