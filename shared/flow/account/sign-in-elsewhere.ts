import { hmacSha256 } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { BeginSignInRequest, CompleteSignInRequest, SignInWays } from '../../contract/identity.ts'
import type { Attempt, Identity, SignInFailure } from '../../identity/issuers.ts'
import { newName } from '../../runtime/ids.ts'
import { hashSecret, isToken, newToken } from '../../runtime/secrets/secret.ts'
import { insertAccount, type StoredAccount } from '../../store/account/account-rows.ts'
import { replaceClaimedGroups } from '../../store/account/group-rows.ts'
import {
  findIdentity,
  holdLinks,
  insertIdentity,
  insertSignIn,
  type TakenSignIn,
  takeSignIn,
} from '../../store/account/identity-rows.ts'
import { holdOrganization } from '../../store/account/member-rows.ts'
import { findSession } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import {
  type BegunSession,
  beginSession,
  type NewSession,
  type Visitor,
  withGrants,
} from './begin-session.ts'
import { changeOrganization } from './change-organization.ts'
import { joinOrganization, organizationOfInvitation, tokenHash } from './invitations.ts'

/** How long somebody has to prove to an issuer who they are. */
export const signInMsMax = 600_000

/** How people may sign in here. */
export function signInWays({ config }: Context): SignInWays {
  const issuers = [...config.oidc_issuers].map(([name, { title, sign_up }]) => ({ name, title, sign_up }))
  return { local: config.local_accounts, issuers }
}

/**
 * Send somebody to an issuer. The attempt is bound to the browser by a cookie, from which nonce and verifier are derived:
 * what is stored opens nothing. A browser that has a cookie keeps it, so that two tabs may sign in side by side.
 */
export async function beginSignIn(
  context: Context,
  { issuer, organization, invitation, account_id }: BeginSignInRequest & { account_id?: string },
  { sign_in_token: before }: Pick<Visitor, 'sign_in_token'>,
): Promise<{ authorization_url: string; sign_in_token: string }> {
  requireIssuer(context, issuer)
  const sign_in_token = before !== null && isToken(before) ? before : newToken()
  const state = newToken()
  const attempt = attemptOf(context, issuer, { state, sign_in_token })
  const url = await context.issuers.authorizationUrl(issuer, attempt)
  if (!url.ok) throw failed(context, issuer, url.error)
  const hashes = { state_hash: hashSecret(state), browser_hash: hashSecret(sign_in_token) }
  const signIn = {
    ...hashes,
    issuer,
    organization: organization ?? null,
    account_id: account_id ?? null,
    invitation_hash: invitation === undefined ? null : tokenHash(invitation),
    ms: signInMsMax,
  }
  await context.store.change([], query => insertSignIn(query, signIn))
  return { authorization_url: url.value, sign_in_token }
}

/**
 * Begin a session with what an issuer sent a browser back with. The attempt is taken before anything is asked, so that it
 * counts once. It must be of this browser and of the issuer to whose page the browser came back (a mix-up is refused).
 */
export async function completeSignIn(
  context: Context,
  { issuer, parameters }: CompleteSignInRequest,
  visitor: Visitor,
): Promise<BegunSession> {
  requireIssuer(context, issuer)
  const { state, sign_in_token } = shown(parameters, visitor)
  const taken = await context.store.change([], query =>
    takeSignIn(query, hashSecret(state), hashSecret(sign_in_token)),
  )
  if (taken?.issuer !== issuer) throw new ServiceError('sign_in_refused')
  const attempt = attemptOf(context, issuer, { state, sign_in_token })
  const identity = await context.issuers.redeem(issuer, attempt, parameters)
  if (!identity.ok) throw failed(context, issuer, identity.error)
  const how = { identity: identity.value, taken, visitor }
  const { invitation_hash: hash } = taken
  return withGrants(context, await (hash === null ? signIn(context, how) : join(context, how, hash)))
}

/** A sign-in that came back: who it is, and for what it was begun. */
interface SignedIn {
  identity: Identity
  taken: TakenSignIn
  visitor: Visitor
}

/** Begin a session of the account that an identity opens, or is linked to, or makes with an organization. */
async function signIn(context: Context, { identity, taken, visitor }: SignedIn): Promise<NewSession> {
  const own = taken.account_id === null ? null : await accountOfSession(context, visitor, taken.account_id)
  return context.store.change([], async query => {
    const account = own
      ? await linkAccount(query, own, identity)
      : await accountOf(context, query, identity, taken)
    await renewGroups(context, query, account, { identity, issuer: taken.issuer })
    return beginSession(context, query, account, { ...visitor, identity })
  })
}

/** Accept an invitation with an identity that opens no account yet. Throws `already_member`, and as an acceptance does. */
async function join(
  context: Context,
  { identity, taken, visitor }: SignedIn,
  hash: Buffer,
): Promise<NewSession> {
  const organizationId = await organizationOfInvitation(context, hash)
  return changeOrganization(context, organizationId, async (query, tenantIds) => {
    if (await findIdentity(query, identity)) throw new ServiceError('already_member')
    const { issuer, subject, label: email } = identity
    const account = await joinOrganization(context, query, { hash, tenantIds, email, password_hash: null })
    const isTheirs = await insertIdentity(query, { issuer, subject, account_id: account.account_id })
    // Somebody with this identity signed up in the same moment: this transaction is given up.
    if (!isTheirs) throw new ServiceError('sign_in_refused')
    await renewGroups(context, query, account, { identity, issuer: taken.issuer })
    return beginSession(context, query, account, { ...visitor, identity })
  })
}

/** Groups that a claim gave are those that it gives now, by the mapping of the settings and in the account's own organization. */
async function renewGroups(
  { config }: Context,
  query: Query,
  { account_id, organization: { organization_id } }: StoredAccount,
  { identity, issuer }: { identity: Identity; issuer: string },
): Promise<void> {
  const mapping = new Map(Object.entries(config.oidc_issuers.get(issuer)?.groups ?? {}))
  const names = identity.groups.flatMap(value => {
    const [organization, name] = mapping.get(value)?.split('/') ?? []
    return name !== undefined && organization === organization_id ? [name] : []
  })
  if (names.length > 0) await holdOrganization(query, organization_id)
  await replaceClaimedGroups(query, identity, { organization_id, account_id, names })
}

/** What the issuer returned and the browser kept; each name once, since one reader may take the first and another the last. */
function shown(parameters: string, { sign_in_token }: Visitor): { state: string; sign_in_token: string } {
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
  issuer: string,
  { state, sign_in_token }: { state: string; sign_in_token: string },
): Attempt {
  const derived = (what: string) =>
    hmacSha256(Buffer.from(sign_in_token), `action-gate sign-in ${what} v1`, state)
  const redirect_uri = `${callableUrl(context)}/app/signed-in/${issuer}`
  return { redirect_uri, state, nonce: derived('nonce'), code_verifier: derived('verifier') }
}

/** The account of an identity. Who is new makes one with an organization, where that was asked for and is allowed. */
async function accountOf(
  { config }: Context,
  query: Query,
  { subject, label, ...identity }: Identity,
  { issuer, organization: name }: { issuer: string; organization: string | null },
): Promise<StoredAccount> {
  const known = await findIdentity(query, { issuer: identity.issuer, subject })
  if (known) return known
  if (name === null || !config.oidc_issuers.get(issuer)?.sign_up) throw new ServiceError('identity_unknown')
  const account_id = newName('acc')
  const organization = { organization_id: newName('org'), name }
  const account = await insertAccount(query, { account_id, email: label, password_hash: null, organization })
  const isTheirs = await insertIdentity(query, { issuer: identity.issuer, subject, account_id })
  // Somebody with this identity signed up in the same moment: this transaction is given up.
  if (!account || !isTheirs) throw new ServiceError('sign_in_refused')
  return account
}

/** The account that a link is for, where the browser is still in a session of it. */
async function accountOfSession(
  { store }: Context,
  { session_token: token }: Visitor,
  accountId: string,
): Promise<StoredAccount> {
  const session =
    token !== null && isToken(token)
      ? await store.read('all', reader => findSession(reader, hashSecret(token), null))
      : null
  if (session?.account_id !== accountId) throw new ServiceError('sign_in_refused')
  const { account_id, email, organization_id, organization_name: name } = session
  const created_at = new Date(session.account_created_at)
  return { account_id, email, created_at, organization: { organization_id, name } }
}

/** Let an identity open an account; one that opens it already is as good. */
async function linkAccount(
  query: Query,
  account: StoredAccount,
  { issuer, subject }: Identity,
): Promise<StoredAccount> {
  const { account_id } = account
  if (!(await holdLinks(query, account_id)).is_member) throw new ServiceError('sign_in_refused')
  if (await insertIdentity(query, { issuer, subject, account_id })) return account
  const known = await findIdentity(query, { issuer, subject })
  if (known?.account_id !== account_id) throw new ServiceError('identity_taken')
  return account
}

/** Throws `issuer_not_found`. */
export function requireIssuer({ config }: Context, issuer: string): void {
  if (!config.oidc_issuers.has(issuer)) throw new ServiceError('issuer_not_found', `no issuer ${issuer}`)
}

/** The caller is told which kind of failure it was; the reason is for whoever runs the service. */
function failed({ events }: Context, issuer: string, failure: SignInFailure): ServiceError {
  events.signInFailed(issuer, failure)
  return new ServiceError(failure.reason === 'unavailable' ? 'issuer_unavailable' : 'sign_in_refused')
}
