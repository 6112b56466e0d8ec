import type { OperationAccess } from '../../contract/access/access-schema.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { OutcomeAnswer } from '../../contract/configuration/verification-schema.ts'
import {
  type AccessRules,
  type AccessTarget,
  acceptedAccess,
  decideFor,
  openAccess,
  refusedAccess,
} from '../../gate/operation-access.ts'
import { type Outcome, outcomeOf } from '../outcome.ts'
import { answerOutcome, type Proof } from './answer-outcome.ts'
import { beginProof } from './policy-verification.ts'

export interface ProvedAccess {
  answers: OperationAccess[]
  /** Operations whose witness the gate did not confirm, which are internal errors. */
  mismatches: string[]
}

export interface AccessQuestion {
  rules: AccessRules
  /** Operations whose example the gate refuses only for its parameters. */
  targets: readonly AccessTarget[]
  bodyLimit: number
}

/** The step limit for all targets together, because an access list does not justify a longer search. */
const stepsMax = 100_000

export function* proveAccess(question: AccessQuestion): Slices<ProvedAccess> {
  const { rules, targets, bodyLimit } = question
  const { policy, catalog, compiled } = rules
  const mode = compiled.strict ? 'strict' : 'basic'
  const proof = beginProof({ policy, catalog, mode, bodyLimit, bounds: { max_steps: stepsMax } }, [])
  const proved: ProvedAccess = { answers: [], mismatches: [] }
  for (const target of targets) {
    const { answer, mismatch } = yield* answerOutcome(acceptanceOf(target), proofOf(target, proof))
    if (mismatch) proved.mismatches.push(answer.name)
    proved.answers.push(accessBy(rules, target, answer))
  }
  return proved
}

/**
 * Describes a proposal that the gate accepts, which is either allowed or held. The parameters never decide
 * between the two.
 */
function acceptanceOf({ system, operation }: AccessTarget): Outcome {
  const query = { name: `${system}/${operation}`, system, operation, claimed_risk: ['low' as const] }
  return {
    ...outcomeOf({ ...query, decision: 'allow' }, 'reachable'),
    decisions: ['allow', 'needs_approval'],
  }
}

function proofOf({ system, operation }: AccessTarget, proof: Proof): Proof {
  return { ...proof, targets: [{ system, operation, fresh: false }] }
}

function accessBy(rules: AccessRules, target: AccessTarget, answer: OutcomeAnswer): OperationAccess {
  if (answer.result === 'unreachable') return refusedAccess(rules, target)
  if (!answer.witness) return openAccess(rules, target, answer.why ?? '')
  return acceptedAccess(rules, target, decideFor(rules, answer.witness))
}
