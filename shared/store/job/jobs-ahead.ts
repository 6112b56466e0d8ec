import { limits } from '../../contract/base/limits.ts'
import type { Reader } from '../postgres/open.ts'

/** How many jobs of its system are to run before that of an action, `jobs_ahead_max` at most; null where it does not wait. */
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
