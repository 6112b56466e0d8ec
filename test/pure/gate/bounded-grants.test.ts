import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grantProblem } from '../../../shared/audit/verify/grant-problem.ts'
import { type RiskLevel, riskLevels, riskRank } from '../../../shared/contract/action/proposal-schema.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { GrantClause } from '../../../shared/contract/configuration/grant-clause.ts'
import {
  compileGrant,
  type GrantSubject,
  grantsFor,
  underGrant,
} from '../../../shared/gate/bounded-grants.ts'
import { compilePolicies } from '../../../shared/gate/compiled-policy.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'

const read = readPolicy({
  allowed_systems: ['payments'],
  approval_required_at: 'medium',
  approvals_required: 2,
  review_route: 'leads',
})
if (!read.ok) throw new Error('the policy is not valid')
const compiled = compilePolicies({
  policy: read.policy,
  policyRevision: 3,
  policyHash: read.hash,
  catalog: null,
  actuators: [{ name: 'payments', kind: 'mock', settings: {} }],
  strict: false,
})

const clause: GrantClause = {
  grant_id: 'grt_1',
  key_id: 'agk_1',
  system: 'payments',
  operation: 'refund',
  constraints: { amount: { max: 50, required: true }, 'order.kind': { one_of: ['a', 'b'], required: true } },
  risk_max: 'medium',
  uses_max: 20,
  ends_at: '2026-11-26T18:00:00.000Z',
  policy_hash: read.hash,
  catalog_hash: null,
}
const fitting = { amount: 50, order: { kind: 'a' } }
const subject: GrantSubject = {
  system: 'payments',
  operation: 'refund',
  key_id: 'agk_1',
  parameters: fitting,
  now: '2026-11-26T17:59:59.999Z',
  registration: () => undefined,
}

interface Asked {
  risk?: RiskLevel
  subject?: Partial<GrantSubject>
  clause?: Partial<GrantClause>
}

function ask(asked: Asked = {}) {
  const of = { ...subject, ...asked.subject }
  const proposal = {
    proposal_id: 'p-1',
    actor: { agent_id: 'agent' },
    summary: 'Refund',
    action: { target_system: of.system, operation: of.operation, parameters: of.parameters },
    risk: { level: asked.risk ?? 'medium' },
  }
  const grant = compileGrant({ ...clause, ...asked.clause })
  const evaluation = evaluate(proposal, compiled)
  return { proposal, grant, evaluation, found: grantsFor(evaluation, [grant], of) }
}

/** What the verifier says of the verdict that a use makes, whether or not the gate would make it. */
function verified(asked: Asked, use = 1): string | null {
  const { proposal, grant, evaluation } = ask(asked)
  const { key_id, now } = { ...subject, ...asked.subject }
  const verdict = { ...underGrant(evaluation, grant, use), principal: { key_id } }
  return grantProblem({
    place: 1,
    at: now,
    verdict: verdict as unknown as JsonObject,
    proposal: proposal as unknown as JsonObject,
  })
}

describe('a grant', () => {
  test('allows what is held and within it, and drops what people were to give', () => {
    const { evaluation, grant, found } = ask()
    expect(evaluation).toMatchObject({ decision: 'needs_approval', approvals_required: 2 })
    expect(found).toEqual([grant])
    const allowed = underGrant(evaluation, grant, 7)
    expect(allowed).toMatchObject({ decision: 'allow', review_route: null, grant: { clause, use: 7 } })
    expect(allowed).not.toHaveProperty('approvals_required')
    expect(allowed.checks.at(-1)).toMatchObject({ check: 'bounded_grant', code: 'granted', outcome: 'pass' })
    expect(verified({}, 7)).toBeNull()
  })

  test.each<[string, Asked, string]>([
    ['another key', { subject: { key_id: 'agk_2' } }, 'another key'],
    ['another operation', { subject: { operation: 'payout' } }, 'another operation'],
    [
      'a parameter beyond its bound',
      { subject: { parameters: { ...fitting, amount: 50.01 } } },
      'beyond amount',
    ],
    ['a parameter that is missing', { subject: { parameters: { amount: 1 } } }, 'beyond order.kind'],
    ['a higher risk', { risk: 'high' }, 'a lower risk'],
    ['a time at its end', { subject: { now: clause.ends_at } }, 'had ended'],
    ['another policy', { clause: { policy_hash: `sha256:${'1'.repeat(64)}` } }, 'another policy'],
    ['a catalog', { clause: { catalog_hash: `sha256:${'1'.repeat(64)}` } }, 'another catalog'],
  ])('does not cover %s, and no verdict of it is verified', (_, asked, problem) => {
    expect(ask(asked).found).toEqual([])
    expect(verified(asked)).toContain(problem)
  })

  test('covers nothing that is denied or allowed without it', () => {
    expect(ask({ subject: { system: 'crm' }, clause: { system: 'crm' } }).found).toEqual([])
    expect(ask({ risk: 'low' }).found).toEqual([])
    expect(verified({ risk: 'low' })).toContain('takes no approval')
  })

  test.each([0, 21, 1.5])('has no use %s', use => {
    expect(verified({}, use)).toContain(`is use ${use} of a grant of 20`)
  })
})

test('a verdict with another clause than its hash, or without a grant, is no allowance', () => {
  const { evaluation, grant, proposal } = ask()
  const allowed = underGrant(evaluation, grant, 1)
  const problemOf = (verdict: object) =>
    grantProblem({
      place: 1,
      at: subject.now,
      verdict: { principal: { key_id: 'agk_1' }, ...verdict } as unknown as JsonObject,
      proposal: proposal as unknown as JsonObject,
    })
  const wider = { ...clause, uses_max: 1_000 }
  expect(problemOf({ ...allowed, grant: { ...allowed.grant, clause: wider } })).toContain(
    'another grant than it shows',
  )
  const { grant: _, ...without } = allowed
  expect(problemOf(without)).toContain('takes approval')
  expect(problemOf({ ...allowed, grant: 7 })).toContain('a grant that is none')
  expect(problemOf({ ...allowed, decision: 'deny' })).toContain('decides deny by a grant')
  expect(problemOf(evaluation)).toBeNull()
})

test('gate and verifier agree on every bound', () => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom('a', 'b', null, true),
    fc.constant(undefined),
  )
  const bound = fc.record(
    {
      required: fc.boolean(),
      min: fc.integer({ min: -2, max: 2 }),
      max: fc.integer({ min: -2, max: 2 }),
      one_of: fc.array(fc.constantFrom(1, 2, 'a', null), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['required'] },
  )
  fc.assert(
    fc.property(value, bound, fc.constantFrom(...riskLevels), (amount, constraint, risk_max) => {
      const parameters = amount === undefined ? {} : { amount }
      const asked = { clause: { constraints: { amount: constraint }, risk_max }, subject: { parameters } }
      const isCovered = ask(asked).found.length === 1
      expect(verified(asked) === null).toBe(isCovered)
      if (riskRank[risk_max] < riskRank.medium) expect(isCovered).toBe(false)
    }),
  )
})
