import fc from 'fast-check'
import { expect, it } from 'vitest'
import { catalogSkeleton } from '../../../api/web/lib/policy/catalog-skeleton.ts'
import { readValues, valuesText } from '../../../api/web/lib/policy/condition-values.ts'
import {
  asPolicy,
  conditionsOf,
  withCondition,
  withOperations,
  withoutOperation,
  withoutSystem,
  withSystem,
} from '../../../api/web/lib/policy/policy-edit.ts'
import { readDraft } from '../../../api/web/lib/policy/read-draft.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'

const policy: PolicyInput = {
  allowed_systems: ['payments'],
  allowed_operations: { payments: ['refund', 'read'] },
  parameter_constraints: { payments: { refund: { amount: { max: 50 }, 'order.id': {} } } },
  approval_required_at: 'medium',
  review_route: 'leads',
}

it('shows what has the shape of a policy in the form, and nothing else', () => {
  expect(asPolicy({ ...policy } as never)).toEqual(policy)
  expect(asPolicy({ allowed_systems: [], approval_required_at: 'low', review_route: 'x' })).not.toBeNull()
  expect(asPolicy({ ...policy, allowed_systems: 'payments' } as never)).toBeNull()
  expect(asPolicy({ ...policy, parameter_constraints: { payments: { refund: [] } } } as never)).toBeNull()
})

it('adds and removes systems and operations with what is said of them', () => {
  const wider = withSystem(policy, 'mail')
  expect(wider.allowed_systems).toEqual(['mail', 'payments'])
  expect(wider.allowed_operations?.mail).toEqual([])
  expect(withoutSystem(wider, 'mail')).toEqual(policy)
  expect(withoutSystem(policy, 'payments').parameter_constraints).toEqual({})
  expect(withOperations(policy, 'payments', null).allowed_operations).toEqual({})
  const narrower = withoutOperation(policy, 'payments', 'refund')
  expect(narrower.allowed_operations?.payments).toEqual(['read'])
  expect(narrower.parameter_constraints).toEqual({})
})

it('moves, changes and drops conditions', () => {
  const [amount] = conditionsOf(policy, 'payments')
  const old = amount ?? null
  const moved = withCondition(policy, 'payments', {
    old,
    row: { operation: 'read', path: 'limit', constraint: { min: 1 } },
  })
  expect(moved.parameter_constraints?.payments).toEqual({
    refund: { 'order.id': {} },
    read: { limit: { min: 1 } },
  })
  expect(withCondition(policy, 'payments', { old, row: null }).parameter_constraints?.payments).toEqual({
    refund: { 'order.id': {} },
  })
})

it.each([
  ['EUR, USD', { one_of: ['EUR', 'USD'] }],
  ['5', { equals: 5 }],
  ['"5"', { equals: '5' }],
  ['true, null', { one_of: [true, null] }],
  ['[1, 2], {"a": 1}', { one_of: [[1, 2], { a: 1 }] }],
  ['  ', {}],
  ['"open', null],
  ['[1, 2', null],
])('reads the values %s', (text, values) => {
  expect(readValues(text)).toEqual(values)
})

it('reads back every list of values that it writes', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string()) as fc.Arbitrary<JsonValue>
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: 4 }), values => {
      const written = JSON.parse(JSON.stringify(values)) as JsonValue[]
      expect(readValues(valuesText({ one_of: written }))).toEqual({ one_of: written })
    }),
  )
})

it.each(policyTemplates.map(template => [template.name, template] as const))(
  'makes a catalog of the policy %s that the service takes',
  (_, template) => {
    const skeleton = catalogSkeleton(template.policy)
    const read = readCatalog(skeleton)
    expect(read.ok).toBe(true)
    const named = Object.values(template.policy.allowed_operations ?? {}).flat()
    expect(skeleton.operations).toHaveLength(named.length)
  },
)

it('reads a draft as strictly as the service, and tells the line', () => {
  expect(readDraft('{"a": 1}')).toEqual({ ok: true, value: { a: 1 } })
  expect(readDraft('{\n  "a": 1,\n  "a": 2\n}')).toMatchObject({
    ok: false,
    issue: { code: 'duplicate_key', line: 3 },
  })
  expect(readDraft('{\n  "a": 1\n')).toMatchObject({ ok: false, issue: { code: 'invalid_json' } })
  expect(readDraft('[]')).toMatchObject({ ok: false, issue: { code: 'invalid_type', line: 1 } })
})
