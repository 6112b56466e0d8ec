import { type Proposal, type RiskLevel, riskLevels, riskRank } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { GrantClause } from '../../contract/configuration/grant-clause.ts'
import type { NormalizedConstraint } from '../../contract/configuration/policy.ts'
import type { OutcomeQuery } from '../../contract/configuration/verification-schema.ts'
import { brokenWays, conditionsOf } from '../demand.ts'
import { risesOf } from '../diff/access-changes.ts'
import { type OperationRules, proposalOf, rulesLookup } from '../operation-rules.ts'
import { type Subject, type Target, Universe } from '../operations.ts'
import { concerns, type Outcome, outcomeOf } from '../outcome.ts'
import { replay, withParameters } from '../replay.ts'
import { createSearch } from '../search/find.ts'
import { bodyLimitDefault, doubtText, OutOfSteps, StepBudget } from '../step-budget.ts'
import { answerOutcome, type Proof } from '../verify/answer-outcome.ts'
import { grantedRules, requiring } from './granted-rules.ts'

export interface GrantInput extends Subject {
  clause: GrantClause
  /** Outcomes that a kept verification report proved unreachable. */
  forbidden?: readonly OutcomeQuery[] | undefined
  bodyLimit?: number
}

const remedies = {
  idle_grant: 'widen its bounds, or raise its highest risk',
  wider_than_it_says: 'require the parameter, in this bound or in the catalog',
  allows_denied: 'narrow its bounds to what the policy holds',
  breaks_report: 'narrow its bounds, or verify the policy again without this outcome',
  not_decided:
    'add what it is to allow to `examples` in the schema of the catalog, or bound fewer parameters',
} as const

/** A reason why a grant is not proved, with advice. A witness shows the problem, if one was found. */
export interface GrantFault {
  path: string
  code: keyof typeof remedies
  message: string
  witness?: Proposal
}

export interface GrantProof {
  faults: GrantFault[]
  example: Proposal | null
}

/**
 * Proves that a grant allows no more than it says (specification.md#bounded-grants). It must allow some held
 * proposal, but none beyond a bound, none that is denied, and none that a report excludes. The gate decides
 * every witness. The function is pure and yields every few thousand judged values, so that other work can
 * run.
 */
export function* proveGrant(input: GrantInput): Slices<GrantProof> {
  const stage = beginProof(input)
  const { result, why, witness } = (yield* answerOutcome(allowed(input), stage.proof)).answer
  if (result === 'inconclusive') return { faults: [undecided('', why)], example: null }
  if (!witness) return { faults: [idle(why)], example: null }
  const faults = [
    ...(yield* beyondBounds(input, stage)),
    ...(yield* denied(stage)),
    ...(yield* forbiddenBefore(input, stage)),
  ]
  return { faults, example: witness }
}

interface Stage {
  proof: Proof
  before: OperationRules
  granted: OperationRules
}

function beginProof({ policy, catalog, mode, clause, bodyLimit = bodyLimitDefault }: GrantInput): Stage {
  const subject = { policy, catalog, mode }
  const documents = new Universe()
  documents.addDocuments(subject)
  const meter = new StepBudget(limits.verify_steps_max)
  const target: Target = { system: clause.system, operation: clause.operation, fresh: false }
  const before = rulesLookup(subject, meter)(target)
  const granted = grantedRules(before, clause)
  const search = createSearch(meter, bodyLimit)
  const common = { subject, documents, search, stage: { meter, bodyLimit }, visited: new Set<Target>() }
  return { before, granted, proof: { ...common, targets: [target], rules: () => granted } }
}

function allowed({ policy, clause }: GrantInput): Outcome {
  const query = { name: 'allowed by the grant', decision: 'allow', ...nameOf(clause) } as const
  return outcomeOf(
    { ...query, effective_risk: { min: policy.approval_required_at, max: clause.risk_max } },
    'reachable',
  )
}

function nameOf({ system, operation }: GrantClause): { system: string; operation: string } {
  return { system, operation }
}

/**
 * Searches for a proposal that the grant allows beyond one of its bounds. A missing parameter counts as
 * beyond.
 */
function* beyondBounds(input: GrantInput, { proof }: Stage): Slices<GrantFault[]> {
  const faults: GrantFault[] = []
  for (const [path, constraint] of Object.entries(input.clause.constraints)) {
    const bound = conditionsOf(path, requiring(constraint as NormalizedConstraint))
    for (const where of brokenWays(bound)) {
      const asked: Outcome = { ...allowed(input), expected: 'unreachable', where, paths: 1 }
      const { result, why, witness } = (yield* answerOutcome(asked, proof)).answer
      const at = `constraints.${path}`
      if (result === 'inconclusive') faults.push(undecided(at, why))
      if (witness)
        faults.push(
          fault('wider_than_it_says', at, 'the grant allows a proposal that this does not bound', witness),
        )
      if (result !== 'unreachable') break
    }
  }
  return faults
}

/** Proves that the grant allows no proposal that the gate denies without it. */
function* denied({ before, granted, proof }: Stage): Slices<GrantFault[]> {
  try {
    const [, toAllow] = yield* risesOf({ low: before, high: granted }, proof.search)
    if (toAllow?.doubt) return [undecided('', doubtText(toAllow.doubt))]
    if (!toAllow?.sketch) return []
    const { parameters, claim } = toAllow.sketch
    const proposal = { ...withParameters(proposalOf(before.target), parameters), risk: { level: claim } }
    const decided = replay(proposal, granted, proof.stage)
    if (!decided.ok) return [undecided('', doubtText(decided.hit))]
    return [fault('allows_denied', '', 'the grant allows what is denied without it', decided.proposal)]
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    return [undecided('', doubtText(error.hit))]
  }
}

/** Proves that outcomes that a kept report excludes stay unreachable under the grant. */
function* forbiddenBefore(input: GrantInput, { proof }: Stage): Slices<GrantFault[]> {
  const faults: GrantFault[] = []
  const asked = (input.forbidden ?? []).filter(({ decision }) => decision === 'allow')
  for (const outcome of asked.map(query => outcomeOf(query, 'unreachable'))) {
    if (!proof.targets.some(target => concerns(outcome, target))) continue
    const { result, why, witness } = (yield* answerOutcome(withinGrant(outcome, input), proof)).answer
    if (result === 'inconclusive') faults.push(undecided(outcome.name, why))
    if (witness) faults.push(fault('breaks_report', outcome.name, 'was proved to be impossible', witness))
  }
  return faults
}

/** Narrows an outcome to the held risks that the grant covers, because a grant changes no other decision. */
function withinGrant(outcome: Outcome, { policy, clause }: GrantInput): Outcome {
  const { min, max } = outcome.effective
  const effective = {
    min: higher(min, policy.approval_required_at),
    max: riskRank[max] < riskRank[clause.risk_max] ? max : clause.risk_max,
  }
  return { ...outcome, effective }
}

function higher(one: RiskLevel, other: RiskLevel): RiskLevel {
  return riskLevels.find(level => riskRank[level] >= Math.max(riskRank[one], riskRank[other])) ?? one
}

function fault(code: GrantFault['code'], path: string, why: string, witness?: Proposal): GrantFault {
  const message = `${why}; ${remedies[code]}`
  return witness === undefined ? { path, code, message } : { path, code, message, witness }
}

function undecided(path: string, why = 'the proof was not finished'): GrantFault {
  return fault('not_decided', path, why)
}

function idle(why = 'nothing fits it'): GrantFault {
  return fault('idle_grant', '', `the grant allows nothing that is held: ${why}`)
}
