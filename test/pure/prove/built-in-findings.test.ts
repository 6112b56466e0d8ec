import { describe, expect, test } from 'vitest'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { entryWith, policyWith, subjectOf, verify } from './proof-case.ts'

/** What is found, with why, by name. */
function found(subject: Subject): Record<string, string | undefined> {
  const { outcomes } = verify(subject, [])
  return Object.fromEntries(
    outcomes.filter(({ result }) => result === 'reachable').map(({ name, why }) => [name, why]),
  )
}

const amount = { amount: { type: 'number' } }
const bounded = policyWith({ amount: { max: 500 } })

describe('without outcomes, findings are looked for', () => {
  test('and a tight policy has none', () => {
    const subject = subjectOf(bounded, [entryWith(amount)], 'strict')
    expect(found(subject)).toEqual({})
    const { result, outcomes } = verify(subject, [])
    expect(result).toBe('verified')
    expect(outcomes.map(({ name }) => name)).toEqual([
      'irreversible_effect_allowed',
      'uncatalogued_operation_admitted',
      'risk_at_threshold_allowed',
      'unnamed_operation_admitted',
      'operation_that_nothing_passes',
      'constraint_that_changes_nothing',
    ])
  })

  test('an irreversible effect', () => {
    const entry = entryWith(amount, { reversibility: 'irreversible' })
    expect(found(subjectOf(bounded, [entry]))).toEqual({
      irreversible_effect_allowed: 'the gate decides allow on the witness',
    })
    expect(found(subjectOf(bounded, [{ ...entry, minimum_risk: 'high' }]))).toEqual({})
  })

  test('operations that no catalog and no policy names', () => {
    expect(found(subjectOf(policyWith({ amount: { max: 5 } }, { allowed_operations: {} })))).toEqual({
      uncatalogued_operation_admitted: 'the gate decides allow on the witness',
      unnamed_operation_admitted: 'the gate decides allow on the witness',
    })
  })

  test('operations that nothing passes', () => {
    const above = policyWith({ amount: { min: 11 } })
    const entry = entryWith({ amount: { type: 'number', maximum: 10 } })
    expect(found(subjectOf(above, [entry]))).toEqual({ operation_that_nothing_passes: 'payments/refund' })
    const unlisted = policyWith({}, { allowed_operations: { payments: ['charge', 'refund'] } })
    expect(found(subjectOf(unlisted, [entry]))).toEqual({ operation_that_nothing_passes: 'payments/charge' })
  })

  test('constraints that change nothing', () => {
    const entry = entryWith(
      { amount: { type: 'number', maximum: 10 }, to: { type: 'string' } },
      {},
      { required: ['amount'] },
    )
    const idle = policyWith({ amount: { max: 10 }, to: { required: false }, 'none.x': { required: false } })
    expect(found(subjectOf(idle, [entry]))).toEqual({
      constraint_that_changes_nothing:
        'payments/refund: amount, payments/refund: none.x, payments/refund: to',
    })
    const byShape = policyWith({ 'to.x': { required: false } })
    expect(found(subjectOf(byShape, [entry]))).toEqual({})
  })

  test('a keyword that is not modelled leaves them open', () => {
    const entry = entryWith(
      { amount: { type: 'string', pattern: '^[ab]*b[ab]{12}$', minLength: 20 } },
      {},
      { required: ['amount'] },
    )
    const { outcomes, result } = verify(subjectOf(policyWith({}), [entry]), [])
    expect(outcomes[4]).toMatchObject({
      result: 'inconclusive',
      why: 'the keyword pattern at amount is not modelled',
    })
    expect(result).toBe('inconclusive')
  })
})
