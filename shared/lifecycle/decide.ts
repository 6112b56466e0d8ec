import type { Principal } from '../contract/action/audit.ts'
import type { CommentKind } from '../contract/action/comment-schema.ts'
import type { Decision } from '../contract/action/verdict.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { SessionIdentity } from '../contract/identity.ts'
import { ok, type Result, refused } from '../result.ts'
import type { ActionState, Change, Quorum } from './change.ts'
import { sameHolder, whyUncounted } from './holder.ts'
import { newJob } from './job.ts'
import { type Decide, type Effect, entry, illegal, move, type Refusal } from './move.ts'
import { approveOnRoute, isOnRoute, rejectOnRoute, whyOtherIssuer } from './route.ts'
import { next, type Transition, type Trigger } from './transition.ts'

const gate: Principal = { id: 'gate', kind: 'gate' }
const system: Principal = { id: 'sweeper', kind: 'system' }
const openings = { allow: 'allow', needs_approval: 'hold', deny: 'deny' } as const satisfies Record<
  Decision,
  Trigger
>

export interface Opening {
  proposer: Principal
  proposal: JsonObject
  proposal_text?: string
  verdict: JsonObject & { decision: Decision }
  attempts_max: number
  approval_ttl_ms: number
}

/** Creates and decides an action in one change, so that a crash never leaves an action undecided. */
export function open(opening: Opening): Change {
  const submitted = legal(null, 'submit')
  const decided = legal('received', openings[opening.verdict.decision])
  const received = entry(submitted, opening.proposer, opening.proposal)
  return {
    from: null,
    to: decided.to,
    entries: [{ payload_text: opening.proposal_text, ...received }, entry(decided, gate, opening.verdict)],
    job: decided.to === 'execution_pending' ? newJob(opening.attempts_max) : null,
    hold_ms: decided.to === 'pending_approval' ? opening.approval_ttl_ms : null,
  }
}

export interface Approval {
  approver: Principal
  payload: JsonObject
  attempts_max: number
  /** The hash of the proposal that the approver saw; null if the request names no hash. */
  proposal_hash: string | null
  request_hash: string | null
}

/**
 * Approves a held action and makes its job in the same change; the event names the approved content. With several
 * approvals, only the last one makes the job; with a route, only its people may approve. A frozen action can be
 * rejected, but not approved.
 * model: approve
 */
export function approve({ approver, payload, attempts_max, proposal_hash, request_hash }: Approval): Decide {
  return (action, holder) => {
    const blocked = whatBlocks(action)
    if (blocked) return refused(blocked)
    // Checks the status before the content, because a decided action has no planned request to compare.
    if (action.status !== 'pending_approval') return illegal(action, 'approve')
    if (action.frozen) return refused({ reason: 'frozen' })
    const differing = whatDiffers(action, {
      proposal_hash: proposal_hash ?? action.proposal_hash,
      request_hash: request_hash ?? action.planned_hash,
    })
    if (differing) return refused(differing)
    const approved = { ...payload, ...contentOf(action) }
    const complete = { payload: approved, job: newJob(attempts_max) }
    if (action.quorum === null) return move(action, 'approve', approver, complete)
    if (holder === undefined) throw new Error('an approval of several is somebody’s')
    return approveTogether(action, action.quorum, { approver, holder, complete })
  }
}

function contentOf({ proposal_hash, planned_hash: request_hash }: ActionState): JsonObject {
  return { proposal_hash, ...(request_hash === null ? {} : { request_hash }) }
}

function approveTogether(
  action: ActionState,
  quorum: Quorum,
  { approver, holder, complete }: { approver: Principal; holder: string; complete: Effect },
): ReturnType<Decide> {
  const uncounted = whyUncounted(quorum, approver, holder)
  if (uncounted) return refused(uncounted)
  const { required, route } = quorum
  const unknown = route && whyOtherIssuer(route, complete.payload)
  if (unknown) return refused(unknown)
  const counted = route === null ? ok({}) : approveOnRoute({ ...quorum, route }, holder)
  if (!counted.ok) return counted
  const given = quorum.given.length + 1
  const payload = { ...complete.payload, holder, approvals: { given, required }, ...counted.value }
  return given < required
    ? move(action, 'approve_partly', approver, { payload, job: null })
    : move(action, 'approve', approver, { ...complete, payload })
}

export interface Seen {
  proposal_hash: string
  request_hash: string | null
}

/** Decides about a held action only if its content is still the content that the person saw. */
export function asSeen(seen: Seen, how: Decide): Decide {
  return (action, holder) => {
    const differing = action.status === 'pending_approval' ? whatDiffers(action, seen) : null
    return differing ? refused(differing) : how(action, holder)
  }
}

function whatDiffers(action: ActionState, { proposal_hash, request_hash }: Seen): Refusal | null {
  if (proposal_hash !== action.proposal_hash) return { reason: 'other_content' }
  return request_hash === action.planned_hash ? null : { reason: 'other_request' }
}

/**
 * Rejects a held action, so that nothing is executed. With a route, only its people may reject.
 * model: reject
 */
export function reject(approver: Principal, payload: JsonObject): Decide {
  return (action, holder) => {
    const blocked = whatBlocks(action)
    if (blocked) return refused(blocked)
    const { quorum, status } = action
    if (quorum?.route == null || status !== 'pending_approval')
      return move(action, 'reject', approver, { payload, job: null })
    if (holder === undefined) throw new Error('a rejection on a route is somebody’s')
    const rejected = rejectOnRoute({ ...quorum, route: quorum.route }, holder)
    if (!rejected.ok) return rejected
    const unknown = whyOtherIssuer(quorum.route, payload)
    if (unknown) return refused(unknown)
    return move(action, 'reject', approver, { payload: { ...payload, holder, ...rejected.value }, job: null })
  }
}

/**
 * Ends a held action that a person edited, because a new action replaces it. Only a person who may approve it may
 * edit it.
 * model: supersede
 */
export function supersede(
  editor: Principal,
  payload: JsonObject & { superseded_by: string },
  proposalHash: string,
): Decide {
  return (action, holder) => {
    const blocked = whatBlocks(action)
    if (blocked) return refused(blocked)
    if (action.status !== 'pending_approval') return illegal(action, 'supersede')
    if (action.frozen) return refused({ reason: 'frozen' })
    if (proposalHash !== action.proposal_hash) return refused({ reason: 'other_content' })
    const edited = editorOf(action, payload, holder)
    if (!edited.ok) return edited
    return move(action, 'supersede', editor, {
      payload: { ...payload, ...edited.value, proposal_hash: action.proposal_hash },
      job: null,
    })
  }
}

function editorOf({ quorum }: ActionState, payload: JsonObject, holder = ''): Result<JsonObject, Refusal> {
  if (quorum === null) return ok({})
  const { route, proposer_holder } = quorum
  const placed = route === null ? ok({}) : rejectOnRoute({ ...quorum, route }, holder)
  if (!placed.ok) return placed
  const unknown = route && whyOtherIssuer(route, payload)
  if (unknown) return refused(unknown)
  if (holder !== '' && sameHolder(holder, proposer_holder)) return refused({ reason: 'own_proposal' })
  return ok(holder === '' ? placed.value : { holder, ...placed.value })
}

export function comment(kind: CommentKind, author: Principal, payload: JsonObject): Decide {
  return (action, holder = '') => {
    const blocked = whatBlocks(action)
    if (blocked) return refused(blocked)
    const route = action.status === 'pending_approval' ? (action.quorum?.route ?? null) : null
    if (route && !isOnRoute(route, holder)) return refused({ reason: 'not_on_route', route: route.name })
    if (action.status === 'pending_approval' && action.event_count >= limits.commented_events_max)
      return refused({ reason: 'too_many_comments' })
    const trigger = kind === 'comment' ? 'comment' : 'request_changes'
    return move(action, trigger, author, { payload, job: null })
  }
}

/**
 * Withdraws a held action; only the key that proposed it may (extension).
 * model: cancel
 */
export function cancel(proposer: Principal, payload: JsonObject): Decide {
  return action => {
    if (action.key_id !== proposer.id) return refused({ reason: 'not_the_proposer' })
    const blocked = whatBlocks(action)
    return blocked ? refused(blocked) : move(action, 'cancel', proposer, { payload, job: null })
  }
}

/**
 * Denies an action that was held longer than its time to live, because silence never counts as approval.
 * model: expire
 */
export function expire(): Decide {
  return action => {
    if (!action.hold_expired) return illegal(action, 'expire')
    return move(action, 'expire', system, { payload: { reason: 'approval_expired' }, job: null })
  }
}

/**
 * Asks the helping group once, if nobody decided within the route's time. The action remains held.
 * model: escalate
 */
export function escalate(): Decide {
  return action => {
    const blocked = whatBlocks(action)
    if (blocked) return refused(blocked)
    const group = action.quorum?.route?.asked_next ?? null
    if (group === null) return illegal(action, 'escalate')
    return move(action, 'escalate', system, { payload: { reason: 'undecided', group }, job: null })
  }
}

/** Refuses every decision about an expired hold, so that the result does not depend on when the sweeper runs. */
function whatBlocks(action: ActionState): Refusal | null {
  return action.status === 'pending_approval' && action.hold_expired ? { reason: 'hold_expired' } : null
}

function legal(status: Transition['from'], trigger: Trigger): Transition {
  const transition = next(status, trigger)
  if (!transition) throw new Error(`the state table has no row for ${status} and ${trigger}`)
  return transition
}

/**
 * Erases the recorded content of an ended action. Its events, their proofs and the reason for the erasure are
 * kept.
 */
export function erase(
  admin: Principal,
  { reason, ...by }: { reason: string; identity?: SessionIdentity },
): Decide {
  return action => move(action, 'erase', admin, { payload: { reason, ...by }, job: null })
}
