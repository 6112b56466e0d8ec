import type { KeyPrincipal, OwnerPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type { actionEndpoints } from '../../shared/contract/endpoints/action-endpoints.ts'
import type { QueryOf } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { decidingRole } from '../../shared/contract/role-schema.ts'
import type { CurrentSession } from '../../shared/flow/account/sessions.ts'
import { commentOnAction } from '../../shared/flow/action/comment-on-action.ts'
import {
  type ApprovalDecider,
  approveAction,
  cancelAction,
  rejectAction,
} from '../../shared/flow/action/decide-approval.ts'
import { decideBatch } from '../../shared/flow/action/decide-batch.ts'
import { editAction } from '../../shared/flow/action/edit-action.ts'
import { exportAudit, exportLogProofs } from '../../shared/flow/action/export-audit.ts'
import {
  listActions,
  listApprovals,
  readActionTrace,
  readApproval,
} from '../../shared/flow/action/read-actions.ts'
import { groupInbox, readInbox } from '../../shared/flow/action/read-inbox.ts'
import { readReview } from '../../shared/flow/action/read-review.ts'
import { submitProposal } from '../../shared/flow/action/submit-proposal.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { checkedKeyOf } from '../../shared/flow/tenant/authenticate-key.ts'
import { confirmReader, type Handlers, type Preferences } from './handler.ts'

const retryAfterSeconds = '1'

type OwnedRows =
  | 'list_actions'
  | 'read_action'
  | 'read_approval'
  | 'read_review'
  | 'export_audit'
  | 'list_approvals'
  | 'decide_approvals'
  | 'approve_action'
  | 'reject_action'
  | 'comment_action'
  | 'edit_action'

export const actionHandlers: Handlers<typeof actionEndpoints, OwnedRows> = {
  async submit_action(context, { principal, now, body, preferences, span }) {
    const wait_ms = preferences.wait_ms ?? submitWaitMs(context)
    const { traceparent } = span
    const submission = { principal, now, proposal: body, wait_ms, traceparent }
    return decided(await submitProposal(context, submission))
  },
  list_actions: (context, { principal, query }) => listActionsOf(context, principal.tenant_id, query),
  read_action: (context, { principal, session, params, query, preferences }) =>
    readTraceOf(
      context,
      {
        tenant_id: principal.tenant_id,
        ...params,
        key_id: checkedKeyOf(principal),
        held_only: principal.scope === 'approver' || (session !== null && readsHeldAlone(session)),
        confirm: () => confirmReader(context, principal, session),
      },
      { query, preferences },
    ),
  export_audit: (context, { principal, params, query }) =>
    exportAuditOf(context, { tenant_id: principal.tenant_id, ...params }, query),
  async list_approvals(context, { principal, query }) {
    return {
      status: 200,
      body: await listApprovals(context, {
        tenant_id: principal.tenant_id,
        limit: query.limit,
        cursor: query.cursor,
        viewer: principal,
      }),
    }
  },
  async inbox(context, { principal, query }) {
    const tenantIds = [principal.tenant_id]
    return { status: 200, body: await readInbox(context, { tenantIds, viewer: principal, query }) }
  },
  async inbox_groups(context, { principal, query }) {
    return { status: 200, body: await groupInbox(context, { tenantIds: [principal.tenant_id], query }) }
  },
  async decide_approvals(context, { principal, session, body, span }) {
    const decider = deciderOf(principal, session)
    return { status: 200, body: await decideBatch(context, { decider, batch: body, span }) }
  },
  async read_approval(context, { principal: viewer, params: { action_id } }) {
    const { tenant_id } = viewer
    return { status: 200, body: await readApproval(context, { tenant_id, action_id, viewer }) }
  },
  async read_review(context, { principal: { tenant_id }, params: { action_id }, now }) {
    return { status: 200, body: await readReview(context, { tenant_id, action_id, now }) }
  },
  async approve_action(context, { principal, session, params, body, preferences, span }) {
    const wait_ms = preferences.wait_ms ?? context.config.approve_wait_ms
    const decider = deciderOf(principal, session)
    return decided(
      await approveAction(context, { decider, action_id: params.action_id, request: body, wait_ms, span }),
    )
  },
  async reject_action(context, { principal, session, params, body, span }) {
    const decider = deciderOf(principal, session)
    const decision = { decider, action_id: params.action_id, request: body, wait_ms: 0, span }
    return { status: 200, body: await rejectAction(context, decision) }
  },
  async edit_action(context, { principal, session, params, body, preferences, span }) {
    const wait_ms = preferences.wait_ms ?? context.config.approve_wait_ms
    const decider = deciderOf(principal, session)
    const edit = { decider, action_id: params.action_id, request: body, wait_ms, span }
    return decided(await editAction(context, edit))
  },
  async comment_action(context, { principal, session, params, body, span }) {
    const decider = deciderOf(principal, session)
    const comment = { decider, action_id: params.action_id, comment: body, span }
    return { status: 200, body: await commentOnAction(context, comment) }
  },
  async cancel_action(context, { principal, params, body, span }) {
    const decision = {
      decider: { key: principal },
      action_id: params.action_id,
      request: body,
      wait_ms: 0,
      span,
    }
    return { status: 200, body: await cancelAction(context, decision) }
  },
}

type Actions = typeof actionEndpoints

export async function listActionsOf(
  context: Context,
  tenant_id: string,
  query: QueryOf<Actions['list_actions']>,
) {
  const { status, cursor } = query
  return {
    status: 200,
    body: await listActions(context, { tenant_id, ...query, status, cursor }),
  } as const
}

/** Returns the trace of an action, or 304 if the caller already knows this version. */
export async function readTraceOf(
  context: Context,
  reader: Omit<Parameters<typeof readActionTrace>[1], 'known' | 'wait_ms'>,
  { query, preferences }: { query: QueryOf<Actions['read_action']>; preferences: Preferences },
) {
  const { etag, trace, settled } = await readActionTrace(context, {
    ...reader,
    known: preferences.if_none_match,
    wait_ms: (query.wait ?? 0) * 1000,
  })
  const headers = { etag, ...(settled ? {} : { 'retry-after': retryAfterSeconds }) }
  return trace
    ? ({ status: 200, body: trace, headers } as const)
    : ({ status: 304, body: null, headers } as const)
}

export async function exportAuditOf(
  context: Context,
  action: { tenant_id: string; action_id: string },
  { format, from_size }: QueryOf<Actions['export_audit']>,
) {
  const exportAs = format === 'export' ? exportAudit : exportLogProofs
  return { status: 200, body: await exportAs(context, { ...action, from_size: from_size ?? null }) } as const
}

/** Returns true if the roles allow decisions but no listing: such a member may read only held actions. */
function readsHeldAlone({ roles }: CurrentSession): boolean {
  return !roles.some(role => endpoints.list_owned_actions.roles.includes(role))
}

/** Returns the decider of a request. An owner decides with the session of that request. */
function deciderOf(
  principal: (KeyPrincipal & { tenant_id: string }) | OwnerPrincipal,
  session: CurrentSession | null,
): ApprovalDecider {
  if ('key_id' in principal) return { key: principal }
  if (!session) throw new ServiceError('session_required')
  const { session_hash, identity, roles } = session
  return { owner: principal, role: decidingRole(roles), session_hash, identity }
}

/** Answers 202 with the polling URL until the action is settled, otherwise 200. */
function decided<Body extends { polling_url?: string | undefined }>(body: Body) {
  if (body.polling_url === undefined) return { status: 200, body } as const
  return {
    status: 202,
    body,
    headers: { location: body.polling_url, 'retry-after': retryAfterSeconds },
  } as const
}

function submitWaitMs(context: Context): number {
  return context.config.submit_wait_ms ?? (context.mode === 'embedded' ? 10_000 : 0)
}
