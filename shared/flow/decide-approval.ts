import { hex, prefixedHex } from '../canon/digest.ts'
import type { DecisionRequest, DecisionResponse } from '../contract/action.ts'
import { ServiceError } from '../contract/errors.ts'
import type { ActionStatus } from '../contract/status.ts'
import type { KeyPrincipal } from '../contract/verdict.ts'
import { approve, cancel, reject } from '../lifecycle/decide.ts'
import type { Decide } from '../lifecycle/move.ts'
import { isAtRest } from '../lifecycle/status.ts'
import { readTrace } from '../lifecycle/trace.ts'
import { readAction } from '../store/actions.ts'
import type { SealedChange } from '../store/sealed-change.ts'
import { type Amended, amendActions } from './amend-action.ts'
import type { Context } from './context.ts'
import { untilAtRest } from './settle.ts'
import { throughOutage } from './through-outage.ts'
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
  const how = approve({
    approver: { id: principal.key_id, kind: 'approver' },
    payload: payload(principal, request),
    attempts_max: context.config.attempts_max,
    proposal_hash: request.proposal_hash ?? null,
  })
  const approved = await decide(context, decision, how)
  context.events.approvalEnded('approved')
  return respond(context, decision, approved)
}

/** Reject a held action: nothing is executed. */
export async function rejectAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  const { principal, request } = decision
  const how = reject({ id: principal.key_id, kind: 'approver' }, payload(principal, request))
  const rejected = await decide(context, decision, how)
  context.events.approvalEnded('rejected')
  return respond(context, decision, rejected)
}

/** Withdraw a held action (extension): only the key that proposed it can. */
export async function cancelAction(context: Context, decision: ApprovalDecision): Promise<DecisionResponse> {
  const { principal, request } = decision
  const how = cancel({ id: principal.key_id, kind: 'agent' }, payload(principal, request))
  const cancelled = await decide(context, decision, how)
  context.events.approvalEnded('cancelled')
  return respond(context, decision, cancelled)
}

/** Where an action stands after a decision: what a wait for its outcome begins from. */
interface Decided {
  status: ActionStatus
  event_count: number
}

/**
 * Decide, also where the database was lost on the way: a decision that was committed though its answer was lost is found
 * as recorded, by the leaf of its event, and answered from the row (reliability section 2, fault 2). The leaf tells it
 * from the same decision of a request beside it.
 */
async function decide(
  context: Context,
  { principal, action_id }: ApprovalDecision,
  how: Decide,
): Promise<Decided> {
  const { tenant_id, key_id: decided_by } = principal
  const sealedLeaves = new Set<string>()
  const sealed = ({ leaves }: SealedChange) => sealedLeaves.add(hex(leaves.at(-1) ?? Buffer.alloc(0)))
  return throughOutage(async again => {
    const [amended] = await amendActions(context, [{ action_id, tenant_id, decided_by, decide: how, sealed }])
    if (amended?.ok) return { status: amended.value.change.to, event_count: amended.value.leaves.length }
    const refusal = amended?.error ?? { reason: 'not_found' }
    const recorded =
      again &&
      refusal.reason === 'illegal' &&
      (await ownDecision(context, { tenant_id, action_id }, sealedLeaves))
    if (recorded) return recorded
    throw refusalError(action_id, refusal)
  })
}

/** The action, where one of the leaves that were about to be committed is recorded. */
async function ownDecision(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  sealedLeaves: ReadonlySet<string>,
): Promise<Decided | null> {
  const stored = await context.store.read([tenant_id], reader => readAction(reader, tenant_id, action_id))
  return stored?.events.some(({ leaf }) => sealedLeaves.has(leaf)) ? stored : null
}

function refusalError(actionId: string, refusal: Extract<Amended, { ok: false }>['error']): ServiceError {
  switch (refusal.reason) {
    case 'not_found':
      return new ServiceError('action_not_found', `no action ${actionId}`)
    case 'key_revoked':
      return new ServiceError('key_revoked')
    case 'frozen':
      return new ServiceError('frozen', 'an operator has frozen this kind of action')
    case 'not_the_proposer':
      return new ServiceError('not_the_proposer', 'only the key that proposed the action can withdraw it')
    case 'other_content':
      return new ServiceError('proposal_mismatch', 'the action does not hold the proposal of this hash')
    case 'hold_expired':
      return new ServiceError('action_not_approvable', 'the action was held longer than its time to live')
    case 'illegal':
      return new ServiceError(
        'action_not_approvable',
        `the action is ${refusal.status}, not pending_approval`,
      )
    default:
      throw new Error(`an approval cannot be refused as ${refusal.reason}`)
  }
}

function payload(principal: KeyPrincipal, { note }: DecisionRequest) {
  return { note: note ?? null, name: principal.name }
}

async function respond(
  context: Context,
  decision: ApprovalDecision,
  decided: Decided,
): Promise<DecisionResponse> {
  const { action_id, principal, wait_ms } = decision
  const action = { action_id, tenant_id: principal.tenant_id }
  await untilAtRest(context, action, decided, wait_ms)
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
