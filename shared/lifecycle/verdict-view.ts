import type { RecordedVerdict } from '../contract/action/action.ts'
import type { ActionOutcome, ActionStatus } from '../contract/action/action-status.ts'
import type { Comment } from '../contract/action/comment-schema.ts'
import type { ActuatorResult, Verdict } from '../contract/action/verdict.ts'
import { isAtRest } from './status.ts'

export interface DecidedAction {
  action_id: string
  proposal_id: string
  status: ActionStatus
  verdict: RecordedVerdict
  audit_root: string
  event_count: number
  result: ActuatorResult | null
  outcome: ActionOutcome | null
  comments: readonly Comment[]
  url: string
  review_url: string
}

/** Combines the recorded verdict with the current state of the action (specification.md#verdicts). */
export function verdictView(action: DecidedAction): Verdict {
  const {
    review_route,
    actuator: _actuator,
    proposal_hash: _hash,
    proposer_holder: _holder,
    request: _request,
    request_hash: _requestHash,
    route_hash: _routeHash,
    decide_within_ms: _decideWithinMs,
    execute_within_ms: _executeWithinMs,
    principal,
    ...evaluation
  } = action.verdict
  return {
    action_id: action.action_id,
    proposal_id: action.proposal_id,
    action_status: action.status,
    ...evaluation,
    ...(review_route === null ? {} : { review_route }),
    ...(isAtRest(action.status) ? {} : { polling_url: action.url }),
    ...(action.status === 'pending_approval' ? { review_url: action.review_url } : {}),
    ...(action.comments.length > 0 ? { comments: [...action.comments] } : {}),
    principal,
    audit: { root: action.audit_root, event_count: action.event_count, url: `${action.url}/audit-export` },
    ...(action.result ? { result: action.result } : {}),
    ...(action.outcome ? { outcome: action.outcome } : {}),
  }
}
