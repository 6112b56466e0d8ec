import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { BoundHit } from '../../../shared/contract/configuration/verification-schema.ts'
import { verifyPolicy } from '../../../shared/policy-analysis/verify/policy-verification.ts'
import { type Constraints, entryWith, policyWith, subjectOf, verify } from './proof-case.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `p${at}`)

/** Whole numbers from 0 on. */
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

function operationsPolicy(count: number) {
  return policyWith({}, { allowed_operations: { payments: names(count) }, parameter_constraints: {} })
}

function nested(levels: number): JsonObject {
  if (levels === 0) return { type: 'boolean' }
  const properties = { n: nested(levels - 1) }
  return { type: 'object', properties, required: ['n'], additionalProperties: false }
}

describe('a bound that is hit is named, and nothing is proved', () => {
  const many: Constraints = Object.fromEntries(names(256).map(name => [name, { required: false }]))
  const constants: Constraints = { p: { one_of: numbers(1_000) } }
  const branches = Array.from({ length: 65 }, (_, at) => ({ const: at }))
  const exhausted = { not: { one_of: numbers(65) }, present: true }
  const deep = 'n.'.repeat(16).concat('n')
  const cases: [string, ReturnType<typeof verify>, BoundHit | null][] = [
    [
      'operations',
      verify(subjectOf(operationsPolicy(5_001)), [
        { system: 'payments', where: { p: { min: 2, max: 1.5 } } },
      ]),
      { bound: 'operations', limit: 5_000, at: 'payments/p999' },
    ],
    [
      'paths',
      verify(subjectOf(policyWith(many)), [{ where: { one_more: { equals: 1 } } }]),
      { bound: 'paths', limit: 256, at: 'payments/refund' },
    ],
    [
      'constants',
      verify(subjectOf(policyWith(constants)), [{ where: { p: { equals: 'x' } } }]),
      { bound: 'constants', limit: 1_000, at: 'p' },
    ],
    [
      'branches',
      verify(subjectOf(policyWith({}), [entryWith({ p: { anyOf: branches } })]), [
        { where: { p: exhausted } },
      ]),
      { bound: 'branches', limit: 64, at: 'p' },
    ],
    [
      'depth',
      verify(subjectOf(policyWith({}), [entryWith({ n: nested(20) })]), [
        { where: { n: { present: true } } },
      ]),
      { bound: 'depth', limit: 16, at: deep },
    ],
    [
      'steps',
      verify(subjectOf(operationsPolicy(50)), [{ where: { p: { min: 2, max: 1.5 } } }], 20),
      { bound: 'steps', limit: 20, at: 'p' },
    ],
    [
      'the body',
      verify(
        subjectOf(policyWith({ a: {}, b: {} }), [
          entryWith({ a: { type: 'string', minLength: 150_000 }, b: { type: 'string', minLength: 150_000 } }),
        ]),
        [{}],
      ),
      { bound: 'body', limit: 262_144, at: 'payments/refund' },
    ],
  ]

  test.each(cases)('%s', (_, { outcomes, bounds, result }, hit) => {
    expect(bounds.hit).toEqual(hit)
    expect(outcomes[0]).toMatchObject({
      result: 'inconclusive',
      why: expect.stringContaining(`${hit?.limit}`),
    })
    expect(result).toBe('inconclusive')
  })

  test('all that comes after the last step is open as well', () => {
    const { outcomes } = verify(
      subjectOf(operationsPolicy(50)),
      [{ where: { p: { min: 2, max: 1.5 } } }, { where: { p: { min: 1 } } }],
      20,
    )
    expect(outcomes.map(({ result }) => result)).toEqual(['inconclusive', 'inconclusive'])
  })

  test('a text that no body holds is excluded without one', () => {
    const subject = subjectOf(policyWith({ a: {} }), [entryWith({ a: { type: 'string', minLength: 1e12 } })])
    expect(verify(subject, [{}]).outcomes[0]).toMatchObject({ result: 'unreachable' })
  })

  test('the steps of a request are capped', () => {
    expect(verify(subjectOf(policyWith({})), [], 1e9).bounds.steps).toBe(2_000_000)
  })
})

test('the work comes in slices, and the answer is the same', () => {
  const subject = subjectOf(policyWith({}, { allowed_operations: { payments: names(300) } }))
  const forbidden = numbers(20).map(at => ({
    name: `n${at}`,
    decision: 'deny' as const,
    system: 'payments',
    where: { p: { not: { max: at }, present: true } },
  }))
  const work = verifyPolicy({ ...subject, forbidden })
  let slices = 1
  let turn = work.next()
  for (; !turn.done; turn = work.next()) slices += 1
  expect(slices).toBeGreaterThan(5)
  expect(turn.value).toEqual(verify(subject, forbidden))
})
