import { expect, test } from 'vitest'
import type { Decision } from '../../../shared/contract/action/verdict.ts'
import { exampleProposal } from '../../../shared/gate/example-proposal.ts'
import { readCatalog, readPolicy } from '../../../shared/gate/read-documents.ts'

const policy = readPolicy({
  allowed_systems: ['shop'],
  allowed_operations: { shop: ['create', 'list', 'refund'] },
  approval_required_at: 'high',
  review_route: 'leads',
})
const entry = (operation: string, effects: string[]) => ({
  system: 'shop',
  operation,
  title: operation,
  parameter_schema: { type: 'object', additionalProperties: false },
  minimum_risk: 'low',
  effects,
  reversibility: 'reversible',
  idempotency: 'none',
  actuator: { name: 'shop', kind: 'mock' },
  tool_schema_hash: null,
})
const catalog = readCatalog({
  operations: [entry('create', ['changes data']), entry('list', ['reads data'])],
})

test.each<[string, Decision, string]>([
  ['reads where reading is allowed', 'allow', 'list'],
  ['changes something only where nothing that reads is allowed', 'deny', 'create'],
])('an example %s', (_, decided, operation) => {
  if (!policy.ok || !catalog.ok) throw new Error('the documents of this test are not valid')
  const decide = ({ action }: { action: { operation: string } }): Decision =>
    action.operation === 'list' ? decided : 'allow'
  expect(exampleProposal(policy.policy, catalog.catalog, decide).action.operation).toBe(operation)
})
