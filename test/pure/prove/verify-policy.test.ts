import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { OutcomeQuery, Where } from '../../../shared/contract/configuration/verification-schema.ts'
import { checkFixtures } from '../../../shared/gate/fixture/fixture.ts'
import { answerTo, entryWith, policyWith, subjectOf, verify } from './proof-case.ts'

const refunds = subjectOf(
  policyWith({ amount: { max: 500 }, currency: { one_of: ['EUR', 'USD'] }, 'order.id': { required: false } }),
)

describe('the refund question', () => {
  const open = subjectOf(policyWith({ currency: { one_of: ['EUR', 'USD'] } }))
  const tooMuch = { name: 'refund above 500', where: { amount: { min: 500.01 } } }

  test('is answered with a witness that has nothing it does not need', () => {
    const answer = answerTo(open, tooMuch)
    expect(answer).toMatchObject({ result: 'reachable', decision: 'allow', expected: 'unreachable' })
    expect(answer.witness?.action).toEqual({
      target_system: 'payments',
      operation: 'refund',
      parameters: { amount: 501, currency: 'EUR' },
    })
    expect(answer.witness?.summary).toBe('Witness: refund above 500')
    expect(answer.admitted_by).toEqual([
      'policy.allowed_systems',
      'policy.allowed_operations.payments',
      'policy.parameter_constraints.payments.refund.currency',
      'policy.approval_required_at (high)',
    ])
  })

  test('comes with a fixture that fails until the policy is mended', () => {
    const { fixture } = answerTo(open, tooMuch)
    const bytes = Buffer.from(JSON.stringify(fixture))
    const report = checkFixtures([{ file: 'f.json', format: 'json', bytes }], { strict: false })
    expect(report).toMatchObject({ ok: true, value: { result: 'different', cases: 1 } })
    const mended = { ...fixture, policy: policyWith({ amount: { max: 500 } }) }
    const again = checkFixtures(
      [{ file: 'f.json', format: 'json', bytes: Buffer.from(JSON.stringify(mended)) }],
      {
        strict: false,
      },
    )
    expect(again).toMatchObject({ ok: true, value: { result: 'as_expected' } })
  })

  test('is proved of the mended policy', () => {
    const { outcomes, result } = verify(refunds, [tooMuch])
    expect(outcomes[0]).toMatchObject({ result: 'unreachable' })
    expect(outcomes[0]?.why).toContain('no value of amount does')
    expect(result).toBe('verified')
  })

  test('is answered for approval as well', () => {
    const held = { ...tooMuch, decision: 'needs_approval' as const }
    expect(answerTo(open, held)).toMatchObject({ result: 'reachable', witness: { risk: { level: 'high' } } })
  })
})

describe('what is asked of a parameter', () => {
  const cases: [string, Where, JsonValue | undefined | 'none'][] = [
    ['equals', { equals: 20 }, 20],
    ['equals beyond the bound', { equals: 501 }, 'none'],
    ['one_of', { one_of: ['x', 7] }, 7],
    ['min at the bound', { min: 500 }, 500],
    ['a range', { min: 3, max: 4 }, 3],
    ['a range between whole numbers', { min: 3.2, max: 3.4 }, undefined],
    ['not above', { not: { max: 100 }, present: true }, 101],
    ['missing', { missing: true }, 'none'],
    ['not present', { present: false }, 'none'],
    ['present', { present: true }, undefined],
    ['not a number', { not: { min: -1e15 } }, undefined],
  ]

  test.each(cases)('%s', (_, where, expected) => {
    const answer = answerTo(refunds, { where: { amount: where } })
    expect(answer.result).toBe(expected === 'none' ? 'unreachable' : 'reachable')
    const amount = answer.witness?.action.parameters.amount
    if (expected === 'none' || expected === undefined) return
    expect(amount).toBe(expected)
  })

  test('goes along dotted paths, and what is no object has nothing inside', () => {
    const nested = subjectOf(policyWith({ 'order.id': { one_of: ['a', 'b'] } }))
    expect(answerTo(nested, { where: { order: { equals: 'a' } } }).result).toBe('unreachable')
    expect(
      answerTo(nested, { where: { 'order.id': { not: { equals: 'a' } } } }).witness?.action.parameters,
    ).toEqual({
      order: { id: 'b' },
    })
    expect(answerTo(nested, { where: { order: { not: { equals: { id: 'a' } } } } }).result).toBe('reachable')
    expect(
      answerTo(nested, { where: { order: { one_of: [{ id: 'c' }, { id: 'b', x: 1 }] } } }).witness,
    ).toMatchObject({
      action: { parameters: { order: { id: 'b', x: 1 } } },
    })
  })

  test('a closed object of few values can be used up', () => {
    const flag = { type: 'object', properties: { on: { type: 'boolean' } }, additionalProperties: false }
    const subject = subjectOf(policyWith({ flag: {} }), [entryWith({ flag })])
    const but = (...values: JsonValue[]) =>
      answerTo(subject, { where: { flag: { not: { one_of: values } } } })
    expect(but({}, { on: true }).witness?.action.parameters).toEqual({ flag: { on: false } })
    expect(but({}, { on: true }, { on: false }).result).toBe('unreachable')
  })

  test('a member called __proto__ is never there', () => {
    const where = { 'a.__proto__': { present: true } }
    expect(answerTo(subjectOf(policyWith({})), { where }).result).toBe('unreachable')
  })
})

describe('what is asked of the operation and the risk', () => {
  const irreversible = entryWith(
    {},
    { reversibility: 'irreversible', minimum_risk: 'medium', effects: ['sends mail'] },
  )
  const reviewed = subjectOf(policyWith({}), [irreversible])
  const cases: [string, Partial<OutcomeQuery>, 'reachable' | 'unreachable'][] = [
    ['another system', { system: 'crm' }, 'unreachable'],
    ['another operation', { operation: 'charge' }, 'unreachable'],
    ['the claim', { claimed_risk: ['high'] }, 'unreachable'],
    ['the effective risk', { effective_risk: { max: 'low' } }, 'unreachable'],
    [
      'the minimum that the catalog sets',
      { claimed_risk: ['low'], effective_risk: { min: 'medium' } },
      'reachable',
    ],
    ['an effect', { effects_any: ['sends mail', 'x'] }, 'reachable'],
    ['an effect that it does not have', { effects_any: ['x'] }, 'unreachable'],
    ['reversibility', { reversibility: ['irreversible'] }, 'reachable'],
    ['other reversibility', { reversibility: 'reversible' }, 'unreachable'],
    ['catalogued', { catalogued: true }, 'reachable'],
    ['not catalogued', { catalogued: false }, 'unreachable'],
    ['any denial', { decision: 'deny', system: 'payments', operation: 'refund' }, 'reachable'],
    ['a held one at the threshold', { decision: 'needs_approval', claimed_risk: ['medium'] }, 'unreachable'],
  ]

  test.each(cases)('%s', (_, query, expected) => {
    expect(answerTo(reviewed, query).result).toBe(expected)
  })

  test('an unknown system is answered, with a warning', () => {
    const { outcomes, warnings } = verify(reviewed, [
      { system: 'crm' },
      { system: 'payments', operation: 'charge' },
    ])
    expect(outcomes.map(({ result }) => result)).toEqual(['unreachable', 'unreachable'])
    expect(warnings.map(({ code }) => code)).toEqual(['unknown_system', 'unknown_operation'])
  })

  test('an operation that nothing names is tried where the policy admits any', () => {
    const any = subjectOf(policyWith({}, { allowed_operations: {} }))
    expect(answerTo(any, { where: { amount: { min: 5 } } }).result).toBe('reachable')
    expect(answerTo(any, { operation: 'never-heard-of' }).witness?.action.operation).toBe('never-heard-of')
    expect(answerTo({ ...any, mode: 'strict' }, {}).result).toBe('unreachable')
  })

  test('nothing is denied that everything admits', () => {
    const any = subjectOf(policyWith({}, { allowed_operations: {}, parameter_constraints: {} }))
    expect(answerTo(any, { decision: 'deny', system: 'payments' }).result).toBe('unreachable')
    expect(answerTo(any, { decision: 'deny' }).witness?.action.target_system).toBe('any-system')
  })

  test('strict mode without a catalog refuses all', () => {
    expect(answerTo({ ...refunds, mode: 'strict' }, {}).why).toContain('strict mode asks for a catalog')
  })
})

describe('required outcomes', () => {
  test('have to be reachable', () => {
    const subject = subjectOf(policyWith({ amount: { max: 5 } }))
    const answer = verify(subject, [])
    expect(answer.outcomes.every(({ expected }) => expected === 'unreachable')).toBe(true)
  })
})
