import { limits } from '../../contract/base/limits.ts'
import type { ToolHealth } from '../../contract/configuration/tool-health-schema.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { isoTime } from '../postgres/sql-text.ts'

export interface HealthWanted {
  tenant_id: string
  system: string
  from_id: string
}

/** `since` is null if every action was examined. */
export type StoredHealth = Pick<
  ToolHealth,
  'executed' | 'failed' | 'unknown' | 'latency' | 'hours' | 'operations' | 'failures' | 'waiting'
> & { since: string | null }

export async function readHealthRows(
  reader: Reader,
  { tenant_id, system, from_id }: HealthWanted,
): Promise<StoredHealth> {
  const [row] = await reader.query<StoredHealth>('read_tool_health', healthSql, [tenant_id, system, from_id])
  if (!row) throw new Error('the health of a tool has no row')
  return row
}

const listedMax = 100

const actionsMax = limits.health_actions_max

/**
 * Takes the tenant's newest ended actions of all systems. Ids grow with time, so that the index by status has the
 * actions in order and a single bound limits the query.
 */
const lookedSql = `
looked as materialized (
  select a.*, row_number() over (order by a.action_id desc) as place from (
    select a.* from unnest(array['executed', 'execution_failed', 'outcome_unknown']) s(status)
    cross join lateral (
      select action_id, target_system, operation, status, event_count, created_at, updated_at from actions
      where tenant_id = $1 and status = s.status and action_id collate "C" >= $3
      order by action_id collate "C" desc limit ${actionsMax + 1}
    ) a
    order by a.action_id desc limit ${actionsMax + 1}
  ) a
),
ended as materialized (
  select * from looked where target_system = $2 and place <= ${actionsMax}
)`

/**
 * Measures the last call of each action, from its attempt event to the outcome right after it. Calls with a lost
 * lease count as well. An outcome without a call, or one that was found out later, is left out.
 */
const callsSql = `
calls as materialized (
  select newest.operation, c.ms from (
    select action_id, operation, event_count, updated_at from ended order by action_id desc limit ${limits.health_calls_max}
  ) newest
  cross join lateral ${optimizationFence(`
    select greatest(0, extract(epoch from newest.updated_at
      - (convert_from(e.event, 'UTF8')::json ->> 'at')::timestamptz) * 1000)::float8 as ms
    from action_events e
    where e.action_id = newest.action_id and e.sequence = newest.event_count - 2 and e.kind = 'execution_attempt'
  `)} c
)`

const endedCounts = `
  count(*) filter (where status = 'executed')::int4 as executed,
  count(*) filter (where status = 'execution_failed')::int4 as failed,
  count(*) filter (where status = 'outcome_unknown')::int4 as unknown`

const latencyOf = (condition: string): string => `(
  select case when count(*) > 0 then json_build_object(
    'calls', count(*),
    'p50_ms', percentile_disc(0.5) within group (order by ms),
    'p95_ms', percentile_disc(0.95) within group (order by ms)
  ) end from calls ${condition}
)`

const hoursSql = `(
  select coalesce(json_agg(h order by at), '[]') from (
    select ${isoTime("date_trunc('hour', updated_at)")} as at, ${endedCounts} from ended group by 1
  ) h
)`

const operationsSql = `(
  select coalesce(json_agg(json_build_object(
    'operation', operation, 'executed', executed, 'failed', failed, 'unknown', unknown,
    'latency', ${latencyOf('where calls.operation = busiest.operation')}
  ) order by count desc, operation), '[]') from (
    select operation, count(*), ${endedCounts} from ended group by operation order by 2 desc, 1 limit ${listedMax}
  ) busiest
)`

/** Counts failures by the job's last error, because the error stays on the job after the action ends. */
const failuresSql = `(
  select coalesce(json_agg(f order by count desc, operation, code), '[]') from (
    select e.operation, j.last_error as code,
      case e.status when 'outcome_unknown' then 'unknown' else 'failed' end as outcome, count(*)::int4 as count
    from ended e cross join lateral ${optimizationFence(
      'select last_error from execution_jobs where action_id = e.action_id',
    )} j
    where e.status <> 'executed' and j.last_error is not null
    group by 1, 2, 3 order by 4 desc, 1, 2 limit ${listedMax}
  ) f
)`

const waitingSql = `(
  select coalesce(json_agg(w order by count desc, code), '[]') from (
    select last_error as code, count(*)::int4 as count from (
      select last_error from execution_jobs
      where state = 'pending' and tenant_id = $1 and target_system = $2
      order by next_run_at limit ${limits.queue_looked_max}
    ) first group by 1
  ) w
)`

const healthSql = `
with ${lookedSql}, ${callsSql}
select ${endedCounts},
  (select ${isoTime('created_at')} from looked where place = ${actionsMax} and exists (
    select from looked where place > ${actionsMax}
  )) as since,
  ${latencyOf('')} as latency, ${hoursSql} as hours, ${operationsSql} as operations, ${failuresSql} as failures,
  ${waitingSql} as waiting
from ended`
