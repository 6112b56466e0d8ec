import { limits } from '../../contract/base/limits.ts'
import type { jobViews, QueuedJob } from '../../contract/service-state-schema.ts'
import { frozen } from '../action/locked-actions.ts'
import type { Reader } from '../postgres/open.ts'
import { isOpen } from '../postgres/planner.ts'
import { isoTime } from '../postgres/sql-text.ts'

export type JobView = Exclude<(typeof jobViews)[number], 'failed'>

export interface JobPage {
  view: JobView
  tenant_id: string | null
  limit: number
  after: string | null
}

const scannedMax = 10_000

/**
 * Lists a page of a view. `next` begins the next page, and is null at the end. A page may have fewer than `limit`
 * jobs before the end, because it examines at most 10,000 jobs.
 */
export async function listJobs(
  reader: Reader,
  { view, tenant_id, limit, after }: JobPage,
): Promise<{ jobs: QueuedJob[]; next: string | null }> {
  const name = `list_jobs_${view}${tenant_id === null ? '' : '_of_tenant'}`
  const text = listSql(view, tenant_id !== null)
  const of = tenant_id === null ? [] : [tenant_id]
  const [row] = await reader.query<{ jobs: QueuedJob[]; scanned_to: string | null }>(name, text, [
    after ?? '',
    limit + 1,
    ...of,
  ])
  const { jobs: read = [], scanned_to = null } = row ?? {}
  const jobs = read.slice(0, limit)
  return { jobs, next: read.length > limit ? (jobs.at(-1)?.action_id ?? null) : scanned_to }
}

const stopped = frozen('a', ['freeze', 'pause'])

const views: Readonly<Record<JobView, { state: OpenState; condition: string }>> = {
  due: { state: 'pending', condition: 's.next_run_at <= now()' },
  later: { state: 'pending', condition: 's.next_run_at > now()' },
  leased: { state: 'leased', condition: 'true' },
  unknown: { state: 'unknown', condition: 'not s.needs_operator' },
  needs_operator: { state: 'unknown', condition: 's.needs_operator' },
  stopped: {
    state: 'pending',
    condition: `s.next_run_at <= now() and exists (select from freezes f where f.tenant_id = s.tenant_id) and ${stopped}`,
  },
}

/** The action's status for each state of its job, because both change together (specification.md#states). */
const actionStatus = {
  pending: 'execution_pending',
  leased: 'executing',
  unknown: 'outcome_unknown',
} as const

type OpenState = keyof typeof actionStatus

const everyTenants = (state: OpenState): string => `
  select *, action_id collate "C" as place from execution_jobs
  where state = '${state}' and ${isOpen} and action_id collate "C" > $1 order by place limit ${scannedMax}`

const ofTenant = (state: OpenState): string => `
  select j.*, a.place from (
    select action_id, action_id collate "C" as place from actions
    where tenant_id = $3 and status = '${actionStatus[state]}' and action_id collate "C" > $1
    order by place limit ${scannedMax}
  ) a join execution_jobs j using (action_id) order by a.place`

function listSql(view: JobView, isOfTenant: boolean): string {
  const { state, condition } = views[view]
  const scanned = isOfTenant ? ofTenant(state) : everyTenants(state)
  return `
with page as materialized (
  select s.action_id, s.tenant_id, a.target_system, a.operation, a.status, s.state, s.attempt, s.max_attempts + s.uncounted as max_attempts,
    ${isoTime('s.next_run_at')} as next_run_at, s.lease_owner, ${isoTime('s.lease_expires_at')} as lease_expires_at,
    s.rounds as lookups, s.needs_operator, s.state = 'pending' and ${stopped} as stopped, s.last_error,
    ${isoTime('a.created_at')} as created_at, ${isoTime('a.updated_at')} as updated_at
  from (${scanned}) s join actions a using (action_id)
  where ${condition}
  order by s.place limit $2::int4
)
select coalesce((select json_agg(page order by action_id collate "C") from page), '[]') as jobs,
  case when (select count(*) from page) < $2::int4 then (
    select max(place) from (${scanned}) s having count(*) = ${scannedMax}
  ) end as scanned_to`
}

/**
 * Returns the number of the system's jobs before this action's job, `jobs_ahead_max` at most; null if not pending.
 */
export async function jobsAhead(reader: Reader, tenantId: string, actionId: string): Promise<number | null> {
  const [row] = await reader.query<{ ahead: number }>('jobs_ahead', aheadSql, [
    tenantId,
    actionId,
    limits.jobs_ahead_max,
  ])
  return row?.ahead ?? null
}

const aheadSql = `
select (
  select count(*)::int4 from (
    select from execution_jobs j
    where j.tenant_id = $1 and j.target_system = own.target_system and j.state = 'pending'
      and (j.next_run_at, j.action_id) < (own.next_run_at, own.action_id)
    limit $3::int4
  ) before
) as ahead
from execution_jobs own where own.action_id = $2 and own.tenant_id = $1 and own.state = 'pending'`
