import type { CatalogOperation } from '../configuration/catalog.ts'

/** The refund of the story as an operator would review it. */
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
