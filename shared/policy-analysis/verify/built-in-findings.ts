import type { Slices } from '../../contract/base/slices.ts'
import type { OutcomeQuery } from '../../contract/configuration/verification-schema.ts'
import { brokenWays, type ConstraintConditions } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'
import { boundedTargets, type Target } from '../operations.ts'
import { type Outcome, outcomeOf } from '../outcome.ts'
import type { Search } from '../path.ts'
import { admittedParameters } from '../search/reachability.ts'
import { type Doubt, OutOfSteps } from '../step-budget.ts'
import { type Answered, answerOutcome, open, type Proof } from './answer-outcome.ts'

/**
 * Looks for the built-in findings of a request that names no outcome
 * (specification.md#verification-of-policies). A finding has the result `reachable`.
 */
export function* builtInFindings(proof: Proof): Slices<Answered[]> {
  const answers: Answered[] = []
  for (const outcome of forbiddenAnyway(proof)) answers.push(yield* answerOutcome(outcome, proof))
  answers.push(yield* lookFor('operation_that_nothing_passes', proof, nothingPasses))
  answers.push(yield* lookFor('constraint_that_changes_nothing', proof, changesNothing))
  return answers
}

function forbiddenAnyway({ subject }: Proof): Outcome[] {
  const threshold = subject.policy.approval_required_at
  const query = (name: string, more: Partial<OutcomeQuery>): Outcome =>
    outcomeOf({ name, decision: 'allow', ...more }, 'unreachable')
  const admitted = { decisions: ['allow', 'needs_approval'] } as const
  return [
    query('irreversible_effect_allowed', { reversibility: 'irreversible' }),
    { ...query('uncatalogued_operation_admitted', { catalogued: false }), ...admitted },
    query('risk_at_threshold_allowed', { catalogued: true, effective_risk: { min: threshold } }),
    { ...query('unnamed_operation_admitted', {}), ...admitted, fresh: true },
  ]
}

interface Look {
  faults: string[]
  doubt: Doubt | null
}

type Looking = (rules: OperationRules, proof: Proof) => Slices<Look>

const listedMax = 10

function* lookFor(name: string, proof: Proof, looking: Looking): Slices<Answered> {
  const outcome = { name, expected: 'unreachable' } as const
  const faults: string[] = []
  let doubt: Doubt | null = null
  try {
    const { targets, hit } = boundedTargets(allowedTargets(proof))
    doubt = hit
    for (const target of targets) {
      if (proof.stage.meter.due) yield
      const found = yield* looking(proof.rules(target), proof)
      faults.push(...found.faults)
      doubt ??= found.doubt
    }
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    doubt = error.hit
  }
  if (faults.length === 0 && doubt) return open(outcome, doubt)
  const more = faults.length > listedMax ? ` and ${faults.length - listedMax} more` : ''
  const why = faults.length > 0 ? `${faults.slice(0, listedMax).join(', ')}${more}` : 'there is none'
  const result = faults.length > 0 ? 'reachable' : 'unreachable'
  return {
    answer: { ...outcome, result, why },
    hit: doubt && 'bound' in doubt ? doubt : null,
    mismatch: false,
  }
}

function allowedTargets({ targets, subject: { policy } }: Proof): Target[] {
  const systems = new Set(policy.allowed_systems)
  const listed = new Map(
    Object.entries(policy.allowed_operations).map(([name, list]) => [name, new Set(list)]),
  )
  return targets.filter(({ system, operation, fresh }) => {
    if (fresh || !systems.has(system)) return false
    return listed.get(system)?.has(operation) ?? true
  })
}

function* nothingPasses(rules: OperationRules, { search }: Proof): Slices<Look> {
  const place = `${rules.target.system}/${rules.target.operation}`
  if (rules.refusal !== null) return { faults: [place], doubt: null }
  const { parameters, doubt } = yield* admittedParameters(rules).find(new Map(), search)
  return { faults: parameters === null && doubt === null ? [place] : [], doubt }
}

/**
 * Finds constraints that refuse nothing beyond the schema and the other constraints. It skips operations that
 * admit no parameters at all.
 */
function* changesNothing(rules: OperationRules, { search }: Proof): Slices<Look> {
  const { system, operation } = rules.target
  const look: Look = { faults: [], doubt: null }
  if (rules.constraints.length === 0 || rules.refusal !== null) return look
  const admitted = admittedParameters(rules)
  const whole = yield* admitted.find(new Map(), search)
  if (!whole.parameters) return { faults: [], doubt: whole.doubt }
  for (const constraint of rules.constraints) {
    const { refuses, doubt } = yield* refusesMore(constraint, rules, search)
    look.doubt ??= doubt
    if (!refuses && !doubt) look.faults.push(`${system}/${operation}: ${constraint.path}`)
  }
  return look
}

function* refusesMore(
  constraint: ConstraintConditions,
  rules: OperationRules,
  search: Search,
): Slices<{ refuses: boolean; doubt: Doubt | null }> {
  let doubt: Doubt | null = null
  for (const broken of brokenWays(constraint, rules.constraints)) {
    const found = yield* admittedParameters(rules).find(broken, search)
    if (found.parameters) return { refuses: true, doubt: null }
    doubt ??= found.doubt
  }
  return { refuses: false, doubt }
}
