import { type Proposal, type RiskLevel, riskLevels, riskRank } from '../contract/action/proposal-schema.ts'
import type { Decision, Evaluation } from '../contract/action/verdict.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { OutcomeQuery } from '../contract/configuration/verification-schema.ts'
import { conditionAt, type Demand, demandTree, meetsDemand } from './demand.ts'
import type { OperationRules } from './operation-rules.ts'
import type { Target } from './operations.ts'
import { wherePredicate } from './predicate.ts'

/** A question: can a proposal that fits this description get one of the decisions? */
export interface Outcome {
  name: string
  expected: 'unreachable' | 'reachable'
  decisions: readonly Decision[]
  system: string | undefined
  operation: string | undefined
  where: ReadonlyMap<string, Demand>
  paths: number
  claims: readonly RiskLevel[]
  effective: { min: RiskLevel; max: RiskLevel }
  effects: ReadonlySet<string> | null
  reversibility: ReadonlySet<string> | null
  catalogued: boolean | undefined
  /** True if the question is only about systems and operations that no document names. */
  fresh: boolean
}

export function outcomeOf(query: OutcomeQuery, expected: Outcome['expected']): Outcome {
  const { where = {}, reversibility, effects_any } = query
  return {
    name: query.name,
    expected,
    decisions: [query.decision],
    system: query.system,
    operation: query.operation,
    where: demandTree(Object.entries(where).map(([path, asked]) => conditionAt(path, wherePredicate(asked)))),
    paths: Object.keys(where).length,
    claims: query.claimed_risk ? riskLevels.filter(level => query.claimed_risk?.includes(level)) : riskLevels,
    effective: { min: query.effective_risk?.min ?? 'low', max: query.effective_risk?.max ?? 'high' },
    effects: effects_any ? new Set(effects_any) : null,
    reversibility: reversibility === undefined ? null : new Set([reversibility].flat()),
    catalogued: query.catalogued,
    fresh: false,
  }
}

export function concerns(outcome: Outcome, { system, operation, fresh }: Target): boolean {
  return (
    (outcome.system === undefined || outcome.system === system) &&
    (outcome.operation === undefined || outcome.operation === operation) &&
    (!outcome.fresh || fresh)
  )
}

export function describes(outcome: Outcome, { entry }: OperationRules): boolean {
  if (outcome.catalogued !== undefined && outcome.catalogued !== (entry !== null)) return false
  if (outcome.effects && !entry?.effects.some(effect => outcome.effects?.has(effect))) return false
  return outcome.reversibility === null || (entry !== null && outcome.reversibility.has(entry.reversibility))
}

export function claimsOf({ claims, effective }: Outcome, rules: OperationRules): RiskLevel[] {
  return claims.filter(claim => {
    const rank = riskRank[rules.effective[claim]]
    return rank >= riskRank[effective.min] && rank <= riskRank[effective.max]
  })
}

export function matchesWhere({ where }: Outcome, parameters: JsonObject): boolean {
  return [...where].every(([name, demand]) =>
    meetsDemand(demand, Object.hasOwn(parameters, name) ? parameters[name] : undefined),
  )
}

/** Returns true if the proposal and its decision fit the whole description of the outcome. */
export function isWitness(
  outcome: Outcome,
  rules: OperationRules,
  { proposal, evaluation }: { proposal: Proposal; evaluation: Evaluation },
): boolean {
  const { target_system: system, operation, parameters } = proposal.action
  return (
    concerns(outcome, { ...rules.target, system, operation }) &&
    describes(outcome, rules) &&
    claimsOf(outcome, rules).includes(proposal.risk.level) &&
    riskRank[evaluation.effective_risk.level] === riskRank[rules.effective[proposal.risk.level]] &&
    matchesWhere(outcome, parameters) &&
    outcome.decisions.includes(evaluation.decision)
  )
}
