import { ServiceError } from '../../contract/base/errors.ts'
import { clockToleranceS } from '../../identity/identity-claims.ts'
import type { Departure } from '../../identity/issuers.ts'
import { logoutTokenS } from '../../identity/logout-token.ts'
import { hashSecret } from '../../runtime/secrets/secret.ts'
import { findIdentity } from '../../store/account/identity-rows.ts'
import { endOperatorsElsewhere } from '../../store/account/operator-session-rows.ts'
import { endSessionsElsewhere, keepLogoutToken } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { consoleOf, dashboardOf, requireIssuer, type SignInPlace } from './issuer-attempt.ts'
import { endSlackLinks } from './slack-links.ts'

/** Milliseconds for which a logout token could be replayed. */
const keptMs = (logoutTokenS + 2 * clockToleranceS) * 1_000

/** Ends the sessions that a logout token names. Throws `issuer_not_found`, `logout_refused`, `issuer_unavailable`. */
export async function endAtIssuer(context: Context, issuer: string, logoutToken: string): Promise<void> {
  const left = await endBegun(context, dashboardOf(context), { issuer, logoutToken }, endSessionsElsewhere)
  if (left.subject !== null) await endLinks(context, { issuer: left.issuer, subject: left.subject })
}

export async function endOperatorsAtIssuer(
  context: Context,
  issuer: string,
  logoutToken: string,
): Promise<void> {
  await endBegun(context, consoleOf(context), { issuer, logoutToken }, endOperatorsElsewhere)
}

/**
 * Ends the sessions that a logout token names; it accepts each token once, so that a stolen one cannot end a later
 * session.
 */
async function endBegun(
  context: Context,
  place: SignInPlace,
  { issuer, logoutToken }: { issuer: string; logoutToken: string },
  end: (query: Query, departure: Omit<Departure, 'jti'>) => Promise<number>,
): Promise<Omit<Departure, 'jti'>> {
  requireIssuer(place, issuer)
  const read = await place.issuers.readDeparture(issuer, logoutToken)
  if (!read.ok) {
    context.events.signInFailed(issuer, read.error)
    throw new ServiceError(read.error.reason === 'unavailable' ? 'issuer_unavailable' : 'logout_refused')
  }
  const { jti, ...departure } = read.value
  await context.store.change([], async query => {
    const token = { issuer: departure.issuer, jti_hash: hashSecret(jti), ms: keptMs }
    if (!(await keepLogoutToken(query, token))) throw new ServiceError('logout_refused')
    await end(query, departure)
  })
  return departure
}

/**
 * Ends the Slack links of the person whom the logout token names, since they could otherwise still decide in
 * Slack.
 */
async function endLinks(context: Context, who: { issuer: string; subject: string }): Promise<void> {
  const known = await context.store.look('all', query => findIdentity(query, who))
  if (known) await endSlackLinks(context, known.account_id, () => ({ source: 'issuer' }))
}
