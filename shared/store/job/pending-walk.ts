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
