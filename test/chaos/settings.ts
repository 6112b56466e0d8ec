import { realSystems } from './check/evidence.ts'
import { type RealHashes, realRegistrations } from './real/real-systems.ts'

/** The environment of all API and worker processes of a run: short times, so that much happens in a minute. */
export const settings = {
  SERVICE_LEASE_MS: '2000',
  SERVICE_SWEEP_MS: '300',
  SERVICE_EXECUTION_MS_MAX: '1200',
  SERVICE_RETRY_MS_MIN: '100',
  SERVICE_RETRY_MS_MAX: '2000',
  // What had no effect is tried again for this long: beyond every outage of a run, within the wait for its end.
  SERVICE_EXECUTE_WITHIN_MS: '30000',
  SERVICE_RECONCILE_MS_MIN: '50',
  SERVICE_RECONCILE_MS_MAX: '20000',
  SERVICE_STATEMENT_MS_MAX: '2500',
  SERVICE_SHUTDOWN_MS_MAX: '3000',
  SERVICE_APPROVAL_TTL_MS: '15000',
  SERVICE_APPROVE_WAIT_MS: '0',
  SERVICE_POOL_SIZE: '4',
  SERVICE_RATE_LIMIT: '1000000',
  SERVICE_AUTH_FAILURE_LIMIT: '1000000',
  SERVICE_HOSTED_ACCOUNTS: 'true',
  SERVICE_LOGIN_LIMIT: '1000000',
  SERVICE_LOGIN_ACCOUNT_LIMIT: '1000000',
  SERVICE_WORKER_PORT: '0',
  SERVICE_QUEUE_PREFIX: 'chaos',
  SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 3).toString('base64'),
} as const

export const apiNames = ['api 1', 'api 2'] as const
export const workerNames = ['worker 1', 'worker 2', 'worker 3'] as const
export const tenantIds = ['north', 'east', 'south', 'west', 'middle'] as const
/** The tenant whose held actions take two approvers. */
export const quorumTenant: (typeof tenantIds)[number] = 'middle'

/** The tenant whose held actions take one approval of each of two groups, or of who helps. */
export const routeTenant: (typeof tenantIds)[number] = 'west'
/** Groups by the approver that each of them has, in the order of their keys; the last one is asked when nobody decided. */
export const routeGroups = ['first-line', 'second-line'] as const
export const route = {
  required: routeGroups.map(group => ({ group, approvals: 1 })),
  decide_within_ms: 15_000,
  escalate: { after_ms: 5_000, group: 'second-line' },
}

/** Whose actions call programs: each worker starts one for each tenant, which costs it a second of the machine. */
export const programTenant: (typeof tenantIds)[number] = 'north'

/** The tenant about whose accepted operations the downstream answers no question. */
export const hangingTenant: (typeof tenantIds)[number] = 'south'

export const systems = [
  'chaos_keyed',
  'chaos_plain',
  'http_keyed',
  'http_plain',
  'http_loose',
  'http_later',
  'mcp_keyed',
  ...realSystems,
] as const
export type System = (typeof systems)[number]

export const policy = {
  allowed_systems: systems,
  allowed_operations: Object.fromEntries(systems.map(system => [system, ['write', 'broken']])),
  approval_required_at: 'high',
  review_route: 'operations',
}

/** Of the application of the organization: people decide everything of high risk. */
export const heldPolicy = {
  allowed_systems: ['crm'],
  approval_required_at: 'high',
  review_route: 'people',
}

/** What the actuators of the product need to know of the downstream. */
export interface Downstream {
  /** Of the link that leads to it. */
  port: number
  /** Commitment to the definition of its tool. */
  toolHash: string
  /** The same for the servers that nobody here wrote. */
  realHashes: RealHashes
}

/** The file of `--config`. */
export function configuration(downstream: Downstream) {
  return {
    tenants: tenantIds.map(tenant_id => ({
      tenant_id,
      policy: tenant_id === quorumTenant ? { ...policy, approvals_required: 2 } : policy,
      actuators: registrations(downstream, 1),
    })),
  }
}

const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
}

/** What the downstream accepts, and ends later: it is asked, and calls back, or not. */
function later(registration: HttpRegistration): object {
  const { settings } = registration
  const write = {
    ...settings.operations.write,
    headers: { ...settings.operations.write.headers, 'X-Notify': '{callback_url}' },
    completion: { poll: { ...ends, interval_ms: 700 }, callback: ends, deadline_ms: 10_000 },
  }
  return { ...registration, settings: { ...settings, operations: { write } } }
}

interface HttpRegistration {
  settings: { operations: { write: { headers: object } } }
}

/** The actuators of a tenant; those of another generation call other paths of the downstream of our own making. */
export function registrations({ port, toolHash, realHashes }: Downstream, generation: number): object[] {
  const base_url = `http://127.0.0.1:${port}`
  const http = (name: string, more: object) => ({
    name: `http_${name}`,
    kind: 'http',
    settings: {
      base_url,
      timeout_ms: 1_100,
      operations: {
        write: {
          method: 'POST',
          path: `/http/${name}/generation-${generation}`,
          headers: { 'X-Action': '{action_id}', 'X-Tenant': '{tenant_id}' },
          statuses: { busy: [503, 410] },
        },
      },
      ...more,
    },
  })
  const keyed = { idempotency: 'key_honoured', key_retention_ms: 15_000 }
  const punctual = { not_after_header: 'X-Not-After', absence_proves_after_ms: 500 }
  const lookup = {
    method: 'GET',
    path: '/lookup',
    query: { key: '{idempotency_key}' },
    executed: [200],
    state: { path: 'found', executed: ['executed'], failed: ['failed'] },
  }
  return [
    { name: 'chaos_keyed', kind: 'module' },
    { name: 'chaos_plain', kind: 'module' },
    http('keyed', { ...keyed, ...punctual, lookup }),
    http('plain', { ...punctual, lookup }),
    http('loose', keyed),
    later(http('later', { ...keyed, lookup })),
    {
      name: 'mcp_keyed',
      kind: 'mcp',
      settings: {
        transport: { type: 'streamable_http', url: `${base_url}/mcp` },
        ...keyed,
        tools: { write: { tool_schema_hash: toolHash, error_means_nothing_done: true } },
        timeout_ms: 1_100,
      },
    },
    ...realRegistrations(base_url, realHashes),
  ]
}
