import { ServiceError } from '../../contract/base/errors.ts'
import { clockToleranceS } from '../../identity/identity-claims.ts'
import { logoutTokenS } from '../../identity/logout-token.ts'
import { hashSecret } from '../../runtime/secrets/secret.ts'
import { endSessionsElsewhere, keepLogoutToken } from '../../store/account/session-rows.ts'
import type { Context } from '../core/context.ts'
import { requireIssuer } from './sign-in-elsewhere.ts'

/** As long as a token could count again. */
const keptMs = (logoutTokenS + 2 * clockToleranceS) * 1_000

/**
 * End what was begun by a session at an issuer that has ended there. A token counts once, so that nobody who sees one can end
 * a later session with it. Throws `logout_refused`, `issuer_unavailable`.
 */
export async function endAtIssuer(context: Context, issuer: string, logoutToken: string): Promise<void> {
  requireIssuer(context, issuer)
  const read = await context.issuers.readDeparture(issuer, logoutToken)
  if (!read.ok) {
    context.events.signInFailed(issuer, read.error)
    throw new ServiceError(read.error.reason === 'unavailable' ? 'issuer_unavailable' : 'logout_refused')
  }
  const { jti, ...departure } = read.value
  await context.store.change([], async query => {
    const token = { issuer: departure.issuer, jti_hash: hashSecret(jti), ms: keptMs }
    if (!(await keepLogoutToken(query, token))) throw new ServiceError('logout_refused')
    await endSessionsElsewhere(query, departure)
  })
}
