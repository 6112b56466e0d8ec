import { prefixedHex } from '../canon/digest.ts'
import type { DecisionRequest, DecisionResponse } from '../contract/action.ts'
import { ServiceError } from '../contract/errors.ts'
import type { KeyPrincipal } from '../contract/verdict.ts'
import { approve, type Decide, type Refusal, reject } from '../lifecycle/decide.ts'
import { isAtRest } from '../lifecycle/status.ts'
import { readTrace } from '../lifecycle/trace.ts'
import { readAction } from '../store/actions.ts'
import type { SealedChange } from '../store/sealed-change.ts'
import { amendActions } from './amend-action.ts'
import type { Context } from './context.ts'
import { untilAtRest } from './settle.ts'
import { pollingUrl } from './urls.ts'

export interface ApprovalDecision {
  principal: KeyPrincipal & { tenant_id: string }
  action_id: string
  request: DecisionRequest
  wait_ms: number
}

/** Approve a held action and wait for its outcome up to `wait_ms`; of concurrent decisions exactly one wins. */
export async function approveAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  const { principal, request } = decision
  const approver = { id: principal.key_id, kind: 'approver' } as const
  const how = approve(approver, payload(principal, request), context.config.attempts_max)
  const approved = await decide(context, decision, how)
  context.events.approvalEnded('approved')
  return respond(context, decision, approved)
}

/** Reject a held action: nothing is executed. */
export async function rejectAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  const { principal, request } = decision
  const rejected = await decide(
    context,
    decision,
    reject({ id: principal.key_id, kind: 'approver' }, payload(principal, request)),
  )
  context.events.approvalEnded('rejected')
  return respond(context, decision, rejected)
}

async function decide(
  context: Context,
  { principal, action_id }: ApprovalDecision,
  how: Decide,
): Promise<SealedChange> {
  const [amended] = await amendActions(context, [{ action_id, tenant_id: principal.tenant_id, decide: how }])
  if (amended?.ok) return amended.value
  throw refusalError(action_id, amended?.error ?? { reason: 'not_found' })
}

function refusalError(actionId: string, refusal: Refusal | { reason: 'not_found' }): ServiceError {
  if (refusal.reason === 'not_found') return new ServiceError('action_not_found', `no action ${actionId}`)
  if (refusal.reason === 'hold_expired') {
    return new ServiceError('action_not_approvable', 'the action was held longer than its time to live')
  }
  if (refusal.reason === 'frozen')
    return new ServiceError('frozen', 'an operator has frozen this kind of action')
  const status = refusal.reason === 'illegal' ? refusal.status : null
  return new ServiceError('action_not_approvable', `the action is ${status}, not pending_approval`)
}

function payload(principal: KeyPrincipal, { note }: DecisionRequest) {
  return { note: note ?? null, name: principal.name }
}

async function respond(
  context: Context,
  decision: ApprovalDecision,
  { change, leaves }: SealedChange,
): Promise<DecisionResponse> {
  const { action_id, principal, wait_ms } = decision
  const action = { action_id, tenant_id: principal.tenant_id }
  await untilAtRest(context, action, { status: change.to, event_count: leaves.length }, wait_ms)
  const stored = await context.store.read([principal.tenant_id], reader =>
    readAction(reader, principal.tenant_id, action_id),
  )
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  const { events, execution } = readTrace(stored.events)
  const result = stored.status === 'executed' ? execution?.result : null
  return {
    action_id,
    action_status: stored.status,
    ...(result ? { result } : {}),
    audit_root: prefixedHex(stored.audit_root),
    trace: events,
    ...(isAtRest(stored.status) ? {} : { polling_url: pollingUrl(context, action_id) }),
  }
}
