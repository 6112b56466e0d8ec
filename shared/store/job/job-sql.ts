/**
 * Expressions of a `with recursive` that walk over the index of pending jobs (`execution_jobs_due_by_system`) or
 * of unknown outcomes (`execution_jobs_inquiries_by_system`). A walk jumps from one tenant or system to the next,
 * so its cost does not grow with their jobs. The index also evaluates a condition on `next_run_at`, so that the
 * walk visits only tenants and systems with a matching job (a skip scan of PostgreSQL 18).
 */

/**
 * Returns an expression with a row for each system of each tenant: `scanned`, `tenant_id`, `target_system`, and
 * the `next_run_at` of its earliest job. The condition `first` says where the walk begins.
 */
export const walkSystems = (
  name: string,
  systemsMax: number,
  jobs = "state = 'pending'",
  first = 'true',
): string => `
${name} as (
  (${earliest(`${jobs} and ${first}`, 1)})
  union all
  select w.scanned + 1, x.tenant_id, x.target_system, x.next_run_at
  from ${name} w cross join lateral (
    select * from (
      (${earliest(`${jobs} and tenant_id = w.tenant_id and target_system > w.target_system`, 0)})
      union all
      (${earliest(`${jobs} and tenant_id > w.tenant_id`, 0)})
    ) either order by tenant_id limit 1
  ) x
  where w.scanned < ${systemsMax}
)`

const earliest = (jobs: string, scanned: number): string => `
    select ${scanned} as scanned, tenant_id, target_system, next_run_at from execution_jobs
    where ${jobs} order by tenant_id, target_system, next_run_at limit 1`

/** Returns SQL for the milliseconds since the first event of job `j` that meets a condition; null without one. */
export function sinceFirst(condition: string): string {
  return `(
    select extract(epoch from clock_timestamp() - (convert_from(e.event, 'UTF8')::jsonb ->> 'at')::timestamptz)::float8 * 1000
    from action_events e where e.action_id = j.action_id and e.${condition} order by e.sequence limit 1
  )`
}

/** SQL for the hash of the request in the payload `p` of an attempt; null if no hash was recorded. */
export const requestHash = `convert_from(p.payload, 'UTF8')::jsonb #>> '{actuator,request_hash}'`

export const latestAttempt = `
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1`

/**
 * SQL that joins all that a question to a downstream needs about job `j` and action `a`: the latest attempt with
 * deadline and request hash, the proposal, the verdict and the present registration `r`.
 */
export const callToAskAbout = `left join lateral (
  select convert_from(p.payload, 'UTF8')::jsonb ->> 'not_after' as not_after, ${requestHash} as request_hash
  ${latestAttempt}
) latest on true
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system`
