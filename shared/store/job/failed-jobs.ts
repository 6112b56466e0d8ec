import { limits } from '../../contract/base/limits.ts'
import type { QueuedJob, QueueFailures } from '../../contract/service-state-schema.ts'
import type { Reader } from '../postgres/open.ts'
import { isoTime } from '../postgres/sql-text.ts'

/** A condition spelled as in its index. An executed action may also have an error, so queries check the status. */
const ended = "j.state = 'done' and j.last_error is not null"

/**
 * Returns the most frequent reasons of recent failures, from the latest jobs only, so that the cost is bounded.
 */
export async function readFailures(reader: Reader): Promise<QueueFailures[]> {
  return reader.query<QueueFailures>('read_failures', failuresSql, [])
}

const failuresSql = `
select target_system, last_error as code,
  count(*) filter (where next_run_at > now() - interval '5 minutes')::int4 as last_5_minutes,
  count(*)::int4 as last_hour, ${isoTime('max(next_run_at)')} as latest_at
from (
  select a.target_system, j.last_error, j.next_run_at from execution_jobs j join actions a using (action_id)
  where ${ended} and j.next_run_at > now() - interval '1 hour' and a.status = 'execution_failed'
  order by j.next_run_at desc limit ${limits.queue_looked_max}
) failed
group by target_system, last_error order by 3 desc, 4 desc, 1, 2 limit 50`

export interface FailedPage {
  tenant_id: string | null
  limit: number
  after: string | null
}

const scannedMax = 10_000

/**
 * Lists failed jobs, the last ended first. A page of one tenant may have fewer than `limit` jobs before the end,
 * because it examines at most 10,000 jobs.
 */
export async function listFailed(
  reader: Reader,
  { tenant_id, limit, after }: FailedPage,
): Promise<{ jobs: QueuedJob[]; next: string | null }> {
  const [row] = await reader.query<{ jobs: QueuedJob[]; scanned_to: string | null }>(
    'list_failed_jobs',
    listSql,
    [after, limit + 1, tenant_id],
  )
  const { jobs: read = [], scanned_to = null } = row ?? {}
  const jobs = read.slice(0, limit)
  return { jobs, next: read.length > limit ? (jobs.at(-1)?.action_id ?? null) : scanned_to }
}

const scanned = `
  select * from execution_jobs j
  where ${ended} and ($1::text is null or (j.next_run_at, j.action_id) < (
    select b.next_run_at, b.action_id from execution_jobs b where b.action_id = $1
  ))
  order by j.next_run_at desc, j.action_id desc limit ${scannedMax}`

/** Examines jobs in order until the page is full. `scanned_to` is the last of 10,000 jobs that did not fill it. */
const listSql = `
with page as materialized (
  select j.action_id, j.tenant_id, a.target_system, a.operation, a.status, j.state, j.attempt, j.max_attempts,
    ${isoTime('j.next_run_at')} as next_run_at, j.lease_owner, null as lease_expires_at, j.rounds as lookups,
    j.needs_operator, false as stopped, j.last_error, ${isoTime('a.created_at')} as created_at,
    ${isoTime('a.updated_at')} as updated_at
  from (${scanned}) j join actions a using (action_id)
  where a.status = 'execution_failed' and ($3::text is null or j.tenant_id = $3)
  order by j.next_run_at desc, j.action_id desc limit $2::int4
)
select coalesce((select json_agg(page order by next_run_at desc, action_id desc) from page), '[]') as jobs,
  case when (select count(*) from page) < $2::int4 then (
    select (array_agg(action_id order by next_run_at, action_id))[1] from (${scanned}) s having count(*) = ${scannedMax}
  ) end as scanned_to`
