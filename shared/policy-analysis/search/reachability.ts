import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { brokenWays, type Demand, demandsWith, mergeDemands } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'
import { claimsOf, describes, type Outcome } from '../outcome.ts'
import type { Search } from '../path.ts'
import type { Doubt } from '../step-budget.ts'
import { AdmittedParameters, type FoundParameters, findParameters } from './find-parameters.ts'

export interface Sketch {
  parameters: JsonObject
  claim: RiskLevel
}

export interface Reached {
  sketch: Sketch | null
  doubt: Doubt | null
  /**
   * The obstacle: the code of a check, or `value` and the parameter that has no value. It is null if the
   * operation does not fit the outcome.
   */
  obstacle: string | null
}

export function* reach(outcome: Outcome, rules: OperationRules, search: Search): Slices<Reached> {
  if (!describes(outcome, rules)) return nothing
  const claims = claimsOf(outcome, rules)
  const admitted = yield* reachAdmitted(outcome, { rules, claims }, search)
  if (admitted.sketch || !outcome.decisions.includes('deny')) return admitted
  const denied = yield* reachDenied(outcome, { rules, claims }, search)
  return { ...denied, doubt: denied.doubt ?? admitted.doubt }
}

interface Claimed {
  rules: OperationRules
  claims: readonly RiskLevel[]
}

const nothing: Reached = { sketch: null, doubt: null, obstacle: null }

function* reachAdmitted(
  { decisions, where }: Outcome,
  { rules, claims }: Claimed,
  search: Search,
): Slices<Reached> {
  if (rules.refusal !== null) return { ...nothing, obstacle: rules.refusal }
  const claim = claims.find(level => decisions.includes(rules.decisions[level]))
  if (claim === undefined) return { ...nothing, obstacle: 'approval_threshold' }
  const touched = demandsWith(rules.demands, where)
  return answer(yield* admittedParameters(rules).find(touched, search), claim)
}

/** Breaks one check at a time, because one failed check suffices to deny. */
function* reachDenied(outcome: Outcome, { rules, claims }: Claimed, search: Search): Slices<Reached> {
  const [claim] = claims
  if (claim === undefined) return { ...nothing, obstacle: 'approval_threshold' }
  let doubt: Doubt | null = null
  for (const failure of failuresOf(rules)) {
    const demands = mergeDemands(outcome.where, failure.demands)
    const found = yield* findParameters({ demands, meets: [], breaks: failure.breaks }, search)
    if (found.parameters) return answer(found, claim)
    doubt ??= found.doubt
  }
  return { ...nothing, doubt, obstacle: 'nothing_refuses' }
}

export interface Failure {
  /** The path of the constraint that fails; null for the schema, or for a check that always fails. */
  path: string | null
  demands: ReadonlyMap<string, Demand>
  breaks: NonNullable<OperationRules['schema']>[]
}

/** Returns the ways to fail. Each of these ways alone denies a proposal. */
export function failuresOf({ refusal, constraints, schema }: OperationRules): Failure[] {
  const ofNone = { path: null, demands: new Map() }
  if (refusal !== null) return [{ ...ofNone, breaks: [] }]
  const ofConstraints = constraints.flatMap(constraint =>
    brokenWays(constraint).map(demands => ({ path: constraint.path, demands, breaks: [] })),
  )
  return [...ofConstraints, ...(schema ? [{ ...ofNone, breaks: [schema] }] : [])]
}

function answer({ parameters, doubt, blocked }: FoundParameters, claim: RiskLevel): Reached {
  if (parameters) return { sketch: { parameters, claim }, doubt: null, obstacle: null }
  return { sketch: null, doubt, obstacle: blocked === '' ? 'parameters' : `value ${blocked}` }
}

const admitted = new WeakMap<OperationRules, AdmittedParameters>()

export function admittedParameters(rules: OperationRules): AdmittedParameters {
  const known = admitted.get(rules)
  if (known) return known
  const fresh = new AdmittedParameters(rules)
  admitted.set(rules, fresh)
  return fresh
}
