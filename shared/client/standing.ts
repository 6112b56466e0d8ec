import {
  Denied,
  Expired,
  Failed,
  type FailureFacts,
  type GateError,
  OutcomeUnknown,
  Rejected,
  Withdrawn,
} from './failures.ts'
import type {
  ActionOutcome,
  ActionStatus,
  ActuatorResult,
  Comment,
  Evaluation,
  JsonObject,
  Trace,
  Verdict,
} from './wire.ts'

export interface Standing {
  actionId: string
  proposalId: string
  status: ActionStatus
  reviewRoute: string | null
  review_url: string | null
  verdict: Evaluation
  outcome: ActionOutcome | null
  result: ActuatorResult | null
  auditRoot: string
  comments: readonly Comment[]
}

export interface Executed<Detail = JsonObject> {
  actionId: string
  proposalId: string
  result: { ok: boolean; detail: Detail }
  outcome: ActionOutcome | null
  /** The Merkle root over the events of the action. The audit export proves this root. */
  auditRoot: string
}

export interface Held {
  actionId: string
  proposalId: string
  reviewRoute: string | null
  /** The absolute address of the page on which approvers decide. */
  review_url: string | null
  approvalsRequired: number
}

export function standingOfVerdict(verdict: Verdict): Standing {
  return {
    actionId: verdict.action_id,
    proposalId: verdict.proposal_id,
    status: verdict.action_status,
    reviewRoute: verdict.review_route ?? null,
    review_url: verdict.review_url ?? null,
    verdict,
    outcome: verdict.outcome ?? null,
    result: verdict.result ?? null,
    auditRoot: verdict.audit.root,
    comments: verdict.comments ?? [],
  }
}

export function standingOfTrace(trace: Trace): Standing {
  return {
    actionId: trace.action_id,
    proposalId: trace.proposal.proposal_id,
    status: trace.status,
    reviewRoute: trace.verdict.review_route,
    review_url: trace.review_url ?? null,
    verdict: trace.verdict,
    outcome: trace.outcome,
    result: trace.execution?.result ?? null,
    auditRoot: trace.audit_root,
    comments: trace.comments ?? [],
  }
}

export function heldOf({ actionId, proposalId, reviewRoute, review_url, verdict }: Standing): Held {
  return { actionId, proposalId, reviewRoute, review_url, approvalsRequired: verdict.approvals_required ?? 1 }
}

/** Returns the result of a successful action, or the failure to throw. Returns null until the action has ended. */
export function endOf(standing: Standing): Executed | GateError | null {
  switch (standing.status) {
    case 'executed':
      return executed(standing)
    case 'denied':
      return denied(standing)
    case 'execution_failed':
      return new Failed(factsOf(standing))
    case 'outcome_unknown':
      return new OutcomeUnknown(factsOf(standing))
    default:
      return null
  }
}

function executed({ actionId, proposalId, result, outcome, auditRoot }: Standing): Executed {
  return { actionId, proposalId, result: result ?? { ok: true, detail: {} }, outcome, auditRoot }
}

function denied(standing: Standing): GateError {
  const facts = factsOf(standing)
  const { outcome } = standing
  if (outcome === null || outcome.by.kind === 'gate') return new Denied(facts)
  if (outcome.code === 'rejected') return new Rejected(facts)
  if (outcome.code === 'approval_expired') return new Expired(facts)
  if (outcome.code === 'withdrawn') return new Withdrawn(facts)
  return new Denied(facts)
}

function factsOf({ actionId, proposalId, status, verdict, outcome }: Standing): FailureFacts {
  const code = outcome?.code ?? status
  const message = outcome?.message ?? (verdict.blocking_reasons.join('; ') || 'no reason was recorded')
  return { code, message, actionId, proposalId, verdict, outcome }
}
