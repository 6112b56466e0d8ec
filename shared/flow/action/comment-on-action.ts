import { prefixedHex } from '../../canon/digest.ts'
import type { CommentRequest, CommentResponse } from '../../contract/action/comment-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { comment as commentOn } from '../../lifecycle/decide.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { principalOf } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { readActionTogether } from '../core/read-together.ts'
import { type ApprovalDecider, authorOf, decideHeld, payloadOf, type RequestSpan } from './decide-approval.ts'

export interface CommentedAction {
  decider: ApprovalDecider
  action_id: string
  comment: CommentRequest
  span: RequestSpan
}

/**
 * Records a comment on a held action (specification.md#comments) as an event that the agent reads and that decides
 * nothing. A comment that the same principal repeats is not recorded again.
 */
export async function commentOnAction(
  context: Context,
  { decider, action_id, comment: { kind, text }, span }: CommentedAction,
): Promise<CommentResponse> {
  const { tenant_id } = authorOf(decider)
  const author = principalOf(authorOf(decider))
  const before = await readCommented(context, { tenant_id, action_id })
  const isSaid = before.comments.some(
    said => said.kind === kind && said.text === text && said.principal.id === author.id,
  )
  if (isSaid) return before
  const how = commentOn(kind, author, payloadOf(decider, { note: text }))
  await decideHeld(context, { decider, action_id, span }, how)
  return readCommented(context, { tenant_id, action_id })
}

async function readCommented(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
): Promise<CommentResponse> {
  const stored = await readActionTogether(context, { tenant_id, action_id, key_id: null })
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  return {
    action_id,
    action_status: stored.status,
    audit_root: prefixedHex(stored.audit_root),
    comments: readTrace(stored.events).comments,
  }
}
