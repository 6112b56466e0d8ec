import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { brokenWays, type Demand, demandsWith, mergeDemands } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'
import { claimsOf, describes, type Outcome } from '../outcome.ts'
import type { Search } from '../path.ts'
import type { Doubt } from '../step-budget.ts'
import { AdmittedParameters, type FoundParameters, findParameters } from './find-parameters.ts'

/** A proposal for an operation, as far as the search has to find it. */
export interface Sketch {
  parameters: JsonObject
  claim: RiskLevel
}

export interface Reached {
  sketch: Sketch | null
  /** Why it is not known that there is none. */
  doubt: Doubt | null
  /** What excludes it: the code of a check, `value` and the parameter for which none does; null where it is not described. */
  obstacle: string | null
}

/** Whether a proposal for one operation matches the description and gets one of the decisions. */
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

/** Denied is what one check at least fails: each is asked for by itself. */
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
  /** Path of the constraint that fails; null: the schema, or a check that nothing passes. */
  path: string | null
  demands: ReadonlyMap<string, Demand>
  breaks: NonNullable<OperationRules['schema']>[]
}

/** What makes parameters fail: all that come with it fail. */
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

/** Remembered with the rules. */
export function admittedParameters(rules: OperationRules): AdmittedParameters {
  const known = admitted.get(rules)
  if (known) return known
  const fresh = new AdmittedParameters(rules)
  admitted.set(rules, fresh)
  return fresh
}
