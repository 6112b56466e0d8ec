import type { RegisteredActuator } from '../../shared/contract/actuator.ts'
import type { PolicyInput } from '../../shared/contract/policy.ts'
import type { Proposal } from '../../shared/contract/proposal.ts'

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
