import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { GrantClause } from '../../../shared/contract/configuration/grant-clause.ts'
import type { AccessGroup, PolicyDiff } from '../../../shared/contract/configuration/policy-diff.ts'
import { keywords } from '../../../shared/json-schema/keywords.ts'
import { diffPolicies } from '../../../shared/policy-analysis/diff/diff-policies.ts'
import { proveGrant } from '../../../shared/policy-analysis/grant/prove-grant.ts'
import { keywordTreatments } from '../../../shared/policy-analysis/keyword-treatment.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { answerTo, type Constraints, entryWith, policyWith, subjectOf } from './proof-case.ts'

/** A member of this name, written out, would look like that of a promise. */
const consequent = 'then'

/** A schema that asks for something by each keyword that checks anything. */
const asking: Readonly<Record<string, JsonObject>> = {
  $ref: { $ref: '#/$defs/code' },
  allOf: { allOf: [{ type: 'string' }, { type: 'string', minLength: 9 }] },
  anyOf: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
  oneOf: {
    oneOf: [
      object({ card: { type: 'string', minLength: 3 } }, { required: ['card'] }),
      object({ bank: { type: 'string', pattern: '^DE\\d{4}$' } }, { required: ['bank'] }),
    ],
  },
  not: { type: 'string', not: { enum: ['example', '', 'e'] } },
  if: {
    ...object({ kind: { enum: ['a', 'b'] }, code: { type: 'string' } }, { required: ['kind'] }),
    if: { properties: { kind: { const: 'a' } } },
    [consequent]: { required: ['code'] },
    else: { properties: { code: false } },
  },
  type: { type: ['boolean', 'null'] },
  enum: { enum: ['EUR', 'USD'] },
  const: { const: { a: [1] } },
  minLength: { type: 'string', minLength: 20 },
  maxLength: { type: 'string', maxLength: 2 },
  pattern: { type: 'string', pattern: '^ord_[0-9A-F]{8}-\\d{3}$' },
  minimum: { type: 'number', minimum: 7 },
  maximum: { type: 'number', maximum: 7 },
  exclusiveMinimum: { type: 'number', exclusiveMinimum: 7 },
  exclusiveMaximum: { type: 'number', exclusiveMaximum: 7 },
  multipleOf: { type: 'number', multipleOf: 0.25 },
  items: { type: 'array', items: { type: 'integer' } },
  prefixItems: {
    ...{
      type: 'array',
      minItems: 3,
      prefixItems: [{ type: 'string', pattern: '^[A-Z]{3}$' }, { type: 'integer' }],
    },
    items: { type: 'boolean' },
  },
  contains: {
    ...{ type: 'array', items: { type: 'integer' }, contains: { type: 'integer', minimum: 100 } },
    ...{ minContains: 2, maxContains: 3 },
  },
  minItems: { type: 'array', items: { type: 'null' }, minItems: 3 },
  maxItems: { type: 'array', items: { type: 'null' }, maxItems: 0 },
  uniqueItems: {
    type: 'array',
    items: { type: 'string', pattern: '^[a-c]{2}$' },
    uniqueItems: true,
    minItems: 5,
  },
  properties: object({ x: { type: 'integer' } }, { required: ['x'] }),
  patternProperties: {
    ...{ type: 'object', patternProperties: { '^x_': { type: 'integer', minimum: 9 } } },
    ...{
      properties: { name: { type: 'string' } },
      required: ['name', 'x_count'],
      additionalProperties: false,
    },
  },
  additionalProperties: object({}),
  unevaluatedProperties: {
    ...{
      type: 'object',
      allOf: [{ type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] }],
    },
    unevaluatedProperties: false,
  },
  propertyNames: object(
    { ab: { type: 'integer' }, abc: { type: 'integer' } },
    { propertyNames: { maxLength: 2 }, required: ['ab'] },
  ),
  required: object({ x: { type: 'null' } }, { required: ['x'] }),
  dependentRequired: object(
    { a: { type: 'null' }, b: { type: 'integer' } },
    { required: ['a'], dependentRequired: { a: ['b'] } },
  ),
  dependentSchemas: object(
    { a: { type: 'null' }, b: { type: 'integer' } },
    { required: ['a'], dependentSchemas: { a: { required: ['b'], properties: { b: { minimum: 50 } } } } },
  ),
  minProperties: object(
    { a: { type: 'null' }, b: { type: 'integer' }, c: { type: 'integer' } },
    { minProperties: 3 },
  ),
  maxProperties: object(
    { a: { type: 'null' }, b: { type: 'integer' } },
    { maxProperties: 1, required: ['b'] },
  ),
}
/** Told with the keyword that they belong to. */
const parts: Readonly<Record<string, string>> = {
  [consequent]: 'if',
  else: 'if',
  minContains: 'contains',
  maxContains: 'contains',
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, additionalProperties: false, ...more }
}

const checking = [...keywords].filter(([, { annotation }]) => annotation === undefined).map(([name]) => name)
const silent = [...keywords].filter(([, { annotation }]) => annotation !== undefined).map(([name]) => name)

/** `odd` has to be there, so that every witness has a value that meets its schema. */
function subject(
  constraints: Constraints,
  odd: JsonObject,
  amount: JsonObject = { type: 'number' },
): Subject {
  const more = { required: ['odd', 'amount'], $defs: { code: { type: 'string', pattern: '^[A-Z]\\d$' } } }
  return subjectOf(policyWith(constraints), [entryWith({ odd, amount }, {}, more)])
}

function groups(from: Subject, to: Subject): Record<string, string> {
  const { new_access, lost_access }: PolicyDiff = inOneGo(diffPolicies({ from, to, mode: 'basic' }))
  const all: [string, AccessGroup][] = [...Object.entries(new_access), ...Object.entries(lost_access)]
  return Object.fromEntries(all.map(([name, { result }]) => [name, result]))
}

const exact = (lost: boolean) => ({
  ...{ deny_to_allow: 'none', deny_to_needs_approval: 'none', needs_approval_to_allow: 'none' },
  ...{ allow_to_deny: lost ? 'some' : 'none', needs_approval_to_deny: lost ? 'some' : 'none' },
  allow_to_needs_approval: 'none',
})

test('the table says of every keyword what the analysis makes of it', () => {
  expect(Object.keys(keywordTreatments).sort()).toEqual([...keywords.keys()].sort())
  expect(silent.map(name => keywordTreatments[name])).toEqual(silent.map(() => 'silent'))
  expect(Object.keys({ ...asking, ...parts }).sort()).toEqual(checking.sort())
})

describe('a keyword that both sides share costs nothing of the analysis', () => {
  const shared = Object.entries(asking)

  test.each(shared)('%s beside a constraint that is tightened', (_, odd) => {
    const [wide, tight] = [subject({ amount: { max: 100 } }, odd), subject({ amount: { max: 50 } }, odd)]
    expect(groups(wide, tight)).toEqual(exact(true))
    expect(groups(wide, subject({ amount: { equals: 'nothing' } }, odd))).toEqual(exact(true))
  })

  test.each(shared)('%s beside a schema that is rewritten, and one that is changed', (_, odd) => {
    const listed = subject({}, odd, { enum: [1, 2, 3] })
    expect(groups(listed, subject({}, odd, { type: 'integer', minimum: 1, maximum: 3 }))).toEqual(
      exact(false),
    )
    expect(groups(listed, subject({}, odd, { enum: [1, 2] }))).toEqual(exact(true))
  })

  test.each(shared)('%s in an operation that a grant is for', (_, odd) => {
    const { policy, ...more } = subject({}, odd)
    const held = { ...policy, approval_required_at: 'medium' as const }
    const { faults, example } = inOneGo(proveGrant({ ...more, policy: held, clause: atMost(50) }))
    expect(faults).toEqual([])
    expect(example?.action.parameters.amount).toBeLessThanOrEqual(50)
    const wider = inOneGo(proveGrant({ ...more, policy: held, clause: atMost(50, false) }))
    expect(wider.faults).toEqual([])
  })
})

function atMost(max: number, required = true): GrantClause {
  const hash = `sha256:${'0'.repeat(64)}`
  return {
    ...{ grant_id: 'grt_1', key_id: 'agk_1', system: 'payments', operation: 'refund' },
    ...{ constraints: { amount: { max, required } }, risk_max: 'high', uses_max: 20 },
    ...{ ends_at: '2026-11-26T18:00:00.000Z', policy_hash: hash, catalog_hash: null },
  }
}

describe('an atom that only one side has, or that nothing was found to meet', () => {
  /** Sixty items that all differ: more than the search makes. */
  const hard = { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 60 }
  const sixty = Array.from({ length: 60 }, (_, at) => at)
  const why = 'the keyword uniqueItems at odd is not modelled'

  test('keeps open what depends on it, and nothing else', () => {
    const [wide, tight] = [subject({ amount: { max: 100 } }, hard), subject({ amount: { max: 50 } }, hard)]
    expect(groups(wide, tight)).toEqual({
      ...exact(false),
      allow_to_deny: 'inconclusive',
      needs_approval_to_deny: 'inconclusive',
    })
    const lost = (to: Subject) =>
      inOneGo(diffPolicies({ from: wide, to, mode: 'basic' })).lost_access.allow_to_deny
    expect(lost(tight).why).toBe(why)
    const nothing = subject({ amount: { equals: 'nothing' } }, hard)
    expect(lost(nothing).why).toBe(`nothing passes any more for payments/refund, whatever passes now; ${why}`)
    expect(answerTo(wide, { where: { amount: { min: 101 } } }).result).toBe('unreachable')
  })

  test('is settled by an example of the schema, and by one that leaves it out', () => {
    const shown = { ...hard, examples: [sixty] }
    expect(groups(subject({ amount: { max: 100 } }, shown), subject({ amount: { max: 50 } }, shown))).toEqual(
      exact(true),
    )
    const loose = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 }
    expect(groups(subject({}, { ...loose, uniqueItems: true }), subject({}, loose))).toEqual({
      ...exact(false),
      deny_to_allow: 'some',
      deny_to_needs_approval: 'some',
    })
  })

  test('a grant is refused where no example is found, and says which keyword', () => {
    const prove = (odd: JsonObject) => {
      const { policy, ...more } = subject({}, odd)
      return inOneGo(
        proveGrant({ ...more, policy: { ...policy, approval_required_at: 'medium' }, clause: atMost(50) }),
      )
    }
    expect(prove(hard).faults).toMatchObject([
      {
        path: '',
        code: 'not_decided',
        message: expect.stringContaining(`${why}; add what it is to allow to`),
      },
    ])
    expect(prove({ ...hard, examples: [sixty] }).faults).toEqual([])
  })
})

test('a change that denies everything is said as such, and so is one that ends it', () => {
  const odd = { type: 'string', pattern: '^ord_[0-9A-F]{8}$' }
  const [some, none] = [subject({ amount: { max: 9 } }, odd), subject({ amount: { equals: 'nothing' } }, odd)]
  const told = (from: Subject, to: Subject) => {
    const { new_access, lost_access } = inOneGo(diffPolicies({ from, to, mode: 'basic' }))
    const all = [...lost_access.allow_to_deny.changes, ...new_access.deny_to_allow.changes]
    return all.map(({ everything, witness }) => [everything, witness.action.parameters])
  }
  const parameters = { odd: 'ord_00000000', amount: 8 }
  expect(told(some, none)).toEqual([[true, parameters]])
  expect(told(none, some)).toEqual([[true, parameters]])
  expect(told(subject({}, odd), some)).toEqual([[false, { odd: 'ord_00000000', amount: 10 }]])
})
