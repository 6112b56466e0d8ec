import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { AdmissionCatalog } from '../../../shared/contract/configuration/admission.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import type { McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import type { NormalizedConstraint, Policy } from '../../../shared/contract/configuration/policy.ts'
import type { AdmissionInput } from '../../../shared/policy-analysis/admit/admit-input.ts'

/** A tenant without a hole: one operation that a person decides, one that only reads. */
export function soundTenant(): AdmissionInput {
  return {
    policy: soundPolicy,
    catalog: {
      operations: [entry({ operation: 'list', effects: ['none'], minimum_risk: 'low' }), entry({})],
    },
    mode: 'strict',
    actuators: [payments({})],
    tools: [],
    review: { author: 'adk_one', reviewer: 'adk_other', age_ms: 3_600_000 },
    routes: [routeOf(1, ['name:ada'])],
    deployment: {
      signing: true,
      durable: true,
      worker_seen: true,
      approvers: 1,
      retry_horizon_ms: 3_600_000,
    },
  }
}

/** The route of the policy, which takes so many approvals of people of the support. */
export function routeOf(
  approvals: number,
  support: readonly string[],
  others: { approvals: number; people: readonly string[] } | null = null,
): AdmissionInput['routes'][number] {
  const security = others ? [{ group: 'security', approvals: others.approvals }] : []
  return {
    name: 'support-leads',
    required: [{ group: 'support', approvals }, ...security],
    members: new Map([
      ['support', support],
      ['security', others?.people ?? []],
    ]),
  }
}

export const soundPolicy: Policy = {
  allowed_systems: ['payments'],
  allowed_operations: { payments: ['list', 'refund'] },
  parameter_constraints: { payments: { refund: { amount: { required: true, max: 50 } } } },
  approval_required_at: 'medium',
  review_route: 'support-leads',
}

export type Entry = AdmissionCatalog['operations'][number]

export function entry(change: Partial<Entry>): Entry {
  return {
    system: 'payments',
    operation: 'refund',
    title: 'Refund a customer',
    parameter_schema: objectOf({
      amount: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
      currency: { type: 'string', enum: ['EUR', 'GBP', 'USD'] },
      order: objectOf({ id: { type: 'string', maxLength: 100 } }),
    }),
    minimum_risk: 'medium',
    effects: ['money leaves the account of the shop'],
    reversibility: 'compensatable',
    actuator: { name: 'payments', kind: 'http' },
    idempotency: 'key_honoured',
    tool_schema_hash: null,
    ...change,
  }
}

export function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  }
}

export function payments(change: Partial<HttpSettings>): RegisteredActuator {
  const settings: HttpSettings = {
    base_url: 'https://payments.example',
    idempotency: 'key_honoured',
    key_retention_ms: 7 * 24 * 3_600_000,
    operations: { list: { method: 'GET', path: '/list' }, refund: { method: 'POST', path: '/refunds' } },
    lookup: { method: 'GET', path: '/refunds/{idempotency_key}', executed: [200] },
    ...change,
  }
  return { name: 'payments', kind: 'http', settings }
}

export function mcpPayments(
  tool_schema_hash?: string,
  change: Partial<McpSettings> = {},
): RegisteredActuator {
  const tool = tool_schema_hash === undefined ? {} : { tool_schema_hash }
  return {
    name: 'payments',
    kind: 'mcp',
    settings: {
      transport: { type: 'stdio', server: 'payments' },
      idempotency: 'key_honoured',
      tools: { list: tool, refund: tool },
      ...change,
    },
  }
}

/** The sound tenant with other entries in its catalog, each for one of the two operations. */
export function withEntries(...operations: Partial<Entry>[]): AdmissionInput {
  return { ...soundTenant(), catalog: { operations: operations.map(entry) } }
}

export function withPolicy(change: Partial<Policy>): AdmissionInput {
  return { ...soundTenant(), policy: { ...soundPolicy, ...change } }
}

/** The sound tenant with other constraints on refunds. */
export function withConstraints(byPath: Record<string, NormalizedConstraint>): AdmissionInput {
  return withPolicy({ parameter_constraints: { payments: { refund: byPath } } })
}

export function withDeployment(change: Partial<AdmissionInput['deployment']>): AdmissionInput {
  const sound = soundTenant()
  return { ...sound, deployment: { ...sound.deployment, ...change } }
}

/** The operation that only reads. */
export const list: Partial<Entry> = { operation: 'list', effects: ['none'], minimum_risk: 'low' }
export const refund = { system: 'payments', operation: 'refund' }
export const mock = { name: 'payments', kind: 'mock', settings: {} } as const

/** What a reviewer has not finished. */
export function unfinished(): Entry {
  const { minimum_risk, effects, reversibility, ...rest } = entry({})
  return rest
}

/** A tenant with a hole of every code. */
export function badTenant(): AdmissionInput {
  const open = { parameter_schema: { type: 'object' } }
  const operations = [
    entry({ operation: 'erase', minimum_risk: 'low', reversibility: 'irreversible' }),
    entry({ operation: 'open', ...open }),
    entry({
      operation: 'odd',
      parameter_schema: objectOf({ a: { type: 'string', pattern: '^[ab]*b[ab]{12}$' } }),
    }),
    entry({
      operation: 'never',
      parameter_schema: objectOf({ a: { type: 'number', minimum: 5, maximum: 4 } }),
    }),
    entry({ operation: 'refund', minimum_risk: 'low', idempotency: 'none' }),
    entry({
      operation: 'stuck',
      effects: [],
      minimum_risk: 'low',
      tool_schema_hash: `sha256:${'a'.repeat(64)}`,
    }),
    entry({ system: 'elsewhere', operation: 'idle' }),
  ]
  return {
    policy: {
      allowed_systems: ['anything', 'helpdesk', 'payments'],
      allowed_operations: {
        helpdesk: ['reply'],
        payments: ['erase', 'never', 'odd', 'open', 'refund', 'stuck', 'unreviewed'],
      },
      parameter_constraints: {
        payments: {
          refund: { amount: { required: true, max: 1_000 }, missing: { required: false, equals: 1 } },
          stuck: { amount: { required: true, min: 200 } },
        },
      },
      approval_required_at: 'high',
      review_route: 'nobody',
    },
    catalog: { operations },
    mode: 'strict',
    actuators: [
      payments({ idempotency: 'key_honoured', key_retention_ms: 1_000, lookup: undefined }),
      { name: 'helpdesk', kind: 'mock', settings: {} },
      { name: 'idle', kind: 'mock', settings: {} },
    ],
    tools: [],
    review: { author: 'adk_one', reviewer: 'adk_one', age_ms: 0 },
    routes: [],
    deployment: {
      signing: false,
      durable: false,
      worker_seen: false,
      approvers: 0,
      retry_horizon_ms: 3_600_000,
    },
  }
}
