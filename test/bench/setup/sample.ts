import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { Catalog } from '../../../shared/contract/configuration/catalog.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'

/** The system that every proposal of the benchmark is for. */
export const sampleSystem = 'payments'

export const sampleActuators: readonly RegisteredActuator[] = [
  { name: sampleSystem, kind: 'mock', settings: {} },
]

export function operationName(at: number): string {
  return `refund_${at}`
}

/** A policy with so many operations, each under the same four constraints. */
export function samplePolicy(operations: number): PolicyInput {
  const names = Array.from({ length: operations }, (_, at) => operationName(at))
  const constraints = {
    amount: { min: 0.01, max: 50 },
    currency: { one_of: ['EUR', 'GBP', 'USD'] },
    mode: { equals: 'standard' },
    'order.id': {},
  }
  return {
    allowed_systems: [sampleSystem],
    allowed_operations: { [sampleSystem]: names },
    parameter_constraints: { [sampleSystem]: Object.fromEntries(names.map(name => [name, constraints])) },
    approval_required_at: 'high',
    review_route: 'support-leads',
  }
}

/** A catalog with so many operations, each with a closed schema of its own that the sample proposal meets. */
export function sampleCatalog(operations: number): Catalog {
  const item = {
    type: 'object',
    properties: {
      sku: { type: 'string', pattern: '^[A-Z]+-[0-9]+$' },
      quantity: { type: 'integer', minimum: 1 },
    },
    required: ['sku', 'quantity'],
    additionalProperties: false,
  }
  const order = {
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 100 },
      placed_at: { type: 'string' },
      items: { type: 'array', items: item, maxItems: 50 },
    },
    required: ['id'],
    additionalProperties: false,
  }
  return {
    operations: Array.from({ length: operations }, (_, at) => ({
      system: sampleSystem,
      operation: operationName(at),
      title: `Refund ${at}`,
      parameter_schema: {
        type: 'object',
        properties: {
          amount: { type: 'number', exclusiveMinimum: 0, maximum: 1_000 + at },
          currency: { enum: ['EUR', 'GBP', 'USD'] },
          mode: { const: 'standard' },
          order,
          note: { type: 'string', maxLength: 500 },
        },
        required: ['amount', 'currency', 'mode', 'order'],
        additionalProperties: false,
      },
      minimum_risk: 'low',
      effects: ['moves money'],
      reversibility: 'compensatable',
      actuator: { name: sampleSystem, kind: 'mock' },
      idempotency: 'key_honoured',
      tool_schema_hash: null,
    })),
  }
}

/** An allowed proposal of about 770 bytes as JSON. */
export function sampleProposal(id: string, operation: string): Proposal {
  return {
    proposal_id: id,
    actor: { agent_id: 'support-agent-7', run_id: 'run-2025-11-20-000184-retry-2' },
    summary:
      'Refund 20 EUR for order 1001: it arrived with a broken handle, the customer sent two photographs and asked for the money back rather than for a replacement.',
    action: {
      target_system: sampleSystem,
      operation,
      parameters: {
        amount: 20,
        currency: 'EUR',
        mode: 'standard',
        order: {
          id: 'order-1001',
          placed_at: '2025-11-12T09:30:00Z',
          items: [{ sku: 'KETTLE-17', quantity: 1 }],
        },
        note: 'damaged on arrival, photographs are attached to ticket 4711 of the helpdesk, warehouse informed',
      },
      rollback_plan: 'Charge the amount again with the consent of the customer, within thirty days.',
    },
    risk: { level: 'low', blast_radius: 'one customer, 20 EUR' },
  }
}
