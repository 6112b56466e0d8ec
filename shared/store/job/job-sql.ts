/**
 * Walks over the index of pending jobs (`execution_jobs_due_by_system`) or of unknown outcomes
 * (`execution_jobs_inquiries_by_system`), as expressions of a `with recursive`: from one
 * tenant, or one system of a tenant, to the next that has such jobs, however many it has. Conditions on `next_run_at` are
 * part of the index, so that a walk comes to none whose jobs do not meet them (a skip scan of PostgreSQL 18).
 */

/**
 * Systems of all tenants (from one, where `first` says so), each with its earliest job: `scanned`, `tenant_id`,
 * `target_system`, `next_run_at`.
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

/** SQL: milliseconds since the first event of the action of job `j` that meets a condition; null where there is none. */
export function sinceFirst(condition: string): string {
  return `(
    select extract(epoch from clock_timestamp() - (convert_from(e.event, 'UTF8')::jsonb ->> 'at')::timestamptz)::float8 * 1000
    from action_events e where e.action_id = j.action_id and e.${condition} order by e.sequence limit 1
  )`
}

/** SQL: of a payload `p` of an attempt, how the downstream was asked for it; null where that is not recorded. */
export const requestHash = `convert_from(p.payload, 'UTF8')::jsonb #>> '{actuator,request_hash}'`

/** SQL: the payload `p` of the latest attempt of the action of job `j`. */
export const latestAttempt = `
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1`

/**
 * SQL: beside job `j` and its action `a`, the call of its latest attempt as a downstream is asked about it: `latest`, with the
 * end of its time and how it was asked for, `proposal`, `verdict`, and the registration `r` of today.
 */
export const callToAskAbout = `left join lateral (
  select convert_from(p.payload, 'UTF8')::jsonb ->> 'not_after' as not_after, ${requestHash} as request_hash
  ${latestAttempt}
) latest on true
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system`
