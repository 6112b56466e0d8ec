/** The environment of all API and worker processes of a run: short times, so that much happens in a minute. */
export const settings = {
  SERVICE_LEASE_MS: '1500',
  SERVICE_SWEEP_MS: '300',
  SERVICE_EXECUTION_MS_MAX: '1000',
  SERVICE_RETRY_MS_MIN: '100',
  SERVICE_RETRY_MS_MAX: '2000',
  // What had no effect is tried again for this long: beyond every outage of a run, within the wait for its end.
  SERVICE_EXECUTE_WITHIN_MS: '20000',
  SERVICE_RECONCILE_MS_MIN: '50',
  SERVICE_RECONCILE_MS_MAX: '20000',
  SERVICE_STATEMENT_MS_MAX: '2000',
  SERVICE_SHUTDOWN_MS_MAX: '3000',
  SERVICE_APPROVAL_TTL_MS: '15000',
  SERVICE_APPROVE_WAIT_MS: '0',
  SERVICE_POOL_SIZE: '4',
  SERVICE_RATE_LIMIT: '1000000',
  SERVICE_AUTH_FAILURE_LIMIT: '1000000',
  SERVICE_WORKER_PORT: '0',
  SERVICE_QUEUE_PREFIX: 'chaos',
} as const

export const apiNames = ['api 1', 'api 2'] as const
export const workerNames = ['worker 1', 'worker 2', 'worker 3'] as const
export const tenantIds = ['north', 'east', 'south', 'west', 'middle'] as const

const policy = {
  allowed_systems: ['chaos_keyed', 'chaos_plain'],
  allowed_operations: { chaos_keyed: ['write'], chaos_plain: ['write'] },
  approval_required_at: 'high',
  review_route: 'operations',
}

/** The file of `--config`. */
export const configuration = {
  tenants: tenantIds.map(tenant_id => ({
    tenant_id,
    policy,
    actuators: [
      { name: 'chaos_keyed', kind: 'module' },
      { name: 'chaos_plain', kind: 'module' },
    ],
  })),
}
