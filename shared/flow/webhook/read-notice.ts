import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { MessageType } from '../../contract/webhook.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { readAction } from '../../store/action/actions.ts'
import { readHeld } from '../../store/action/held-rows.ts'
import { reviewUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { type Notice, noticeOf } from './notice.ts'

/** The action of a notice, and its status when the message was made; null for the current status. */
export interface NoticeAbout {
  tenant_id: string
  action_id: string
  told: ActionStatus | null
  /** The reason for the message; null if a person asks for the current state. */
  type: MessageType | null
  hasButtons: boolean
  tellsValues: boolean
}

export async function readNotice(context: Context, about: NoticeAbout): Promise<Notice> {
  const { tenant_id, action_id, told, type, hasButtons, tellsValues } = about
  const reader = context.store.readEach([tenant_id])
  const [stored, [held]] = await Promise.all([
    readAction(reader, tenant_id, action_id),
    readHeld(reader, [action_id]),
  ])
  const { proposal = null, verdict = null, approvals = null } = stored ? readTrace(stored.events) : {}
  const now = stored?.status ?? told ?? 'pending_approval'
  const seen = verdict && {
    proposal_hash: verdict.proposal_hash,
    request_hash: verdict.request_hash ?? null,
  }
  return noticeOf({
    tenant_id,
    action_id,
    type,
    status: { told: told ?? now, now },
    proposal,
    tellsValues,
    risk: verdict?.effective_risk ?? null,
    expires_at: held?.held_until ?? null,
    approvals: approvals && { given: approvals.given, required: approvals.required },
    seen: hasButtons ? seen : null,
    url: reviewUrl(context, about),
  })
}
