import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import type {
  Operator,
  OperatorInvited,
  OperatorRequest,
  OperatorRole,
} from '../../contract/operator-schema.ts'
import { newName } from '../../runtime/ids.ts'
import { hashSecret, newToken } from '../../runtime/secrets/secret.ts'
import {
  changeRole,
  holdOperators,
  insertOperator,
  listOperators as listStored,
  lockOperator,
  removeOperator as removeStored,
  type StoredOperator,
} from '../../store/account/operator-rows.ts'
import { principalOf } from '../core/change-config.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'

const invitationMs = limits.invitation_hours * 3_600_000

export async function listOperators(
  { store }: Context,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ operators: Operator[]; next_cursor: string | null }> {
  const read = await store.look([], query => listStored(query, { ...page, limit: page.limit + 1 }))
  const { rows, last } = pageOf(read, page.limit)
  return {
    operators: rows.map(shownOperator),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.operator_id]),
  }
}

/**
 * Invites an operator. The token is only in the link, behind the `#`, because browsers send that part to no
 * server. The process log records it, since operators have no tenant and so no stream.
 */
export async function inviteOperator(
  context: Context,
  { label, role }: OperatorRequest,
  author: Author,
): Promise<OperatorInvited> {
  const token = newToken()
  const made = await context.store.change([], query =>
    insertOperator(query, {
      operator_id: newName('opr'),
      label,
      role,
      invitation_hash: hashSecret(token),
      invited_by: principalOf(author).id,
      ms: invitationMs,
    }),
  )
  context.events.operatorChanged('invited', made, author)
  return {
    operator: shownOperator(made),
    invitation_url: `${callableUrl(context)}/admin/invitation#${token}`,
  }
}

/** Changes an operator's role from the next request on. Throws `operator_not_found`. */
export async function changeOperator(
  context: Context,
  { operator_id, role }: { operator_id: string; role: OperatorRole },
  author: Author,
): Promise<Operator> {
  const done = await context.store.change([], async query => {
    await lockOperator(query, operator_id)
    await holdOperators(query)
    return changeRole(query, operator_id, role)
  })
  if (!done) throw new ServiceError('operator_not_found', `no operator ${operator_id}`)
  if (done.changed) context.events.operatorChanged('changed', done.operator, author)
  return shownOperator(done.operator)
}

/** Removes an operator with invitation and sessions. Throws `operator_not_found`. */
export async function removeOperator(
  context: Context,
  operatorId: string,
  author: Author,
): Promise<Operator> {
  const removed = await context.store.change([], async query => {
    await lockOperator(query, operatorId)
    await holdOperators(query)
    return removeStored(query, operatorId)
  })
  if (!removed) throw new ServiceError('operator_not_found', `no operator ${operatorId}`)
  context.events.operatorChanged('removed', removed, author)
  return shownOperator(removed)
}

function shownOperator(stored: StoredOperator): Operator {
  const { operator_id, label, role, issuer, subject, invited_by } = stored
  return {
    operator_id,
    label,
    role,
    status: statusOf(stored),
    identity: issuer === null || subject === null ? null : { issuer, subject },
    invited_by,
    created_at: stored.created_at.toISOString(),
    invitation_expires_at: stored.invitation_expires_at.toISOString(),
  }
}

function statusOf({ removed_at, issuer, is_over }: StoredOperator): Operator['status'] {
  if (removed_at !== null) return 'removed'
  if (issuer !== null) return 'active'
  return is_over ? 'expired' : 'invited'
}
