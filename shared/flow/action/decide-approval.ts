import { hex, prefixedHex } from '../../canon/digest.ts'
import type {
  ApprovalRecord,
  DecisionRequest,
  DecisionResponse,
  TraceEvent,
} from '../../contract/action/action.ts'
import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { KeyPrincipal, OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { SessionIdentity } from '../../contract/identity.ts'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { SlackIdentity } from '../../contract/slack-schema.ts'
import { outcomeOf } from '../../lifecycle/action-outcome.ts'
import { approve, asSeen, cancel, reject, type Seen } from '../../lifecycle/decide.ts'
import { isSettled } from '../../lifecycle/status.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { refused } from '../../result.ts'
import type { Span } from '../../runtime/telemetry/tracer.ts'
import { readAction, type StoredAction } from '../../store/action/actions.ts'
import type { SealedChange } from '../../store/action/sealed-change.ts'
import { type ActionChange, type ChangeOutcome, changeTogether } from '../core/change-action.ts'
import { principalOf } from '../core/change-config.ts'
import { ownedPollingUrl, pollingUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { readActionTogether } from '../core/read-together.ts'
import { retryOnOutage, waitUntilSettled } from './wait-and-retry.ts'

export type { Span as RequestSpan } from '../../runtime/telemetry/tracer.ts'

/**
 * The person who decides: the principal behind a key, or a member identified by a session or by a linked Slack
 * user.
 */
export type ApprovalDecider =
  | { key: KeyPrincipal & { tenant_id: string } }
  | { owner: OwnerPrincipal; role: MemberRole; session_hash: Buffer; identity: SessionIdentity | null }
  | { owner: OwnerPrincipal; role: MemberRole; slack: SlackIdentity }

export interface ApprovalDecision {
  decider: ApprovalDecider
  action_id: string
  request: DecisionRequest
  wait_ms: number
  span: Span
}

/**
 * Approves a held action and waits up to `wait_ms` for its outcome; exactly one of several concurrent decisions
 * wins. If the action needs several approvals, the answer counts them, and a repeated approval gets the same
 * answer.
 */
export async function approveAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  return respond(context, decision, await recordDecision(context, decision, { kind: 'approve' }))
}

export async function rejectAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  return respond(context, decision, await recordDecision(context, decision, { kind: 'reject' }))
}

/**
 * A decision; with `seen` it is recorded only if the action still holds the proposal, and would send the request,
 * of these hashes.
 */
export interface HowDecided {
  kind: 'approve' | 'reject'
  seen?: Seen
}

export async function recordDecision(
  context: Context,
  decision: Omit<ApprovalDecision, 'wait_ms'>,
  { kind, seen }: HowDecided,
): Promise<Decided> {
  const { decider, request } = decision
  const approver = principalOf(authorOf(decider))
  const said = payloadOf(decider, request)
  const how =
    kind === 'reject'
      ? reject(approver, said)
      : approve({
          approver,
          payload: said,
          attempts_max: context.config.attempts_max,
          proposal_hash: request.proposal_hash ?? null,
          request_hash: request.request_hash ?? null,
        })
  const decided = await decideHeld(context, decision, seen ? asSeen(seen, how) : how)
  if (decided.ended)
    context.events.approvalEnded(kind === 'approve' ? 'approved' : 'rejected', decided.held_ms)
  return decided
}

/**
 * An error for a decision that came too late; it carries the action's status and the decision made, unless that
 * was erased.
 */
export class TooLateError extends ServiceError {
  readonly status: ActionStatus | null
  readonly approval: ApprovalRecord | null

  constructor(detail: string, status: ActionStatus | null, approval: ApprovalRecord | null) {
    super('action_not_approvable', detail)
    this.name = 'TooLateError'
    this.status = status
    this.approval = approval
  }
}

/** Withdraws a held action (extension); only the key that proposed it may do so. */
export async function cancelAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  const { decider, request } = decision
  const how = cancel(principalOf(authorOf(decider)), payloadOf(decider, request))
  const cancelled = await decideHeld(context, decision, how)
  context.events.approvalEnded('cancelled', cancelled.held_ms)
  return respond(context, decision, cancelled)
}

export interface Decided {
  status: ActionStatus
  event_count: number
  /** Null if the database's answer was lost, since the age of the action is then unknown. */
  held_ms: number | null
  ended: boolean
}

/**
 * Decides, even if the database connection is lost on the way: a decision that was committed although its answer
 * was lost is recognised by the leaf of its event and answered from the row (specification.md#faults). The leaf is
 * compared because a concurrent request may have recorded the same decision.
 */
export async function decideHeld(
  context: Context,
  { decider, action_id, span }: Omit<ApprovalDecision, 'wait_ms' | 'request'>,
  how: ActionChange['decide'],
): Promise<Decided> {
  const { tenant_id } = authorOf(decider)
  const decided_by = 'key' in decider ? decider.key : decider
  const sealedLeaves = new Set<string>()
  let ends = false
  const sealed = ({ leaves, change }: SealedChange) => {
    sealedLeaves.add(hex(leaves.at(-1) ?? Buffer.alloc(0)))
    ends = change.from !== change.to
  }
  const once: ActionChange['decide'] = (action, holder) =>
    sealedLeaves.size > 0 && action.leaves.some(leaf => sealedLeaves.has(hex(leaf)))
      ? refused({ reason: 'counted_before' })
      : how(action, holder)
  return retryOnOutage(async () => {
    const outcome = await changeTogether(context, { action_id, tenant_id, decided_by, decide: once, sealed })
    if (outcome.ok) {
      const { change, leaves, age_ms, traceparent } = outcome.value
      span.link(traceparent)
      const ended = change.from !== change.to
      return { status: change.to, event_count: leaves.length, held_ms: age_ms, ended }
    }
    const refusal = outcome.error
    const stored = await readAgain(context, { tenant_id, action_id }, refusal, sealedLeaves.size > 0)
    if (stored?.events.some(({ leaf }) => sealedLeaves.has(leaf)))
      return { ...stored, held_ms: null, ended: ends }
    if (stored && refusal.reason === 'counted_before') return { ...stored, held_ms: null, ended: false }
    if (refusal.reason === 'illegal') throw await tooLate(context, { tenant_id, action_id }, refusal.status)
    throw refusalError(action_id, refusal)
  })
}

/**
 * Returns the action if a refusal may mean that an earlier attempt of this decision was committed, otherwise null.
 */
async function readAgain(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  { reason }: { reason: string },
  wasSealed: boolean,
): Promise<StoredAction | null> {
  if (reason !== 'counted_before' && !(wasSealed && reason === 'illegal')) return null
  return readAction(context.store.readEach([tenant_id]), tenant_id, action_id)
}

export function refusalError(
  actionId: string,
  refusal: Extract<ChangeOutcome, { ok: false }>['error'],
): ServiceError {
  switch (refusal.reason) {
    case 'not_found':
      return new ServiceError('action_not_found', `no action ${actionId}`)
    case 'key_revoked':
      return new ServiceError('key_revoked')
    case 'session_ended':
      return new ServiceError('session_required')
    case 'link_ended':
      return new ServiceError('identity_not_found', 'your Slack user is linked to nobody who may decide')
    case 'frozen':
      return new ServiceError('frozen', 'an operator has frozen this kind of action')
    case 'not_the_proposer':
      return new ServiceError('not_the_proposer', 'only the key that proposed the action can withdraw it')
    case 'other_content':
      return new ServiceError('proposal_mismatch', 'the action does not hold the proposal of this hash')
    case 'other_request':
      return new ServiceError('request_mismatch', 'the action would not send the request of this hash')
    case 'holder_counted':
      return new ServiceError(
        'approval_already_counted',
        `the approval by ${refusal.by} counts, and the same person holds both keys`,
      )
    case 'own_proposal':
      return new ServiceError('own_proposal', 'the same person holds the key that proposed the action')
    case 'not_on_route':
      return new ServiceError('not_on_route', `the route ${refusal.route} of the action does not name you`)
    case 'other_issuer':
      return new ServiceError(
        'wrong_issuer',
        `the route of the action asks for a sign-in at ${refusal.issuer}`,
      )
    case 'group_complete':
      return new ServiceError('group_complete', `${refusal.groups.join(', ')}: no more approvals are needed`)
    case 'too_many_comments':
      return new ServiceError('too_many_comments')
    case 'hold_expired':
      return new ServiceError('action_not_approvable', 'the action was held longer than its time to live')
    default:
      throw new Error(`an approval cannot be refused as ${refusal.reason}`)
  }
}

/** Returns the error for a late decision, which names the winner and their decision unless the content was erased. */
export async function tooLate(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  status: ActionStatus | null,
): Promise<TooLateError> {
  const stored = await readActionTogether(context, { tenant_id, action_id, key_id: null })
  const { approval, events } = readTrace(stored?.events ?? [])
  const how = approval ? howDecided(approval, events) : 'not pending_approval'
  const now = stored?.status ?? status
  return new TooLateError(`the action is ${now}: ${how}`, now, approval)
}

function howDecided({ decision, at, principal }: ApprovalRecord, events: readonly TraceEvent[]): string {
  const name = events.findLast(event => event.at === at && event.principal.id === principal.id)?.body?.name
  return `${decision}${typeof name === 'string' ? ` by ${name}` : ''} at ${at}`
}

export function authorOf(decider: ApprovalDecider) {
  return 'key' in decider ? decider.key : decider.owner
}

/**
 * Records the issuer's identity of a person with the time and strength of the sign-in; a decision in Slack records
 * only workspace and user, since Slack tells neither when nor how well its users signed in.
 */
export function payloadOf(decider: ApprovalDecider, { note }: DecisionRequest) {
  const identity = 'identity' in decider ? decider.identity : null
  const via = 'slack' in decider ? { via: decider.slack } : {}
  const role = 'role' in decider ? { role: decider.role } : {}
  return {
    note: note ?? null,
    name: authorOf(decider).name,
    ...role,
    ...(identity ? { identity } : {}),
    ...via,
  }
}

export async function respond(
  context: Context,
  decision: Pick<ApprovalDecision, 'action_id' | 'decider' | 'wait_ms'>,
  decided: Pick<Decided, 'status' | 'event_count'>,
): Promise<DecisionResponse> {
  const { action_id, decider, wait_ms } = decision
  const { tenant_id } = authorOf(decider)
  await waitUntilSettled(context, { action_id, tenant_id }, decided, wait_ms)
  const stored = await readActionTogether(context, { tenant_id, action_id, key_id: null })
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  const { events, verdict, execution, approvals } = readTrace(stored.events)
  const outcome = verdict && outcomeOf(stored.status, { verdict, events })
  const result = stored.status === 'executed' ? execution?.result : null
  return {
    action_id,
    action_status: stored.status,
    ...(approvals ? { approvals } : {}),
    ...(result ? { result } : {}),
    ...(outcome ? { outcome } : {}),
    audit_root: prefixedHex(stored.audit_root),
    trace: events,
    ...(isSettled(stored.status) ? {} : { polling_url: pollingUrlOf(context, decider, action_id) }),
  }
}

function pollingUrlOf(context: Context, decider: ApprovalDecider, actionId: string): string {
  if ('key' in decider) return pollingUrl(context, actionId)
  return ownedPollingUrl(context, decider.owner.tenant_id, actionId)
}
