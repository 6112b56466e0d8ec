import { hmacSha256 } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { SignInSetting } from '../../contract/configuration/issuer-schema.ts'
import type { Attempt, Identity, Issuers, SignInFailure } from '../../identity/issuers.ts'
import { hashSecret, isToken, newToken } from '../../runtime/secrets/secret.ts'
import type { Query } from '../../store/postgres/open.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'

/** Milliseconds to complete a sign-in at an issuer. */
export const signInMsMax = 600_000

export interface SignInPlace {
  issuers: Issuers
  settings: ReadonlyMap<string, SignInSetting>
  path: '/app' | '/admin'
}

export function dashboardOf({ issuers, config }: Context): SignInPlace {
  return { issuers, settings: config.oidc_issuers, path: '/app' }
}

export function consoleOf({ operatorIssuers, config }: Context): SignInPlace {
  return { issuers: operatorIssuers, settings: config.operator_issuers, path: '/admin' }
}

/** A begun sign-in, of which only the digests in `hashes` are stored, so that a leaked row signs no one in. */
export interface BegunAttempt {
  authorization_url: string
  sign_in_token: string
  hashes: { state_hash: Buffer; browser_hash: Buffer }
}

/**
 * Begins a sign-in bound to the browser by a cookie, from which nonce and verifier are derived. A browser keeps
 * its cookie, so that two tabs may sign in at once. Throws `issuer_not_found`, `issuer_unavailable`,
 * `sign_in_refused`.
 */
export async function beginAttempt(
  context: Context,
  place: SignInPlace,
  { issuer, before }: { issuer: string; before: string | null },
): Promise<BegunAttempt> {
  requireIssuer(place, issuer)
  const sign_in_token = before !== null && isToken(before) ? before : newToken()
  const state = newToken()
  const attempt = attemptOf(context, place, { issuer, state, sign_in_token })
  const url = await place.issuers.authorizationUrl(issuer, attempt)
  if (!url.ok) throw failed(context, issuer, url.error)
  const hashes = { state_hash: hashSecret(state), browser_hash: hashSecret(sign_in_token) }
  return { authorization_url: url.value, sign_in_token, hashes }
}

export interface CameBack {
  issuer: string
  parameters: string
  sign_in_token: string | null
}

/**
 * Redeems a sign-in; the attempt is taken first, so that it can be redeemed only once. Browser and issuer must be
 * those it began with, since a mix-up attack would otherwise succeed.
 */
export async function redeemAttempt<Taken extends { issuer: string }>(
  context: Context,
  place: SignInPlace,
  { issuer, ...back }: CameBack,
  take: (query: Query, stateHash: Buffer, browserHash: Buffer) => Promise<Taken | null>,
): Promise<{ identity: Identity; taken: Taken }> {
  requireIssuer(place, issuer)
  const { state, sign_in_token } = shown(back)
  const taken = await context.store.change([], query =>
    take(query, hashSecret(state), hashSecret(sign_in_token)),
  )
  if (taken?.issuer !== issuer) throw new ServiceError('sign_in_refused')
  const attempt = attemptOf(context, place, { issuer, state, sign_in_token })
  const identity = await place.issuers.redeem(issuer, attempt, back.parameters)
  if (!identity.ok) throw failed(context, issuer, identity.error)
  return { identity: identity.value, taken }
}

/** Returns the issuer's logout address, or null if the issuer has none, is unreachable or is no longer configured. */
export async function endSessionUrl(
  context: Context,
  { issuers, settings }: SignInPlace,
  issuer: string,
  returnTo: string,
): Promise<string | null> {
  const named = [...settings].find(([, setting]) => setting.issuer === issuer)
  return named ? issuers.endSessionUrl(named[0], `${callableUrl(context)}${returnTo}`) : null
}

/** Requires each parameter once, because two readers of a repeated one may take different values. */
function shown({ parameters, sign_in_token }: Omit<CameBack, 'issuer'>): {
  state: string
  sign_in_token: string
} {
  const given = new URLSearchParams(parameters)
  const names = [...given.keys()]
  const state = given.get('state') ?? ''
  const isRepeated = new Set(names).size !== names.length
  if (isRepeated || !isToken(state) || sign_in_token === null || !isToken(sign_in_token))
    throw new ServiceError('sign_in_refused')
  return { state, sign_in_token }
}

function attemptOf(
  context: Context,
  { path }: SignInPlace,
  { issuer, state, sign_in_token }: { issuer: string; state: string; sign_in_token: string },
): Attempt {
  const derived = (what: string) =>
    hmacSha256(Buffer.from(sign_in_token), `action-gate sign-in ${what} v1`, state)
  const redirect_uri = `${callableUrl(context)}${path}/signed-in/${issuer}`
  return { redirect_uri, state, nonce: derived('nonce'), code_verifier: derived('verifier') }
}

/** Throws `issuer_not_found`. */
export function requireIssuer({ settings }: SignInPlace, issuer: string): void {
  if (!settings.has(issuer)) throw new ServiceError('issuer_not_found', `no issuer ${issuer}`)
}

/** Returns the kind of failure to the caller; the reason goes only to the operator's log. */
function failed({ events }: Context, issuer: string, failure: SignInFailure): ServiceError {
  events.signInFailed(issuer, failure)
  return new ServiceError(failure.reason === 'unavailable' ? 'issuer_unavailable' : 'sign_in_refused')
}
