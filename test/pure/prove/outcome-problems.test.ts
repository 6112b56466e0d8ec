import { describe, expect, test } from 'vitest'
import { issuesOf } from '../../../shared/contract/base/errors.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import { verificationRequestSchema } from '../../../shared/contract/configuration/verification-schema.ts'
import { outcomeProblems } from '../../../shared/policy-analysis/verify/outcome-problems.ts'

/** Path and code of everything that is wrong with an outcome of a request. */
function problemsOf(...forbidden: object[]): string[] {
  const named = forbidden.map((query, at) => ({ name: `n${at}`, ...query }))
  const parsed = verificationRequestSchema.safeParse({ forbidden: named })
  const issues = parsed.success ? inOneGo(outcomeProblems(parsed.data)) : issuesOf(parsed.error)
  return issues.map(({ path, code }) => `${path} ${code}`)
}

describe('a description that nothing fits', () => {
  const contradictions: [string, object, string][] = [
    ['min above max', { where: { a: { min: 2, max: 1 } } }, 'where.a'],
    ['present and missing', { where: { a: { present: true, missing: true } } }, 'where.a'],
    ['neither present nor missing', { where: { a: { present: false, missing: false } } }, 'where.a'],
    ['an empty one_of', { where: { a: { one_of: [] } } }, 'where.a'],
    ['a missing one with a value', { where: { 'a.b': { missing: true, equals: 1 } } }, 'where.a.b'],
    ['equals outside one_of', { where: { a: { equals: 1, one_of: [2] } } }, 'where.a'],
    ['equals outside the bounds', { where: { a: { equals: 'x', min: 2 } } }, 'where.a'],
    ['not what it is', { where: { a: { equals: 1, not: { min: 1 } } } }, 'where.a'],
    ['two paths together', { where: { a: { equals: 1 }, 'a.b': { present: true } } }, 'where'],
    ['no claim', { claimed_risk: [] }, 'claimed_risk'],
    ['crossed risk', { effective_risk: { min: 'high', max: 'low' } }, 'effective_risk'],
    ['risk below every claim', { claimed_risk: ['high'], effective_risk: { max: 'low' } }, 'effective_risk'],
    ['no effect', { effects_any: [] }, 'effects_any'],
    ['effects without an entry', { effects_any: ['x'], catalogued: false }, 'effects_any'],
    ['no reversibility', { reversibility: [] }, 'reversibility'],
  ]

  test.each(contradictions)('%s', (_, query, at) => {
    expect(problemsOf(query)).toEqual([`forbidden[0].${at} contradiction`])
  })

  test('all are told at once', () => {
    expect(
      problemsOf({ where: { a: { one_of: [] }, b: { min: 2, max: 1 } } }, {}, { claimed_risk: [] }),
    ).toEqual([
      'forbidden[0].where.a contradiction',
      'forbidden[0].where.b contradiction',
      'forbidden[2].claimed_risk contradiction',
    ])
  })

  test('a name stands for one outcome', () => {
    expect(problemsOf({ name: 'a' }, { name: 'a' })).toEqual(['forbidden[1].name duplicate_name'])
  })

  test('what is possible is nothing to complain of', () => {
    const where = {
      a: { min: 1, max: 1, not: { equals: 2 } },
      'b.c': { missing: true },
      b: { present: true },
    }
    expect(
      problemsOf({ where, claimed_risk: ['low'], effective_risk: { min: 'high' }, effects_any: ['x'] }),
    ).toEqual([])
  })
})

describe('a request of the wrong shape', () => {
  const wrong: [string, object, string][] = [
    ['an unknown member', { because: 1 }, 'forbidden[0].because unknown_field'],
    ['an unknown condition', { where: { a: { above: 1 } } }, 'forbidden[0].where.a.above unknown_field'],
    [
      'one inside not',
      { where: { a: { not: { above: 1 } } } },
      'forbidden[0].where.a.not.above unknown_field',
    ],
    ['a bound that is no number', { where: { a: { min: '1' } } }, 'forbidden[0].where.a.min invalid_type'],
    ['a path that is none', { where: { 'a..b': {} } }, 'forbidden[0].where.a..b invalid_key'],
    ['an unknown decision', { decision: 'perhaps' }, 'forbidden[0].decision invalid_value'],
    ['an empty name', { name: '' }, 'forbidden[0].name too_small'],
    ['an unknown level', { claimed_risk: ['huge'] }, 'forbidden[0].claimed_risk[0] invalid_value'],
  ]

  test.each(wrong)('%s', (_, query, expected) => {
    expect(problemsOf(query)).toEqual([expected])
  })

  test('more outcomes than the bound admits', () => {
    expect(problemsOf(...Array.from({ length: 101 }, () => ({})))).toEqual(['forbidden too_big'])
  })
})
