import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { GrantClause } from '../../../shared/contract/configuration/grant-clause.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { type GrantProof, proveGrant } from '../../../shared/policy-analysis/grant/prove-grant.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { entryWith, policyWith, subjectOf } from './proof-case.ts'

const hash = `sha256:${'0'.repeat(64)}`

function clause(constraints: GrantClause['constraints'], more: Partial<GrantClause> = {}): GrantClause {
  return {
    grant_id: 'grt_1',
    key_id: 'agk_1',
    system: 'payments',
    operation: 'refund',
    constraints,
    risk_max: 'high',
    uses_max: 20,
    ends_at: '2026-11-26T18:00:00.000Z',
    policy_hash: hash,
    catalog_hash: null,
    ...more,
  }
}

const held: Partial<PolicyInput> = { approval_required_at: 'medium' }
const atMost = (max: number) => ({ amount: { max, required: true } })

function prove(subject: Subject, granted: GrantClause, forbidden: object[] = []): GrantProof {
  const named = forbidden.map(query => ({ name: 'forbidden', decision: 'allow' as const, ...query }))
  return inOneGo(proveGrant({ ...subject, clause: granted, forbidden: named }))
}

const codes = ({ faults }: GrantProof): string[] => faults.map(({ code, path }) => `${code} ${path}`)

describe('a grant is proved', () => {
  test('where it bounds what it says, with an example of what it allows', () => {
    const { faults, example } = prove(
      subjectOf(policyWith({ amount: { max: 500 } }, held)),
      clause(atMost(50)),
    )
    expect(faults).toEqual([])
    expect(example).toMatchObject({ action: { target_system: 'payments', operation: 'refund' } })
    expect(Number(example?.action.parameters.amount)).toBeLessThanOrEqual(50)
    expect(['medium', 'high']).toContain(example?.risk.level)
  })

  test('under a catalog, whose minimum of risk it covers', () => {
    const entry = entryWith({ amount: { type: 'number' } }, { minimum_risk: 'medium' })
    const subject = subjectOf(policyWith({}, held), [entry])
    expect(prove(subject, clause(atMost(50), { risk_max: 'medium' })).faults).toEqual([])
    expect(codes(prove(subject, clause(atMost(50), { risk_max: 'low' })))).toEqual(['idle_grant '])
  })
})

describe('a grant is refused', () => {
  test('with the proposal that lacks a parameter which it does not require', () => {
    const entry = entryWith(
      { amount: { type: 'number' }, order: { type: 'integer' } },
      {},
      { required: ['order'] },
    )
    const { faults } = prove(
      subjectOf(policyWith({}, held), [entry]),
      clause({ amount: { max: 50, required: false } }),
    )
    expect(faults).toMatchObject([
      {
        code: 'wider_than_it_says',
        path: 'constraints.amount',
        message:
          'the grant allows a proposal that this does not bound; require the parameter, in this bound or in the catalog',
      },
    ])
    expect(faults[0]?.witness?.action.parameters).not.toHaveProperty('amount')
  })

  test.each<[string, PolicyInput, GrantClause]>([
    ['of an operation that is denied', policyWith({}, held), clause(atMost(50), { operation: 'payout' })],
    ['of what is allowed without it', policyWith({}), clause(atMost(50), { risk_max: 'medium' })],
    ['beyond the policy alone', policyWith({ amount: { min: 100 } }, held), clause(atMost(50))],
  ])('where nothing is held that it fits: %s', (_, policy, granted) => {
    const proof = prove(subjectOf(policy), granted)
    expect(codes(proof)).toEqual(['idle_grant '])
    expect(proof.faults[0]?.message).toContain('; widen its bounds, or raise its highest risk')
  })

  test('where a report that counts forbids what it allows', () => {
    const subject = subjectOf(policyWith({}, held))
    const risk = { effective_risk: { min: 'medium' as const, max: 'high' as const } }
    const forbidden = [{ where: { amount: { min: 30 } }, ...risk }]
    const { faults } = prove(subject, clause(atMost(50)), forbidden)
    expect(faults).toMatchObject([{ code: 'breaks_report', path: 'forbidden' }])
    expect(Number(faults[0]?.witness?.action.parameters.amount)).toBeGreaterThanOrEqual(30)
    expect(prove(subject, clause(atMost(20)), forbidden).faults).toEqual([])
  })
})

test('what a proved grant allows is within its bounds, whatever they are', () => {
  const bound = fc.integer({ min: -100, max: 100 })
  fc.assert(
    fc.property(bound, bound, fc.boolean(), (policyMax, grantMax, required) => {
      const subject = subjectOf(policyWith({ amount: { max: policyMax, required: false } }, held))
      const { faults, example } = prove(subject, clause({ amount: { max: grantMax, required } }))
      expect(faults.length === 0).toBe(required)
      if (required)
        expect(Number(example?.action.parameters.amount)).toBeLessThanOrEqual(Math.min(policyMax, grantMax))
      else expect(faults[0]?.witness?.action.parameters).toEqual({})
    }),
  )
})
