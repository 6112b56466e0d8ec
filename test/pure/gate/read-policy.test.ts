import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { normalizePolicy } from '../../../shared/gate/normalize-policy.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'
import { titled } from '../../support/short.ts'

const minimal = { allowed_systems: ['crm'], approval_required_at: 'medium', review_route: 'ops' } as const

function accepted(value: unknown) {
  const read = readPolicy(value)
  if (!read.ok) throw new Error(JSON.stringify(read.issues))
  return read
}

function issuesOf(value: unknown): string[] {
  const read = readPolicy(value)
  if (read.ok) throw new Error('the policy is accepted')
  return read.issues.map(issue => `${issue.path}: ${issue.code}`)
}

function constrained(constraint: unknown): unknown {
  return { ...minimal, parameter_constraints: { crm: { update: { amount: constraint } } } }
}

const at = 'parameter_constraints.crm.update.amount'

describe('normalized form', () => {
  it('writes defaults out', () => {
    expect(accepted(minimal).policy).toEqual({
      allowed_systems: ['crm'],
      allowed_operations: {},
      parameter_constraints: {},
      approval_required_at: 'medium',
      review_route: 'ops',
    })
    expect(accepted(constrained({ max: 1 })).policy.parameter_constraints).toEqual({
      crm: { update: { amount: { required: true, max: 1 } } },
    })
  })

  it('leaves out that one approval is enough, so that older policies keep their hash', () => {
    const said = accepted({ ...minimal, approvals_required: 1 })
    expect(said.policy).not.toHaveProperty('approvals_required')
    expect(said.hash).toBe(accepted(minimal).hash)
    const two = accepted({ ...minimal, approvals_required: 2 })
    expect(two.policy.approvals_required).toBe(2)
    expect(two.hash).not.toBe(said.hash)
    for (const wrong of [0, 11, 1.5, '2', null, -1])
      expect(issuesOf({ ...minimal, approvals_required: wrong })).toHaveLength(1)
  })

  it('sorts and de-duplicates sets, constants by their canonical JSON', () => {
    const { policy } = accepted({
      ...minimal,
      allowed_systems: ['mail', 'crm', 'mail', 'Crm'],
      allowed_operations: { crm: ['update', 'read', 'update'], mail: [] },
      parameter_constraints: {
        crm: { update: { kind: { one_of: ['b', 10, 9, { b: 1, a: 2 }, 'b', { a: 2, b: 1 }, -0, 0, null] } } },
      },
    })
    expect(policy.allowed_systems).toEqual(['Crm', 'crm', 'mail'])
    expect(policy.allowed_operations).toEqual({ crm: ['read', 'update'], mail: [] })
    expect(policy.parameter_constraints.crm?.update?.kind?.one_of).toEqual([
      'b',
      0,
      10,
      9,
      null,
      { a: 2, b: 1 },
    ])
  })

  it('has one hash for equal policies: that of its canonical JSON', () => {
    const one = accepted({
      ...minimal,
      allowed_systems: ['a', 'b'],
      parameter_constraints: { a: { x: { n: { max: 1, min: -0, required: true } } } },
    })
    const other = accepted({
      parameter_constraints: { a: { x: { n: { min: 0.0, max: 1 } } } },
      review_route: 'ops',
      approval_required_at: 'medium',
      allowed_operations: {},
      allowed_systems: ['b', 'a', 'b'],
    })
    expect(one.hash).toBe(other.hash)
    expect(one.hash).toBe(documentHash('policy', canonicalJson(one.policy as unknown as JsonValue)))
    expect(one.hash).not.toBe(accepted({ ...minimal, allowed_systems: ['a'] }).hash)
  })

  it('tells an empty list of operations from none', () => {
    expect(accepted({ ...minimal, allowed_operations: { crm: [] } }).hash).not.toBe(accepted(minimal).hash)
  })

  it('keeps names that every object inherits, as own members', () => {
    const { policy } = accepted({
      ...minimal,
      allowed_systems: ['constructor'],
      allowed_operations: { constructor: ['toString', 'hasOwnProperty'] },
      parameter_constraints: { constructor: { toString: { valueOf: { equals: null } } } },
    })
    expect(Object.keys(policy.allowed_operations)).toEqual(['constructor'])
    expect(policy.parameter_constraints).toEqual({
      constructor: { toString: { valueOf: { required: true, equals: null } } },
    })
  })

  it('does not share anything with its input', () => {
    const input = { ...minimal, allowed_systems: ['crm'] }
    const { policy } = accepted(input)
    input.allowed_systems.push('mail')
    expect(policy.allowed_systems).toEqual(['crm'])
  })
})

describe('refusals', () => {
  it.each([
    ['min above max', { min: 2, max: 1 }, [`${at}.min: min_above_max`]],
    ['equals below min', { equals: 1, min: 2 }, [`${at}.equals: equals_outside_bounds`]],
    ['equals above max', { equals: 3, max: 2 }, [`${at}.equals: equals_outside_bounds`]],
    [
      'equals that is no number beside a bound',
      { equals: '1', min: 0 },
      [`${at}.equals: equals_outside_bounds`],
    ],
    ['equals outside one_of', { equals: 1, one_of: ['1'] }, [`${at}.equals: equals_outside_one_of`]],
    [
      'no member of one_of within the bounds',
      { one_of: [1, '5'], min: 2 },
      [`${at}.one_of: one_of_outside_bounds`],
    ],
    [
      'every contradiction of one constraint',
      { equals: 1, one_of: [2], min: 3, max: 4 },
      [
        `${at}.equals: equals_outside_one_of`,
        `${at}.equals: equals_outside_bounds`,
        `${at}.one_of: one_of_outside_bounds`,
      ],
    ],
    [
      'crossed bounds without a word on constants',
      { equals: 3, min: 4, max: 2 },
      [`${at}.min: min_above_max`],
    ],
    ['an optional constraint alike', { required: false, min: 2, max: 1 }, [`${at}.min: min_above_max`]],
    ['an empty one_of', { one_of: [] }, [`${at}.one_of: too_small`]],
    ['an unknown key', { maximum: 1 }, [`${at}.maximum: unknown_field`]],
    ['a bound that is a text', { max: '1' }, [`${at}.max: invalid_type`]],
  ])('%s', (_name, constraint, expected) => {
    expect(issuesOf(constrained(constraint))).toEqual(expected)
  })

  it.each([
    ['equal bounds', { min: 1, max: 1, equals: 1.0 }],
    ['equals within one_of by canonical JSON', { equals: { b: 1, a: 2 }, one_of: [{ a: 2, b: 1 }] }],
    ['equals null', { equals: null }],
    ['one_of beside bounds', { one_of: [1, 2], min: 1, max: 2 }],
  ])('but not %s', (_name, constraint) => {
    expect(accepted(constrained(constraint)).warnings).toEqual([])
  })

  it('reports all problems at once: of the shape and of the meaning', () => {
    const problems = issuesOf({
      allowed_systems: ['crm', '.hidden'],
      parameter_constraints: { crm: { update: { amount: { min: 2, max: 1 }, other: { one_of: [] } } } },
      approval_required_at: 'never',
      review_route: '',
      surplus: 1,
    })
    expect(problems.sort()).toEqual([
      'allowed_systems[1]: invalid_format',
      'approval_required_at: invalid_value',
      `${at}.min: min_above_max`,
      'parameter_constraints.crm.update.other.one_of: too_small',
      'review_route: too_small',
      'surplus: unknown_field',
    ])
  })

  it.each(titled([[null], [undefined], [1], ['policy'], [[]], [[minimal]]]))(
    '%s is no policy',
    (_, value) => {
      expect(issuesOf(value)).toHaveLength(1)
    },
  )

  it.each([
    ['a system', '{"allowed_operations":{"__proto__":["read"]}}', 'allowed_operations.__proto__'],
    ['a policy field', '{"__proto__":{"allowed_operations":{}}}', '__proto__'],
    [
      'a parameter',
      '{"parameter_constraints":{"crm":{"update":{"__proto__":{"max":1}}}}}',
      'parameter_constraints.crm.update.__proto__',
    ],
    [
      'a member of a constant',
      '{"parameter_constraints":{"crm":{"update":{"amount":{"one_of":[{"__proto__":1}]}}}}}',
      `${at}.one_of[0].__proto__`,
    ],
  ])('__proto__ as the name of %s', (_name, text, path) => {
    expect(issuesOf({ ...minimal, ...JSON.parse(text) }).length).toBeGreaterThan(0)
    const whole = JSON.parse(JSON.stringify(minimal).replace('{', `${text.slice(0, -1)},`))
    expect(issuesOf(whole)).toEqual([`${path}: reserved_name`])
    const normalized = normalizePolicy(whole)
    expect(normalized).toMatchObject({ ok: false, issues: [{ path, code: 'reserved_name' }] })
  })

  it.each([
    ['an infinite bound', { max: Number.POSITIVE_INFINITY }, `${at}.max: not_json`],
    ['a lone surrogate in a constant', { equals: '\ud800' }, `${at}.equals: not_json`],
    ['a hole in a list', { one_of: [1, undefined] }, `${at}.one_of[1]: not_json`],
    ['a function', { equals: () => 1 }, `${at}.equals: not_json`],
  ])('%s, where the source is not JSON', (_name, constraint, expected) => {
    expect(issuesOf(constrained(constraint))).toEqual([expected])
  })

  it('a lone surrogate in a name', () => {
    const policy = { ...minimal, parameter_constraints: { crm: { update: { 'a\udc00': { max: 1 } } } } }
    expect(issuesOf(policy)[0]).toMatch(/: not_json$/)
  })

  it('nesting that no proposal could match, without recursion', () => {
    let equals: unknown = 1
    for (let depth = 0; depth < 100_000; depth += 1) equals = [equals]
    expect(issuesOf(constrained({ equals }))[0]).toMatch(/: too_deep$/)
  })
})

describe('warnings', () => {
  it('names rules that never decide', () => {
    const { warnings } = accepted({
      ...minimal,
      allowed_systems: ['crm', 'files'],
      allowed_operations: { crm: ['read'], gone: ['read'] },
      parameter_constraints: {
        crm: { read: { a: {} }, update: { a: {} }, constructor: { a: {} } },
        files: { anything: { a: {} } },
        toString: { read: { a: {} } },
      },
    })
    expect(warnings.map(({ path, code }) => `${path}: ${code}`)).toEqual([
      'allowed_operations.gone: system_not_allowed',
      'parameter_constraints.crm.update: operation_not_allowed',
      'parameter_constraints.crm.constructor: operation_not_allowed',
      'parameter_constraints.toString: system_not_allowed',
    ])
  })

  it('counts the members of one_of that the bounds exclude', () => {
    expect(accepted(constrained({ one_of: [1, 5, 'x'], min: 2 })).warnings).toEqual([
      {
        path: `${at}.one_of`,
        code: 'one_of_partly_outside_bounds',
        message: '2 of 3 members are not numbers within min and max',
      },
    ])
  })
})
