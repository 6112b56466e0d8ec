import type { OperationAccess } from '../access/access-schema.ts'
import type { Proposal } from '../action/proposal-schema.ts'
import type { CatalogOperation } from '../configuration/catalog.ts'
import type { Policy, PolicyInput } from '../configuration/policy.ts'

/** The policy of the story that all examples tell: a web shop lets an agent refund up to 50. */
export const examplePolicy: PolicyInput = {
  allowed_systems: ['payments'],
  allowed_operations: { payments: ['refund'] },
  parameter_constraints: { payments: { refund: { amount: { max: 50 } } } },
  approval_required_at: 'medium',
  review_route: 'support-leads',
}

export const exampleNormalizedPolicy: Policy = {
  allowed_operations: { payments: ['refund'] },
  allowed_systems: ['payments'],
  approval_required_at: 'medium',
  parameter_constraints: { payments: { refund: { amount: { max: 50, required: true } } } },
  review_route: 'support-leads',
}

export const examplePolicyHash = 'sha256:4f71e4df0de3c13d834e7427eafe5114e91289417b57c8d4935fb4c4b3da49f0'

export const draftPolicy: PolicyInput = { ...examplePolicy, approval_required_at: 'high' }
export const draftNormalizedPolicy: Policy = { ...exampleNormalizedPolicy, approval_required_at: 'high' }
export const draftPolicyHash = 'sha256:3c0752777413e3db8f7c2a1941d96fadbff9f74e0d828033fae1ffe611511e65'

export const smallRefund = refund('refund-1001', 20, 'low')
export const mediumRefund = refund('refund-1002', 45, 'medium')
export const excessiveRefund = refund('refund-1003', 900, 'low')

function refund(id: string, amount: number, level: Proposal['risk']['level']): Proposal {
  return {
    proposal_id: id,
    actor: { agent_id: 'support-agent', run_id: 'ticket-4711' },
    summary: `Refund ${amount} EUR for an order that arrived damaged`,
    action: {
      target_system: 'payments',
      operation: 'refund',
      parameters: { amount, currency: 'EUR', order: { id: 'order-1001' } },
      rollback_plan: 'Charge the amount again with the customer’s consent',
    },
    risk: { level, blast_radius: `one customer, ${amount} EUR` },
  }
}

export const exampleOperation: CatalogOperation = {
  system: 'payments',
  operation: 'refund',
  title: 'Refund a customer',
  parameter_schema: {
    type: 'object',
    properties: {
      amount: { type: 'number', exclusiveMinimum: 0 },
      currency: { type: 'string', enum: ['EUR', 'GBP', 'USD'] },
      order: {
        type: 'object',
        properties: { id: { type: 'string', maxLength: 100 } },
        required: ['id'],
        additionalProperties: false,
      },
    },
    required: ['amount', 'currency', 'order'],
    additionalProperties: false,
  },
  minimum_risk: 'low',
  effects: ['money leaves the account of the shop'],
  reversibility: 'compensatable',
  actuator: { name: 'payments', kind: 'mock' },
  idempotency: 'key_honoured',
  tool_schema_hash: null,
}

export const exampleAccess: OperationAccess = {
  answer: 'allowed',
  code: null,
  review_route: null,
  message:
    "A person approves a call whose risk is medium or higher; others run at once. Parameters outside the catalog's schema or the policy's conditions are denied.",
  unavailable: null,
}
