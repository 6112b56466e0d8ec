import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { AccessGroup, PolicyDiff } from '../../../shared/contract/configuration/policy-diff.ts'
import { diffPolicies } from '../../../shared/policy-analysis/diff/diff-policies.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { entryWith, policyWith, subjectOf } from './proof-case.ts'

function diff(from: Subject, to: Subject): PolicyDiff {
  return inOneGo(diffPolicies({ from, to, mode: from.mode }))
}

/** The kinds of change that there are, with the parameters of the first witness. */
function changes({ new_access, lost_access }: PolicyDiff): Record<string, JsonObject | undefined> {
  const groups: [string, AccessGroup][] = [...Object.entries(new_access), ...Object.entries(lost_access)]
  return Object.fromEntries(
    groups
      .filter(([, { total }]) => total > 0)
      .map(([kind, group]) => [kind, group.changes[0]?.witness.action.parameters]),
  )
}

const policy = (max: number) => subjectOf(policyWith({ amount: { max } }))
const amount = (schema: JsonObject) => subjectOf(policyWith({}), [entryWith({ amount: schema })])

describe('the difference of two policies', () => {
  test('a higher bound is new access, and the other way round lost access', () => {
    expect(changes(diff(policy(50), policy(100)))).toEqual({
      deny_to_needs_approval: { amount: 51 },
      deny_to_allow: { amount: 51 },
    })
    expect(changes(diff(policy(100), policy(50)))).toEqual({
      needs_approval_to_deny: { amount: 51 },
      allow_to_deny: { amount: 51 },
    })
  })

  test('each change says what decided on both sides', () => {
    const { new_access, result } = diff(policy(50), policy(100))
    expect(result).toBe('different')
    expect(new_access.deny_to_allow.changes[0]).toMatchObject({
      system: 'payments',
      operation: 'refund',
      unnamed: false,
      before: 'deny',
      after: 'allow',
      decided_before: ['policy.parameter_constraints.payments.refund.amount'],
      witness: { risk: { level: 'low' } },
    })
  })

  test('fewer approvals are a difference, and as many as nothing says are none', () => {
    const needing = (approvals_required: number) =>
      subjectOf({ ...policyWith({}), ...(approvals_required === 1 ? {} : { approvals_required }) })
    expect(diff(needing(3), needing(1))).toMatchObject({
      result: 'different',
      approvals_required: { before: 3, after: 1 },
    })
    expect(diff(needing(1), needing(2)).approvals_required).toEqual({ before: 1, after: 2 })
    expect(diff(needing(2), needing(2))).not.toHaveProperty('approvals_required')
    expect(changes(diff(needing(3), needing(1)))).toEqual({})
  })

  test('an equivalent rewrite shows nothing', () => {
    const listed = subjectOf(policyWith({ n: { one_of: [1, 2], min: 1 } }))
    const other = subjectOf(policyWith({ n: { one_of: [2, 1], max: 2 } }))
    expect(diff(listed, other).result).toBe('equivalent')
    const byShape = subjectOf(policyWith({ n: { one_of: [1, 2] }, 'n.x': { required: false } }))
    expect(diff(listed, byShape).result).toBe('different')
    const wide = amount({ type: 'integer', minimum: 1, maximum: 3 })
    expect(diff(wide, amount({ enum: [1, 2, 3] })).result).toBe('equivalent')
    expect(diff(wide, amount({ anyOf: [{ const: 2 }, { enum: [1, 3] }] })).result).toBe('equivalent')
  })

  test('the threshold moves between holding and allowing', () => {
    const medium = subjectOf(policyWith({}, { approval_required_at: 'medium' }))
    const high = subjectOf(policyWith({}))
    expect(changes(diff(medium, high))).toEqual({ needs_approval_to_allow: {} })
    expect(changes(diff(high, medium))).toEqual({ allow_to_needs_approval: {} })
  })

  test('an operation, a system, and those that nothing names', () => {
    const any = subjectOf(policyWith({}, { allowed_operations: {} }))
    const { new_access } = diff(subjectOf(policyWith({})), any)
    expect(new_access.deny_to_allow.changes.map(({ operation, unnamed }) => [operation, unnamed])).toEqual([
      ['any-operation', true],
    ])
    expect(changes(diff(subjectOf(policyWith({}, { allowed_systems: [] })), any))).toHaveProperty(
      'deny_to_allow',
    )
  })

  const schemas: [string, JsonObject, JsonObject, JsonObject | null][] = [
    ['a bound', { type: 'number', maximum: 5 }, { type: 'number', maximum: 6 }, { amount: 6 }],
    ['a fraction', { type: 'integer' }, { type: 'number' }, null],
    ['a step', { type: 'integer', multipleOf: 4 }, { type: 'integer', multipleOf: 2 }, null],
    ['a length', { type: 'string', maxLength: 3 }, { type: 'string', maxLength: 4 }, { amount: 'exam' }],
    ['a type', { type: 'string' }, { type: ['string', 'null'] }, { amount: null }],
    ['a constant', { enum: ['a'] }, { enum: ['a', 'b'] }, { amount: 'b' }],
    [
      'a member',
      { type: 'object', properties: {}, additionalProperties: false },
      { type: 'object', properties: { x: { type: 'boolean' } }, additionalProperties: false },
      { amount: { x: true } },
    ],
    [
      'a member that is no longer required',
      { type: 'object', properties: { x: { const: 1 } }, required: ['x'], additionalProperties: false },
      { type: 'object', properties: { x: { const: 1 } }, additionalProperties: false },
      { amount: {} },
    ],
    [
      'items',
      { type: 'array', items: { const: 1 } },
      { type: 'array', items: { enum: [1, 2] } },
      { amount: [2] },
    ],
    [
      'one item that no branch admits',
      {
        anyOf: [
          { type: 'array', items: { type: 'number' } },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      { type: 'array', items: { type: ['number', 'string', 'null'] }, maxItems: 1 },
      { amount: [null] },
    ],
    ['a branch', { anyOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }, { type: 'null' }] }, { amount: null }],
  ]

  test.each(schemas)('a schema: %s', (_, before, after, parameters) => {
    const found = changes(diff(amount(before), amount(after)))
    expect(Object.keys(found).slice(0, 2)).toEqual(['deny_to_needs_approval', 'deny_to_allow'])
    if (parameters) expect(found.deny_to_allow).toEqual(parameters)
    const back = diff(amount(after), amount(before))
    expect(Object.keys(changes(back)).slice(-2)).toEqual(['needs_approval_to_deny', 'allow_to_deny'])
  })

  test('a keyword that is not modelled leaves the group open', () => {
    const odd = amount({ type: 'string', pattern: '^[ab]*b[ab]{12}$', minLength: 20 })
    const { new_access, lost_access, result } = diff(odd, amount({ type: 'null' }))
    expect(new_access.deny_to_allow.changes[0]?.witness.action.parameters).toEqual({ amount: null })
    expect(lost_access.allow_to_deny).toMatchObject({ result: 'inconclusive', total: 0 })
    expect(lost_access.allow_to_deny.why).toBe('the keyword pattern at amount is not modelled')
    expect(result).toBe('different')
    expect(diff(odd, odd).result).toBe('equivalent')
  })

  test('the steps are bounded', () => {
    const { result, bounds } = inOneGo(
      diffPolicies({ from: policy(50), to: policy(100), mode: 'basic', bounds: { max_steps: 1 } }),
    )
    expect(result).toBe('inconclusive')
    expect(bounds.hit).toMatchObject({ bound: 'steps', limit: 1 })
  })
})
