import type { Decision } from '../../contract/action/verdict.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { BoundHit, OutcomeAnswer } from '../../contract/configuration/verification-schema.ts'
import { type OperationRules, proposalOf, type RulesLookup } from '../operation-rules.ts'
import { boundedTargets, type Subject, type Target, type Universe } from '../operations.ts'
import { concerns, isWitness, type Outcome } from '../outcome.ts'
import type { Search } from '../path.ts'
import { clausesOf, fixtureOf, type Replayed, replay, type Stage, withParameters } from '../replay.ts'
import { type Reached, reach, type Sketch } from '../search/reachability.ts'
import { shrink } from '../search/shrink.ts'
import { cost, type Doubt, doubtText, OutOfSteps } from '../step-budget.ts'

export interface Proof {
  subject: Subject
  documents: Universe
  targets: readonly Target[]
  rules: RulesLookup
  search: Search
  stage: Stage
  visited: Set<Target>
}

export interface Answered {
  answer: OutcomeAnswer
  hit: BoundHit | null
  /** True if the gate did not confirm a witness, which is an internal error. */
  mismatch: boolean
}

export function* answerOutcome(outcome: Outcome, proof: Proof): Slices<Answered> {
  try {
    return yield* searchTargets(outcome, proof)
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    return open(outcome, error.hit)
  }
}

function* searchTargets(outcome: Outcome, proof: Proof): Slices<Answered> {
  const concerned = proof.targets.filter(target => concerns(outcome, target))
  const obstacles = new Map<string, number>()
  const { targets, hit } = boundedTargets(concerned)
  let doubt: Doubt | null = hit
  for (const target of targets) {
    proof.visited.add(target)
    if (proof.stage.meter.due) yield
    const rules = proof.rules(target)
    const reached = yield* reachWithin(outcome, rules, proof)
    if (reached.sketch) return confirm(outcome, { rules, sketch: reached.sketch }, proof)
    if (reached.obstacle !== null) obstacles.set(reached.obstacle, (obstacles.get(reached.obstacle) ?? 0) + 1)
    doubt ??= reached.doubt
  }
  if (doubt) return open(outcome, doubt)
  return closed(outcome, { result: 'unreachable', why: countersText(obstacles) })
}

function* reachWithin(outcome: Outcome, rules: OperationRules, { search }: Proof): Slices<Reached> {
  const paths = rules.constraints.length + outcome.paths
  if (paths <= limits.verify_paths_max) return yield* reach(outcome, rules, search)
  const { system, operation } = rules.target
  const hit = { bound: 'paths', limit: limits.verify_paths_max, at: `${system}/${operation}` } as const
  return { sketch: null, doubt: hit, obstacle: 'paths' }
}

interface Sketched {
  rules: OperationRules
  sketch: Sketch
}

/** Returns a witness only if the gate confirms it before and after shrinking. */
function confirm(outcome: Outcome, { rules, sketch }: Sketched, { subject, stage }: Proof): Answered {
  const first = replayed(outcome, { rules, sketch }, stage)
  if (!first.ok) return open(outcome, first.hit)
  if (!isWitness(outcome, rules, first)) return unconfirmed(outcome)
  const stays = (parameters: Sketch['parameters']): boolean => {
    stage.meter.spend(cost.decision)
    const proposal = withParameters(first.proposal, parameters)
    return isWitness(outcome, rules, { proposal, evaluation: rules.evaluate(proposal) })
  }
  const parameters = shrink(sketch.parameters, stays)
  const last = replayed(outcome, { rules, sketch: { ...sketch, parameters } }, stage)
  if (!last.ok || !isWitness(outcome, rules, last)) return unconfirmed(outcome)
  const { proposal, evaluation } = last
  const { decision } = evaluation
  const expected = outcome.expected === 'reachable' ? decision : insteadOf[decision]
  return closed(outcome, {
    result: 'reachable',
    why: `the gate decides ${decision} on the witness`,
    witness: proposal,
    decision,
    admitted_by: clausesOf(evaluation, rules, subject),
    fixture: fixtureOf(subject, rules, { name: outcome.name, proposal, decision: expected }),
  })
}

/**
 * The decision that a fixture expects instead of a forbidden decision, so that it fails until the policy is
 * mended.
 */
const insteadOf: Readonly<Record<Decision, Decision>> = {
  allow: 'deny',
  needs_approval: 'deny',
  deny: 'allow',
}

function replayed({ name }: Outcome, { rules, sketch }: Sketched, stage: Stage): Replayed {
  const least = proposalOf(rules.target)
  const proposal = {
    ...least,
    summary: `Witness: ${name}`,
    action: { ...least.action, parameters: sketch.parameters },
    risk: { level: sketch.claim },
  }
  return replay(proposal, rules, stage)
}

function closed({ name, expected }: Outcome, told: Omit<OutcomeAnswer, 'name' | 'expected'>): Answered {
  return { answer: { name, expected, ...told }, hit: null, mismatch: false }
}

export function open({ name, expected }: Pick<Outcome, 'name' | 'expected'>, doubt: Doubt): Answered {
  const answer = { name, expected, result: 'inconclusive', why: doubtText(doubt) } as const
  return { answer, hit: 'bound' in doubt ? doubt : null, mismatch: false }
}

function unconfirmed({ name, expected }: Outcome): Answered {
  const why = 'internal error: the gate did not confirm the witness that was found'
  return { answer: { name, expected, result: 'inconclusive', why }, hit: null, mismatch: true }
}

const obstacleTexts: Readonly<Record<string, string>> = {
  system_not_allowed: 'the system is not allowed',
  operation_not_allowed: 'the operation is not allowed',
  explicit_operation_required: 'strict mode asks for a list of operations',
  catalog_required: 'strict mode asks for a catalog',
  operation_not_in_catalog: 'the operation is not in the catalog',
  actuator_binding_mismatch: 'no actuator can match the catalog',
  tool_schema_mismatch: 'no tool schema can match the catalog',
  approval_threshold: 'no claim of risk leads there',
  nothing_refuses: 'nothing refuses what is described',
  parameters: 'no parameters do',
}

const listedMax = 3

function countersText(obstacles: ReadonlyMap<string, number>): string {
  if (obstacles.size === 0) return 'no operation fits the description'
  const sorted = [...obstacles].sort(([, left], [, right]) => right - left)
  const listed = sorted.slice(0, listedMax).map(([obstacle, count]) => `${count} × ${textOf(obstacle)}`)
  const rest = sorted.slice(listedMax).reduce((sum, [, count]) => sum + count, 0)
  return `proved for every operation: ${listed.join('; ')}${rest > 0 ? `; ${rest} × other reasons` : ''}`
}

function textOf(obstacle: string): string {
  return obstacleTexts[obstacle] ?? `no ${obstacle.replace(' ', ' of ')} does`
}
