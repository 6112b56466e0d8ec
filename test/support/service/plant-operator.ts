import type { OperatorRole } from '../../../shared/contract/operator-schema.ts'
import { beginOperatorSession } from '../../../shared/flow/account/operator-sessions.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { newName } from '../../../shared/runtime/ids.ts'
import { hashSecret, newToken } from '../../../shared/runtime/secrets/secret.ts'
import { insertOperator, linkOperator } from '../../../shared/store/account/operator-rows.ts'

/** An operator as if they had signed in at an issuer, and what their requests show. */
export interface PlantedOperator {
  operator_id: string
  /** The token of the session. */
  console: string
  console_csrf: string
  headers: Record<string, string>
}

/** Store an operator, who is in a session of the console. */
export async function plantOperator(
  context: Context,
  { role = 'operator', label = 'Ola Operator' }: { role?: OperatorRole; label?: string } = {},
): Promise<PlantedOperator> {
  const operator_id = newName('opr')
  const named = { issuer: 'https://login.example.org', subject: operator_id }
  const identity = { ...named, auth_time: null, acr: null, sid: null, ends: null }
  const { session, session_token } = await context.store.change([], async query => {
    const invitation_hash = hashSecret(newToken())
    await insertOperator(query, { operator_id, label, role, invitation_hash, invited_by: 'test', ms: 60_000 })
    await linkOperator(query, operator_id, named)
    return beginOperatorSession(context, query, { operator_id, label, role }, { identity, before: null })
  })
  const { csrf_token } = session
  const headers = { cookie: `service_operator_session=${session_token}`, 'x-service-csrf': csrf_token }
  return { operator_id, console: session_token, console_csrf: csrf_token, headers }
}
