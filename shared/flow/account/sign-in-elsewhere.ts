import { ServiceError } from '../../contract/base/errors.ts'
import type {
  BeginSignInRequest,
  CompleteSignInRequest,
  LinkedIdentity,
  SignInWays,
} from '../../contract/identity.ts'
import type { Identity } from '../../identity/issuers.ts'
import { newName } from '../../runtime/ids.ts'
import { hashSecret, isToken } from '../../runtime/secrets/secret.ts'
import { insertAccount, type StoredAccount } from '../../store/account/account-rows.ts'
import { replaceClaimedGroups } from '../../store/account/group-rows.ts'
import {
  deleteIdentity,
  findIdentity,
  holdLinks,
  insertIdentity,
  insertSignIn,
  listIdentities,
  type StoredIdentity,
  type TakenSignIn,
  takeSignIn,
} from '../../store/account/identity-rows.ts'
import { findSession } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { sendsMail } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import {
  type BegunSession,
  beginSession,
  type NewSession,
  type Visitor,
  withGrants,
} from './begin-session.ts'
import { changeOrganization, type Ending, type OrganizationWork } from './change-organization.ts'
import { joinOrganization, organizationOfInvitation, tokenHash } from './invitations.ts'
import { beginAttempt, dashboardOf, redeemAttempt, signInMsMax } from './issuer-attempt.ts'
import type { CurrentSession } from './sessions.ts'
import { shareGroups } from './share-groups.ts'

export function signInWays({ config }: Context): SignInWays {
  const issuers = [...config.oidc_issuers].map(([name, { title, sign_up }]) => ({ name, title, sign_up }))
  const { local_accounts: local } = config
  return { local, password_reset: local && sendsMail(config), issuers }
}

/** Begins a sign-in at an issuer. Throws as `beginAttempt` does, and `invitation_not_found`. */
export async function beginSignIn(
  context: Context,
  { issuer, organization, invitation, account_id }: BeginSignInRequest & { account_id?: string },
  { sign_in_token: before }: Pick<Visitor, 'sign_in_token'>,
): Promise<{ authorization_url: string; sign_in_token: string }> {
  const { hashes, ...begun } = await beginAttempt(context, dashboardOf(context), { issuer, before })
  const signIn = {
    ...hashes,
    issuer,
    organization: organization ?? null,
    account_id: account_id ?? null,
    invitation_hash: invitation === undefined ? null : tokenHash(invitation),
    ms: signInMsMax,
  }
  await context.store.change([], query => insertSignIn(query, signIn))
  return begun
}

export async function completeSignIn(
  context: Context,
  request: CompleteSignInRequest,
  visitor: Visitor,
): Promise<BegunSession> {
  const back = { ...request, sign_in_token: visitor.sign_in_token }
  const { identity, taken } = await redeemAttempt(context, dashboardOf(context), back, takeSignIn)
  const how = { identity, taken, visitor }
  const { invitation_hash: hash } = taken
  return withGrants(context, await (hash === null ? signIn(context, how) : join(context, how, hash)))
}

interface SignedIn {
  identity: Identity
  taken: TakenSignIn
  visitor: Visitor
}

async function signIn(context: Context, { identity, taken, visitor }: SignedIn): Promise<NewSession> {
  const { account_id, issuer } = taken
  const own = account_id === null ? null : await accountOfSession(context, visitor, account_id)
  const known = own ?? (await context.store.look([], query => findIdentity(query, identity)))
  if (!known)
    return context.store.change([], async query => {
      const account = await newAccount(context, query, identity, taken)
      return beginSession(context, query, account, { ...visitor, identity })
    })
  const work: OrganizationWork<NewSession> = async (query, tenantIds) => {
    const account = own ? await linkAccount(query, own, identity) : await sameAccount(query, known, identity)
    await renewGroups(context, query, account, { identity, issuer, tenantIds })
    return beginSession(context, query, account, { ...visitor, identity })
  }
  return changeOrganization(context, known.organization.organization_id, work, shownSession(visitor))
}

function shownSession({ session_token: token }: Visitor): Ending | null {
  return token === null ? null : { session_hash: hashSecret(token) }
}

/** Reads the account again, because the identity may have been unlinked or removed since the look-up. */
async function sameAccount(query: Query, known: StoredAccount, identity: Identity): Promise<StoredAccount> {
  const now = await findIdentity(query, identity)
  if (now?.account_id !== known.account_id) throw new ServiceError('sign_in_refused')
  return now
}

/** Accepts an invitation with a new identity. Throws `already_member`, and the errors of an acceptance. */
async function join(
  context: Context,
  { identity, taken, visitor }: SignedIn,
  hash: Buffer,
): Promise<NewSession> {
  const organizationId = await organizationOfInvitation(context, hash)
  const work: OrganizationWork<NewSession> = async (query, tenantIds) => {
    if (await findIdentity(query, identity)) throw new ServiceError('already_member')
    const { issuer, subject, label: email } = identity
    const account = await joinOrganization(context, query, { hash, tenantIds, email, password_hash: null })
    const isTheirs = await insertIdentity(query, { issuer, subject, account_id: account.account_id })
    // A concurrent sign-up took this identity, so this transaction is rolled back.
    if (!isTheirs) throw new ServiceError('sign_in_refused')
    await renewGroups(context, query, account, { identity, issuer: taken.issuer, tenantIds })
    return beginSession(context, query, account, { ...visitor, identity })
  }
  return changeOrganization(context, organizationId, work, shownSession(visitor))
}

/**
 * Replaces the groups that an earlier sign-in claimed by those of this one, mapped by the settings, in the
 * organization and its applications, where routes read them.
 */
async function renewGroups(
  { config }: Context,
  query: Query,
  { account_id, organization: { organization_id } }: StoredAccount,
  { identity, issuer, tenantIds }: { identity: Identity; issuer: string; tenantIds: readonly string[] },
): Promise<void> {
  const mapping = new Map(Object.entries(config.oidc_issuers.get(issuer)?.groups ?? {}))
  const names = identity.groups.flatMap(value => {
    const [organization, name] = mapping.get(value)?.split('/') ?? []
    return name !== undefined && organization === organization_id ? [name] : []
  })
  await replaceClaimedGroups(query, identity, { organization_id, account_id, names })
  await shareGroups(query, { organization_id, tenantIds, author: { source: 'issuer' } })
}

async function newAccount(
  { config }: Context,
  query: Query,
  { subject, label, ...identity }: Identity,
  { issuer, organization: name }: { issuer: string; organization: string | null },
): Promise<StoredAccount> {
  if (name === null || !config.oidc_issuers.get(issuer)?.sign_up) throw new ServiceError('identity_unknown')
  const account_id = newName('acc')
  const organization = { organization_id: newName('org'), name }
  const account = await insertAccount(query, { account_id, email: label, password_hash: null, organization })
  const isTheirs = await insertIdentity(query, { issuer: identity.issuer, subject, account_id })
  // A concurrent sign-up took this identity, so this transaction is rolled back.
  if (!account || !isTheirs) throw new ServiceError('sign_in_refused')
  return account
}

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

/** Links an identity; one already linked to the account is accepted. */
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

export async function linkedIdentities(
  { store }: Context,
  { account }: CurrentSession,
): Promise<LinkedIdentity[]> {
  const linked = await store.look([], query => listIdentities(query, account.account_id))
  return linked.map(({ created_at, ...identity }) => ({ ...identity, created_at: created_at.toISOString() }))
}

/**
 * Unlinks an identity and ends its sessions; returns their number. The last way into an account stays, even with
 * concurrent requests. Throws `identity_not_found`, `last_identity`.
 */
export async function unlinkIdentity(
  context: Context,
  { account: { account_id }, organization: { organization_id } }: CurrentSession,
  { issuer, subject }: StoredIdentity,
): Promise<number> {
  const unlink: OrganizationWork<number> = async (query, tenantIds) => {
    const { has_password } = await holdLinks(query, account_id)
    const linked = await listIdentities(query, account_id)
    const isLinked = linked.some(identity => identity.issuer === issuer && identity.subject === subject)
    if (!isLinked) throw new ServiceError('identity_not_found')
    if (!has_password && linked.length === 1) throw new ServiceError('last_identity')
    const ended = await deleteIdentity(query, { issuer, subject, account_id })
    await shareGroups(query, { organization_id, tenantIds, author: { source: 'issuer' } })
    return ended
  }
  return changeOrganization(context, organization_id, unlink, { account_id })
}
