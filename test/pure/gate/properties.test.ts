import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { riskLevels, riskRank } from '../../../shared/contract/action/proposal-schema.ts'
import type { Evaluation } from '../../../shared/contract/action/verdict.ts'
import type { Policy, PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'
import { constrainingPolicyArbitrary, policyArbitrary, proposalArbitrary, systems } from './arbitrary.ts'
import { compiledPolicyOf, deepFreeze } from './gate-case.ts'
import { naiveGate } from './naive-gate.ts'

const runs = { numRuns: 1_000 }
const strictness = { deny: 2, needs_approval: 1, allow: 0 }
const actuators = fc.subarray(systems)

function codesOf(evaluation: Evaluation): (string | null)[] {
  return evaluation.checks.filter(check => check.outcome === 'fail').map(check => check.code)
}

describe('the gate', () => {
  it('agrees with a naive reading of the policy document', () => {
    const decisions = { allow: 0, needs_approval: 0, deny: 0 }
    fc.assert(
      fc.property(
        policyArbitrary,
        proposalArbitrary,
        actuators,
        fc.boolean(),
        (policy, proposal, names, strict) => {
          const evaluation = evaluate(proposal, compiledPolicyOf(policy, { actuators: names, strict }))
          const expected = naiveGate(proposal, policy, { actuators: names, strict })

          expect({ decision: evaluation.decision, codes: codesOf(evaluation).sort() }).toEqual(expected)
          expect(evaluation.review_route).toBe(
            expected.decision === 'needs_approval' ? policy.review_route : null,
          )
          decisions[evaluation.decision] += 1
        },
      ),
      runs,
    )
    expect(Math.min(...Object.values(decisions))).toBeGreaterThan(0)
  })

  it('agrees with it on constrained parameters', () => {
    const seen = new Map<string | null, number>()
    fc.assert(
      fc.property(constrainingPolicyArbitrary, proposalArbitrary, (policy, generated) => {
        const proposal = { ...generated, action: { ...generated.action, target_system: 'crm' } }
        const codes = codesOf(evaluate(proposal, compiledPolicyOf(policy)))

        expect(codes.sort()).toEqual(naiveGate(proposal, policy, { actuators: ['crm'], strict: false }).codes)
        for (const code of codes.length > 0 ? codes : ['none']) seen.set(code, (seen.get(code) ?? 0) + 1)
      }),
      runs,
    )
    expect([...seen.keys()].sort()).toEqual([
      'none',
      'parameter_above_max',
      'parameter_ambiguous',
      'parameter_below_min',
      'parameter_missing',
      'parameter_not_a_number',
      'parameter_not_equal',
      'parameter_not_one_of',
    ])
  })

  it('never loosens when the claimed risk is raised', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, (policy, proposal) => {
        const compiled = compiledPolicyOf(policy, { actuators: systems })
        const ranks = riskLevels.map(
          level => strictness[evaluate({ ...proposal, risk: { level } }, compiled).decision],
        )
        expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
      }),
      runs,
    )
  })

  it('never loosens when the threshold is lowered', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, (policy, proposal) => {
        const ranks = riskLevels
          .toSorted((left, right) => riskRank[right] - riskRank[left])
          .map(
            level =>
              evaluate(proposal, compiledPolicyOf({ ...policy, approval_required_at: level })).decision,
          )
          .map(decision => strictness[decision])
        expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
      }),
      runs,
    )
  })

  it('denies once the allowed system or operation is removed', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, (policy, proposal) => {
        const { target_system, operation } = proposal.action
        for (const narrower of [
          withoutSystem(policy, target_system),
          withoutOperation(policy, target_system, operation),
        ]) {
          expect(evaluate(proposal, compiledPolicyOf(narrower, { actuators: systems })).decision).toBe('deny')
        }
      }),
      runs,
    )
  })

  it('is strictest in strict mode', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, (policy, proposal) => {
        const basic = evaluate(proposal, compiledPolicyOf(policy, { actuators: systems }))
        const strict = evaluate(proposal, compiledPolicyOf(policy, { actuators: systems, strict: true }))
        expect(strictness[strict.decision]).toBeGreaterThanOrEqual(strictness[basic.decision])
        expect(codesOf(strict)).toEqual(expect.arrayContaining(codesOf(basic)))
      }),
      runs,
    )
  })

  it('is deterministic and leaves its inputs alone', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, (policy, generated) => {
        const proposal = deepFreeze(structuredClone(generated))
        const compiled = compiledPolicyOf(policy)
        const first = evaluate(proposal, compiled)
        expect(evaluate(proposal, compiled)).toEqual(first)
        expect(evaluate(generated, compiledPolicyOf(policy))).toEqual(first)
      }),
      runs,
    )
  })

  it('counts the failing checks, and nothing else, as reasons', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, fc.boolean(), (policy, proposal, strict) => {
        const { decision, checks, blocking_reasons } = evaluate(
          proposal,
          compiledPolicyOf(policy, { strict }),
        )
        expect(blocking_reasons).toHaveLength(checks.filter(check => check.outcome === 'fail').length)
        expect(decision === 'deny').toBe(blocking_reasons.length > 0)
      }),
      runs,
    )
  })
})

describe('normalized policies', () => {
  it('are their own normalized form', () => {
    fc.assert(
      fc.property(policyArbitrary, policy => {
        const once = expectAccepted(policy)
        const twice = expectAccepted(once.policy)
        expect(twice.hash).toBe(once.hash)
        expect(twice.policy).toEqual(once.policy)
        expect(expectAccepted(JSON.parse(JSON.stringify(once.policy))).hash).toBe(once.hash)
      }),
      runs,
    )
  })

  it('do not depend on the order or the repetition of what was written', () => {
    fc.assert(
      fc.property(policyArbitrary, policy => {
        expect(expectAccepted(rewritten(policy)).hash).toBe(expectAccepted(policy).hash)
      }),
      runs,
    )
  })
})

function expectAccepted(policy: unknown): { policy: Policy; hash: string } {
  const read = readPolicy(policy)
  if (!read.ok) throw new Error(JSON.stringify(read.issues))
  return read
}

function withoutSystem(policy: PolicyInput, system: string): PolicyInput {
  return { ...policy, allowed_systems: policy.allowed_systems.filter(name => name !== system) }
}

/** Where any operation was allowed, an explicit empty list takes its place. */
function withoutOperation(policy: PolicyInput, system: string, operation: string): PolicyInput {
  const listed = new Map(Object.entries(policy.allowed_operations ?? {})).get(system) ?? []
  const rest = listed.filter(name => name !== operation)
  return { ...policy, allowed_operations: { ...policy.allowed_operations, [system]: rest } }
}

/** The same policy written the other way round, every set twice over. */
function rewritten(policy: PolicyInput): unknown {
  return turned({
    ...policy,
    allowed_systems: twiceOver(policy.allowed_systems),
    allowed_operations: mapMembers(policy.allowed_operations, twiceOver),
    parameter_constraints: mapMembers(policy.parameter_constraints, ofSystem =>
      mapMembers(ofSystem, ofOperation =>
        mapMembers(ofOperation, constraint =>
          turned(constraint.one_of ? { ...constraint, one_of: twiceOver(constraint.one_of) } : constraint),
        ),
      ),
    ),
  })
}

function mapMembers<From>(record: Record<string, From> | undefined, map: (member: From) => unknown): object {
  return turned(Object.fromEntries(Object.entries(record ?? {}).map(([name, member]) => [name, map(member)])))
}

function turned(record: object): object {
  return Object.fromEntries(Object.entries(record).reverse())
}

function twiceOver(set: readonly unknown[]): unknown[] {
  return [...set, ...set].reverse()
}
