import { ServiceError } from '../../contract/base/errors.ts'
import type { OperatorPrincipal, OperatorRole, OperatorSession } from '../../contract/operator-schema.ts'
import { csrfTokenOf, hashSecret, isToken, newToken } from '../../runtime/secrets/secret.ts'
import type { StoredOperator } from '../../store/account/operator-rows.ts'
import {
  endOperatorSession,
  endOperatorSessions,
  findOperatorSession,
  insertOperatorSession,
  type StoredOperatorSession,
  touchOperatorSession,
} from '../../store/account/operator-session-rows.ts'
import type { SessionOrigin } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { shownIdentity } from './begin-session.ts'
import { consoleOf, endSessionUrl } from './issuer-attempt.ts'
import { putOff } from './sessions.ts'

export interface CurrentOperator extends OperatorSession {
  session_hash: Buffer
}

/** Begins a console session under a new token and ends the browser's previous one. */
export async function beginOperatorSession(
  { config }: Context,
  query: Query,
  operator: Pick<StoredOperator, 'operator_id' | 'label' | 'role'>,
  { identity, before }: { identity: SessionOrigin; before: string | null },
): Promise<{ session: OperatorSession; session_token: string }> {
  const session_token = newToken()
  if (before !== null) await endOperatorSession(query, hashSecret(before))
  const { expires_at, idle_expires_at } = await insertOperatorSession(query, {
    session_hash: hashSecret(session_token),
    operator_id: operator.operator_id,
    idle_ms: config.session_idle_ms,
    ms_max: config.session_ms_max,
    identity,
  })
  const session = {
    operator: principalOf(operator, shownIdentity(identity)),
    csrf_token: csrfTokenOf(session_token),
    expires_at: expires_at.toISOString(),
    idle_expires_at: idle_expires_at.toISOString(),
  }
  return { session, session_token }
}

/**
 * Reads the console session of a cookie from the database each time; throws `session_required` for any that is
 * invalid or of a removed operator.
 */
export async function authenticateOperator(
  context: Context,
  token: string | null,
  { byItself }: { byItself: boolean },
): Promise<{ session: CurrentOperator; now: string }> {
  if (token === null || !isToken(token)) throw new ServiceError('session_required')
  const session_hash = hashSecret(token)
  const found = await findOpen(context, session_hash)
  const { label, now, issuer, subject, auth_time, acr } = found
  const touched = { ...found, session_hash, touch: touchOperatorSession }
  const session = {
    session_hash,
    operator: principalOf({ ...found, label }, { issuer, subject, auth_time, acr }),
    csrf_token: csrfTokenOf(token),
    expires_at: found.expires_at,
    idle_expires_at: byItself ? found.idle_expires_at : await putOff(context, touched),
  }
  return { session, now }
}

/** Rejects if a console session has ended; does not extend it. */
export async function confirmOperator(context: Context, { session_hash }: CurrentOperator): Promise<void> {
  await findOpen(context, session_hash)
}

/**
 * Ends this console session, or all sessions of its operator; returns their number and the issuer's logout
 * address.
 */
export async function signOutOperator(
  context: Context,
  { session_hash, operator }: CurrentOperator,
  everywhere: boolean,
): Promise<{ ended: number; end_session_url: string | null }> {
  const ended = await context.store.change([], query =>
    everywhere ? endOperatorSessions(query, operator.operator_id) : endOperatorSession(query, session_hash),
  )
  if (ended === 0) throw new ServiceError('session_required')
  const end_session_url = await endSessionUrl(context, consoleOf(context), operator.identity.issuer, '/admin')
  return { ended, end_session_url }
}

export function shownSession({ session_hash: _, ...session }: CurrentOperator): OperatorSession {
  return session
}

async function findOpen({ store }: Context, hash: Buffer): Promise<StoredOperatorSession> {
  const found = await store.read([], reader => findOperatorSession(reader, hash))
  if (!found) throw new ServiceError('session_required')
  return found
}

function principalOf(
  { operator_id, label, role }: { operator_id: string; label: string; role: OperatorRole },
  identity: OperatorPrincipal['identity'],
): OperatorPrincipal {
  return {
    operator_id,
    name: label,
    scope: role === 'on_call' ? 'on_call' : 'admin',
    tenant_id: null,
    identity,
  }
}
