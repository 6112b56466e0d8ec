import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Proposal, riskLevels, riskRank } from '../../../shared/contract/action/proposal-schema.ts'
import type { Evaluation } from '../../../shared/contract/action/verdict.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { operations, policyArbitrary, proposalArbitrary, systems } from './arbitrary.ts'
import { catalogEntry, compiledPolicyOf, deepFreeze } from './gate-case.ts'
import { naiveMeets } from './naive-schema.ts'

const runs = { numRuns: 500 }
const strictness = { deny: 2, needs_approval: 1, allow: 0 }
const hashes = ['0', '1'].map(digit => `sha256:${digit.repeat(64)}`)

const actuators = systems.map((name, index): RegisteredActuator => {
  if (index === 0) return { name, kind: 'mock', settings: {} }
  return { name, kind: 'module', settings: { tool_schema_hash: hashes[index - 1] ?? '' } }
})

const scalar = { type: ['number', 'string', 'null', 'boolean'] }
const wide = { n: scalar, m: scalar, constructor: scalar, 'n.m': scalar }
const schemas: JsonObject[] = [
  wide,
  wide,
  { ...wide, n: { type: 'number', minimum: 0 } },
  { n: scalar, m: { type: 'string' } },
].map(properties => ({ type: 'object', properties, additionalProperties: false }))

/** Entries for most operations of the small world, of which most fit the registered actuators. */
const catalog = fc
  .subarray(
    systems.flatMap(system => operations.map(operation => ({ system, operation }))),
    { minLength: 6 },
  )
  .chain(chosen => fc.tuple(...chosen.map(entryFor)))

function entryFor(about: { system: string; operation: string }): fc.Arbitrary<CatalogOperation> {
  const kind = registered(about.system)?.kind ?? 'mock'
  return fc
    .record({
      parameter_schema: fc.constantFrom(...schemas),
      minimum_risk: fc.constantFrom(...riskLevels),
      kind: fc.constantFrom(kind, kind, kind, 'mock'),
      tool_schema_hash: fc.constantFrom(null, null, null, ...hashes),
    })
    .map(({ kind, ...rest }) => catalogEntry({ ...about, ...rest, actuator: { name: about.system, kind } }))
}

function registered(system: string): RegisteredActuator | undefined {
  return actuators.find(actuator => actuator.name === system)
}

/** The reasons of specification.md#the-gate that a catalog adds, read off its entries. */
function naiveReasons({ action }: Proposal, entries: readonly CatalogOperation[]): string[] {
  const { target_system: system, operation, parameters } = action
  const found = entries.find(entry => entry.system === system && entry.operation === operation)
  if (!found) return ['operation_not_in_catalog']
  const actuator = registered(system)
  const tool = actuator?.kind === 'module' ? actuator.settings.tool_schema_hash : null
  return [
    ...(naiveMeets(found.parameter_schema, parameters) ? [] : ['parameters_outside_schema']),
    ...(found.actuator.kind === actuator?.kind ? [] : ['actuator_binding_mismatch']),
    ...(found.tool_schema_hash === null || found.tool_schema_hash === tool ? [] : ['tool_schema_mismatch']),
  ]
}

function failing(evaluation: Evaluation): (string | null)[] {
  return evaluation.checks.filter(check => check.outcome === 'fail').map(check => check.code)
}

describe('a catalog', () => {
  it('never loosens a decision, and adds its reasons to those of the policy', () => {
    const decided = { allow: 0, needs_approval: 0, deny: 0 }
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, catalog, (policy, proposal, entries) => {
        const without = evaluate(proposal, compiledPolicyOf(policy, { actuators }))
        const withTimeout = evaluate(proposal, compiledPolicyOf(policy, { actuators, catalog: entries }))
        expect(strictness[withTimeout.decision]).toBeGreaterThanOrEqual(strictness[without.decision])
        expect(failing(withTimeout)).toEqual(expect.arrayContaining(failing(without)))
        decided[withTimeout.decision] += 1
      }),
      { numRuns: 1_500 },
    )
    expect(Math.min(...Object.values(decided))).toBeGreaterThan(0)
  })

  it('denies as a naive reading of its entries does', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, catalog, (policy, proposal, entries) => {
        const codes = failing(evaluate(proposal, compiledPolicyOf(policy, { actuators, catalog: entries })))
        const added = codes.filter(code => /catalog|schema|binding/.test(code ?? ''))
        expect([...new Set(added)]).toEqual(naiveReasons(proposal, entries))
      }),
      runs,
    )
  })

  it('never loosens when a minimum risk is raised', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, catalog, (policy, proposal, entries) => {
        const ranks = riskLevels.map(minimum_risk => {
          const raised = entries.map(one => ({ ...one, minimum_risk }))
          return strictness[
            evaluate(proposal, compiledPolicyOf(policy, { actuators, catalog: raised })).decision
          ]
        })
        expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
      }),
      runs,
    )
  })

  it('decides by the higher of claim and minimum, and says which it was', () => {
    fc.assert(
      fc.property(
        proposalArbitrary,
        fc.constantFrom(...riskLevels),
        fc.constantFrom(...riskLevels),
        (made, minimum_risk, threshold) => {
          const policy = { allowed_systems: ['s'], approval_required_at: threshold, review_route: 'ops' }
          const proposal = { ...made, action: { target_system: 's', operation: 'op', parameters: {} } }
          const { decision, effective_risk } = evaluate(
            proposal,
            compiledPolicyOf(policy, { catalog: [{ minimum_risk }] }),
          )
          const claimed = proposal.risk.level
          const level = riskRank[minimum_risk] > riskRank[claimed] ? minimum_risk : claimed
          expect(effective_risk).toEqual({ level, claimed, raised_by: level === claimed ? null : 'catalog' })
          expect(decision).toBe(riskRank[level] >= riskRank[threshold] ? 'needs_approval' : 'allow')
        },
      ),
      { numRuns: 200 },
    )
  })

  it('leaves its inputs alone, and decides the same again', () => {
    fc.assert(
      fc.property(policyArbitrary, proposalArbitrary, catalog, (policy, generated, entries) => {
        const proposal = deepFreeze(structuredClone(generated))
        const compiled = compiledPolicyOf(policy, { actuators, catalog: entries })
        const first = evaluate(proposal, compiled)
        expect(evaluate(proposal, compiled)).toEqual(first)
        expect(
          evaluate(generated, compiledPolicyOf(policy, { actuators, catalog: entries.toReversed() })),
        ).toEqual(first)
      }),
      runs,
    )
  })
})
