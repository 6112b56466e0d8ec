/**
 * Walks over the index of pending jobs (`execution_jobs_due_by_system`) or of unknown outcomes
 * (`execution_jobs_inquiries_by_system`), as expressions of a `with recursive`: from one
 * tenant, or one system of a tenant, to the next that has such jobs, however many it has. Conditions on `next_run_at` are
 * part of the index, so that a walk comes to none whose jobs do not meet them (a skip scan of PostgreSQL 18).
 */

/**
 * Pending, as that index says it and no other: by one that is in the order of time the planner would read all that a pause
 * keeps.
 */
export const isPending = (job: string): string => `${job}.state between 'pending' and 'pending'`

/** Unknown and not left to an operator, as the index of these by their systems says it and no other. */
export const isReconcileAttempt = (job: string): string =>
  `${job}.state between 'unknown' and 'unknown' and not ${job}.needs_operator`

/** What a list of a state says so that the index of such lists serves it, and no claim says. */
export const isOpen = "(state <> 'done') is true"

/** Tenants in their order: `scanned` (from one), `tenant_id`. `first` and `next` say of which jobs. */
export const walkTenants = (name: string, first: string, next: string, tenantsMax: number): string => `
${name} as (
  (
    select 1 as scanned, tenant_id from execution_jobs y
    where ${isPending('y')} and ${first} order by tenant_id limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id
  from ${name} w cross join lateral (
    select tenant_id from execution_jobs y
    where ${isPending('y')} and tenant_id > w.tenant_id and ${next} order by tenant_id limit 1
  ) x
  where w.scanned < ${tenantsMax}
)`

/**
 * Systems of all tenants (from one, where `first` says so), each with its earliest job: `scanned`, `tenant_id`,
 * `target_system`, `next_run_at`.
 */
export const walkSystems = (name: string, systemsMax: number, is = isPending, first = 'true'): string => `
${name} as (
  (${earliest(is, first, 1)})
  union all
  select w.scanned + 1, x.tenant_id, x.target_system, x.next_run_at
  from ${name} w cross join lateral (
    select * from (
      (${earliest(is, 'tenant_id = w.tenant_id and target_system > w.target_system', 0)})
      union all
      (${earliest(is, 'tenant_id > w.tenant_id', 0)})
    ) either order by tenant_id limit 1
  ) x
  where w.scanned < ${systemsMax}
)`

const earliest = (is: typeof isPending, condition: string, scanned: number): string => `
    select ${scanned} as scanned, tenant_id, target_system, next_run_at from execution_jobs y
    where ${is('y')} and ${condition} order by tenant_id, target_system, next_run_at limit 1`
