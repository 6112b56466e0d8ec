import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { CatalogOperation } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import { brokenWays } from '../demand.ts'
import { type OperationRules, rulesLookup } from '../operation-rules.ts'
import type { Subject } from '../operations.ts'
import { createSearch } from '../search/find.ts'
import { type FoundParameters, findParameters } from '../search/find-parameters.ts'
import { admittedParameters } from '../search/reachability.ts'
import { OutOfSteps, StepBudget } from '../step-budget.ts'
import { verifyPolicy } from '../verify/policy-verification.ts'

export interface OperationProof {
  passes(): Slices<Proved>
  schemaTakes(): Slices<Proved>
  /** Proves whether the constraint on this path alone denies some proposal. */
  breaksOnly(path: string): Slices<Proved>
  /** Finds a proposal that the gate allows. The result null proves that none exists. */
  allowed(): Slices<Proposal | null | 'inconclusive'>
}

export type Proved = boolean | 'inconclusive'
export type ProveOperation = (about: ProvedOperation) => OperationProof

export interface ProvedOperation {
  system: string
  operation: string
  policy: Policy
  entry: CatalogOperation | null
}

const bodyLimit = 262_144

/**
 * Proves statements about one operation. It uses only that operation's part of the documents, so that a proof
 * stays cheap. It assumes the actuator and tool of the catalog entry, because admission reports a mismatch
 * separately.
 */
export const proveOperation: ProveOperation = about => {
  const { system, operation } = about
  const subject = alone(about)
  const meter = new StepBudget(limits.verify_steps_max)
  const rules = rulesLookup(subject, meter)({ system, operation, fresh: false })
  const search = createSearch(meter, bodyLimit)
  const { schema } = rules
  return {
    passes: () => proved(rules, admittedParameters(rules).find(new Map(), search)),
    schemaTakes: () =>
      proved(
        rules,
        findParameters({ demands: new Map(), meets: schema ? [schema] : [], breaks: [] }, search),
      ),
    *breaksOnly(path) {
      const constraint = rules.constraints.find(one => one.path === path)
      let isOpen = false
      for (const broken of constraint ? brokenWays(constraint, rules.constraints) : []) {
        const answer = yield* proved(rules, admittedParameters(rules).find(broken, search))
        if (answer === true) return true
        isOpen ||= answer === 'inconclusive'
      }
      return isOpen ? 'inconclusive' : false
    },
    *allowed() {
      const query = { name: 'allowed', decision: 'allow', system, operation } as const
      const { outcomes } = yield* verifyPolicy({ ...subject, forbidden: [query] })
      const [answer] = outcomes
      return answer?.result === 'unreachable' ? null : (answer?.witness ?? 'inconclusive')
    },
  }
}

function* proved(rules: OperationRules, search: Slices<FoundParameters>): Slices<Proved> {
  if (rules.constraints.length > limits.verify_paths_max) return 'inconclusive'
  try {
    const { parameters, doubt } = yield* search
    yield
    if (parameters) return rules.refusal === null
    return doubt ? 'inconclusive' : false
  } catch (error) {
    if (error instanceof OutOfSteps) return 'inconclusive'
    throw error
  }
}

function alone({ system, operation, policy, entry }: ProvedOperation): Subject {
  const ofSystem = Object.hasOwn(policy.parameter_constraints, system)
    ? policy.parameter_constraints[system]
    : undefined
  const constraints = (ofSystem && Object.hasOwn(ofSystem, operation) ? ofSystem[operation] : undefined) ?? {}
  return {
    policy: {
      ...policy,
      allowed_systems: [system],
      allowed_operations: { [system]: [operation] },
      parameter_constraints: { [system]: { [operation]: constraints } },
    },
    catalog: entry && { operations: [unbound(entry)] },
    mode: 'basic',
  }
}

function unbound(entry: CatalogOperation): CatalogOperation {
  return { ...entry, actuator: { name: entry.system, kind: 'mock' }, tool_schema_hash: null }
}
