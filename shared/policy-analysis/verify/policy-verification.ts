import type { Issue } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type {
  Bounds,
  Explored,
  OutcomeAnswer,
  OutcomeQuery,
  VerificationResult,
} from '../../contract/configuration/verification-schema.ts'
import { rulesLookup } from '../operation-rules.ts'
import { type Subject, Universe } from '../operations.ts'
import { type Outcome, outcomeOf } from '../outcome.ts'
import { createSearch } from '../search/find.ts'
import { assumptions, bodyLimitDefault, boundsOf, exploredBy, StepBudget } from '../step-budget.ts'
import { type Answered, answerOutcome, type Proof } from './answer-outcome.ts'
import { builtInFindings } from './built-in-findings.ts'

/** Normalized documents, and outcomes without problems in `outcomeProblems`. */
export interface VerificationInput extends Subject {
  forbidden?: readonly OutcomeQuery[] | undefined
  required?: readonly OutcomeQuery[] | undefined
  bounds?: { max_steps?: number | undefined } | undefined
  bodyLimit?: number
}

export interface Verification {
  outcomes: OutcomeAnswer[]
  result: VerificationResult
  explored: Explored
  bounds: Bounds
  assumptions: string[]
  warnings: Issue[]
  /** Outcomes whose witness the gate did not confirm, which are internal errors. */
  mismatches: string[]
}

/**
 * Proves that outcomes are unreachable, or finds proposals that reach them
 * (specification.md#verification-method). The function is pure and deterministic. It yields after at most a
 * few thousand judged values, so that its caller can run other work.
 */
export function* verifyPolicy(input: VerificationInput): Slices<Verification> {
  const { forbidden = [], required = [] } = input
  const outcomes = [
    ...forbidden.map(query => outcomeOf(query, 'unreachable')),
    ...required.map(query => outcomeOf(query, 'reachable')),
  ]
  const proof = beginProof(input, outcomes)
  const answers: Answered[] = []
  for (const outcome of outcomes) answers.push(yield* answerOutcome(outcome, proof))
  if (outcomes.length === 0) answers.push(...(yield* builtInFindings(proof)))
  return {
    outcomes: answers.map(({ answer }) => answer),
    result: resultOf(answers),
    explored: exploredBy(proof.visited, proof.stage.meter),
    bounds: boundsOf(proof.stage.meter, answers.map(({ hit }) => hit).find(hit => hit !== null) ?? null),
    assumptions: [...assumptions],
    warnings: [...forbidden, ...required].flatMap(query => unknownNames(query, proof)),
    mismatches: answers.filter(({ mismatch }) => mismatch).map(({ answer }) => answer.name),
  }
}

export function beginProof(input: VerificationInput, outcomes: readonly Outcome[]): Proof {
  const { policy, catalog, mode, bodyLimit = bodyLimitDefault } = input
  const subject = { policy, catalog, mode }
  const documents = new Universe()
  documents.addDocuments(subject)
  const universe = new Universe()
  universe.addDocuments(subject)
  for (const outcome of outcomes) universe.addQuery(outcome)
  const meter = new StepBudget(
    Math.min(input.bounds?.max_steps ?? limits.verify_steps_max, limits.verify_steps_max),
  )
  return {
    subject,
    documents,
    targets: universe.targets(),
    rules: rulesLookup(subject, meter),
    search: createSearch(meter, bodyLimit),
    stage: { meter, bodyLimit },
    visited: new Set(),
  }
}

function resultOf(answers: readonly Answered[]): VerificationResult {
  const settled = answers.filter(({ answer }) => answer.result !== 'inconclusive')
  if (settled.some(({ answer }) => answer.result !== answer.expected)) return 'violated'
  return settled.length === answers.length ? 'verified' : 'inconclusive'
}

function unknownNames({ name, system, operation }: OutcomeQuery, { documents }: Proof): Issue[] {
  if (system !== undefined && !documents.knows(system)) {
    const message = `neither policy nor catalog names the system ${system}`
    return [{ path: name, code: 'unknown_system', message }]
  }
  if (system === undefined || operation === undefined || documents.knows(system, operation)) return []
  const message = `neither policy nor catalog names the operation ${operation} of ${system}`
  return [{ path: name, code: 'unknown_operation', message }]
}
