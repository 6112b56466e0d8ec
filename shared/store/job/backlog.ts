import { frozen } from '../action/locked-actions.ts'
import type { Reader } from '../postgres/open.ts'
import { reachedCursorSql, worthMin } from './claim/scan-cursors.ts'
import { walkSystems } from './job-sql.ts'
import { oldestUnknownSql } from './queue-rows.ts'

/** Counts of waiting rows, up to 20,000 each. Ages are in milliseconds, and 0 if no row waits. */
export interface Backlog {
  /** Jobs by state. `unknown` includes the jobs that need an operator. */
  pending: number
  leased: number
  unknown: number
  needs_operator: number
  /**
   * Due pending jobs, and the age of the oldest one that no freeze or pause stops. While claims scan past many
   * stopped jobs, the oldest may be a stopped one.
   */
  due: number
  oldest_due_ms: number
  held: number
  oldest_held_ms: number
  oldest_unknown_ms: number
  /** The largest part of its time to live that any held action has waited, from 0 to 1. */
  hold_used: number
  freezes: number
  workers: number
}

const countMax = 20_000
const systemsMax = 5_000
const looksMax = 20_000
const looksOfSystemMax = 500
const heldMax = 2_000

/** Counts rows up to a limit, by indexes without settled rows, so that the cost does not grow with history. */
export async function measureBacklog(reader: Reader, seenMs: number): Promise<Backlog> {
  const [row] = await reader.query<Backlog>('measure_backlog', measureSql, [seenMs])
  if (!row) throw new Error('the backlog was not measured')
  return row
}

const upTo = (rows: string): string => `(select count(*)::int4 from (${rows} limit ${countMax}) counted)`

const jobs = (condition: string): string => upTo(`select from execution_jobs where ${condition}`)

const milliseconds = (since: string): string =>
  `coalesce(greatest(0, extract(epoch from now() - ${since})::float8 * 1000), 0)`

const measureSql = `
with recursive ${walkSystems('waiting', systemsMax)},
pending as (
  select count(*)::int4 as pending, count(*) filter (where next_run_at <= now())::int4 as due
  from (select next_run_at from execution_jobs where state = 'pending' limit ${countMax}) counted
),
going as (
  select * from waiting s
  where next_run_at <= now() and not exists (
    select from freezes
    where tenant_id = s.tenant_id and coalesce(system = s.target_system, true) and coalesce(operation, key_id) is null
  )
),
placed as (
  select s.*, p.*, greatest(${worthMin}, least(${looksOfSystemMax}, ${looksMax} / greatest(1, count(p.cursor_run_at) over ()))) as looks
  from going s left join lateral (${reachedCursorSql}) p on true
),
oldest as (
  select min(case when s.cursor_run_at is null then s.next_run_at else loose.next_run_at end) as next_run_at
  from placed s left join lateral (
    select next_run_at from (
      select y.action_id, y.next_run_at, row_number() over (order by y.next_run_at, y.action_id) as looked
      from execution_jobs y
      where y.state = 'pending' and y.tenant_id = s.tenant_id and y.target_system = s.target_system and y.next_run_at <= now()
        and y.next_run_at >= s.cursor_run_at and (y.next_run_at, y.action_id) > (s.cursor_run_at, s.cursor_action_id)
      order by y.next_run_at, y.action_id limit s.looks
    ) y
    where looked = s.looks or not exists (
      select from actions a where a.action_id = y.action_id and ${frozen('a', ['freeze', 'pause'])}
    )
    order by next_run_at, action_id limit 1
  ) loose on s.cursor_run_at is not null
),
held as (
  select min(created_at) as since,
    max(extract(epoch from now() - created_at) / greatest(extract(epoch from held_until - created_at), 0.001)) as used
  from (
    select created_at, held_until from actions
    where status = 'pending_approval' order by held_until limit ${heldMax}
  ) first
)
select pending.pending, pending.due, ${jobs("state = 'leased'")} as leased,
  ${jobs("state = 'unknown' and not needs_operator")} + ${jobs('needs_operator')} as unknown,
  ${jobs('needs_operator')} as needs_operator,
  ${milliseconds('oldest.next_run_at')} as oldest_due_ms,
  ${upTo("select from actions where status = 'pending_approval'")} as held,
  ${milliseconds(`${oldestUnknownSql}::timestamptz`)} as oldest_unknown_ms,
  ${milliseconds('held.since')} as oldest_held_ms,
  least(1, greatest(0, coalesce(held.used, 0)))::float8 as hold_used,
  ${upTo('select from freezes')} as freezes,
  ${upTo("select from workers where seen_at >= now() - $1::int8 * interval '1 millisecond'")} as workers
from pending, oldest, held`
