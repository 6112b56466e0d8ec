import { ServiceError } from '../../contract/base/errors.ts'
import type { CompleteSignInRequest } from '../../contract/identity.ts'
import type {
  BeginOperatorSignIn,
  OperatorSession,
  OperatorSignInWays,
} from '../../contract/operator-schema.ts'
import type { Identity } from '../../identity/issuers.ts'
import {
  holdOperators,
  linkOperator,
  operatorOfIdentity,
  operatorOfInvitation,
  type StoredOperator,
} from '../../store/account/operator-rows.ts'
import { insertOperatorSignIn, takeOperatorSignIn } from '../../store/account/operator-session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import type { Visitor } from './begin-session.ts'
import { tokenHash } from './invitations.ts'
import { beginAttempt, consoleOf, redeemAttempt, signInMsMax } from './issuer-attempt.ts'
import { beginOperatorSession } from './operator-sessions.ts'

type ConsoleVisitor = Pick<Visitor, 'session_token' | 'sign_in_token'>

export function operatorSignInWays({ config }: Context): OperatorSignInWays {
  return { issuers: [...config.operator_issuers].map(([name, { title }]) => ({ name, title })) }
}

/** Begins an operator's sign-in at an issuer. Throws as `beginAttempt` does, and `invitation_not_found`. */
export async function beginOperatorSignIn(
  context: Context,
  { issuer, invitation }: BeginOperatorSignIn,
  { sign_in_token: before }: ConsoleVisitor,
): Promise<{ authorization_url: string; sign_in_token: string }> {
  const { hashes, ...begun } = await beginAttempt(context, consoleOf(context), { issuer, before })
  const invitation_hash = invitation === undefined ? null : tokenHash(invitation)
  await context.store.change([], query =>
    insertOperatorSignIn(query, { ...hashes, issuer, invitation_hash, ms: signInMsMax }),
  )
  return begun
}

/**
 * Completes a sign-in with a console session. Throws `identity_unknown` for a person without an invitation, and
 * the errors of `joinOperators`.
 */
export async function completeOperatorSignIn(
  context: Context,
  request: CompleteSignInRequest,
  visitor: ConsoleVisitor,
): Promise<{ session: OperatorSession; session_token: string }> {
  const back = { ...request, sign_in_token: visitor.sign_in_token }
  const { identity, taken } = await redeemAttempt(context, consoleOf(context), back, takeOperatorSignIn)
  const { invitation_hash: hash } = taken
  const begun = await context.store.change([], async query => {
    await holdOperators(query)
    const known = await operatorOfIdentity(query, identity)
    const operator = hash === null ? known : await joinOperators(query, { identity, known, hash })
    if (!operator) return null
    return beginOperatorSession(context, query, operator, { identity, before: visitor.session_token })
  })
  const who = { issuer: identity.issuer, subject: identity.subject }
  if (!begun) {
    context.events.operatorUnknown(who)
    throw new ServiceError('identity_unknown')
  }
  const { operator } = begun.session
  if (hash !== null) context.events.operatorChanged('joined', { ...operator, label: operator.name }, operator)
  context.events.operatorSignedIn({ operator_id: operator.operator_id, ...who })
  return begun
}

/**
 * Makes the person the operator of an invitation. Throws `invitation_not_found`, `invitation_used`,
 * `invitation_ended`, and `identity_taken` if they are an operator already.
 */
async function joinOperators(
  query: Query,
  { identity, known, hash }: { identity: Identity; known: StoredOperator | null; hash: Buffer },
): Promise<StoredOperator> {
  const invited = await operatorOfInvitation(query, hash)
  if (!invited) throw new ServiceError('invitation_not_found')
  if (invited.issuer !== null) throw new ServiceError('invitation_used')
  if (invited.removed_at !== null || invited.is_over) throw new ServiceError('invitation_ended')
  if (known) throw new ServiceError('identity_taken')
  await linkOperator(query, invited.operator_id, identity)
  return invited
}
