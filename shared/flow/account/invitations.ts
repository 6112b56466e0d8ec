import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type {
  AcceptInvitationRequest,
  Invitation,
  InvitationMade,
  InvitationRequest,
  OfferedInvitation,
} from '../../contract/member-schema.ts'
import { lookAlike } from '../../lifecycle/look-alike.ts'
import { newName } from '../../runtime/ids.ts'
import { hashSecret, isToken, newToken } from '../../runtime/secrets/secret.ts'
import { insertMember, type StoredAccount, tenantNames } from '../../store/account/account-rows.ts'
import {
  acceptInvitation as acceptStored,
  countOpenInvitations,
  findInvitation,
  type HeldInvitation,
  insertInvitation,
  listInvitations as listStored,
  revokeInvitation as revokeStored,
  type StoredInvitation,
} from '../../store/account/invitation-rows.ts'
import { countMembers, insertRoles, listMembers } from '../../store/account/member-rows.ts'
import { findSession } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import {
  addressSubject,
  attemptCredentials,
  type BegunSession,
  beginSession,
  type Visitor,
  withGrants,
} from './begin-session.ts'
import { changeOrganization, ownGrants, recordGrants } from './change-organization.ts'
import { changeAsOwner } from './members.ts'
import type { CurrentSession } from './sessions.ts'
import { refuseWeak } from './sign-up.ts'

const invitationMs = limits.invitation_hours * 3_600_000

/**
 * Invites a person with roles. The token is only in the link, behind the `#`, because browsers send that part to
 * no server. Throws `tenant_not_found`, `too_many_members`.
 */
export async function inviteMember(
  context: Context,
  session: CurrentSession,
  { label, ...wanted }: InvitationRequest,
): Promise<InvitationMade> {
  const token = newToken()
  const { organization_id } = session.organization
  const made = await changeAsOwner(context, session, async (query, tenantIds) => {
    const grants = ownGrants(wanted, tenantIds)
    const { members } = await countMembers(query, organization_id)
    const open = await countOpenInvitations(query, organization_id)
    if (members + open >= limits.members_max) throw new ServiceError('too_many_members')
    return insertInvitation(query, {
      invitation_id: newName('inv'),
      organization_id,
      token_hash: hashSecret(token),
      label,
      grants,
      invited_by: session.account.account_id,
      ms: invitationMs,
    })
  })
  const invitation_url = `${callableUrl(context)}/app/invitation#${token}`
  return { invitation: shownInvitation(made), invitation_url }
}

export async function listInvitations(
  { store }: Context,
  { organization }: CurrentSession,
): Promise<Invitation[]> {
  const listed = await store.look([], query =>
    listStored(query, organization.organization_id, limits.members_max),
  )
  return listed.map(shownInvitation)
}

/** Revokes an open invitation. Throws `invitation_not_found`. */
export async function revokeInvitation(
  context: Context,
  session: CurrentSession,
  invitationId: string,
): Promise<Invitation> {
  const revoked = await changeAsOwner(context, session, query =>
    revokeStored(query, session.organization.organization_id, invitationId),
  )
  if (!revoked) throw new ServiceError('invitation_not_found')
  return shownInvitation(revoked)
}

/** Returns the offer of an invitation link. Throws as its acceptance would. */
export async function readInvitation({ store }: Context, token: string): Promise<OfferedInvitation> {
  const [found, names] = await store.look('all', async query => {
    const held = await openInvitation(query, tokenHash(token))
    return [held, await tenantNames(query, held.organization_id)]
  })
  const { owner, roles } = found.grants
  return {
    organization: found.organization_name,
    label: found.label,
    owner,
    roles: roles.map(({ tenant_id, role }) => ({ application: names.get(tenant_id) ?? tenant_id, role })),
    expires_at: found.expires_at.toISOString(),
  }
}

/**
 * Accepts an invitation with a new password account and begins a session; the password counts as an attempt, as at
 * a sign-up. Throws `already_member` in a signed-in browser, and the errors of `joinOrganization`.
 */
export async function acceptInvitation(
  context: Context,
  { token, email, password }: AcceptInvitationRequest,
  visitor: Visitor,
): Promise<BegunSession> {
  refuseWeak(password, email)
  const hash = tokenHash(token)
  await refuseSignedIn(context, visitor)
  const { organization_id } = await context.store.look([], query => openInvitation(query, hash))
  const password_hash = await attemptCredentials(context, { email, password }, visitor, addressSubject(email))
  const begun = await changeOrganization(context, organization_id, async (query, tenantIds) => {
    const account = await joinOrganization(context, query, { hash, tenantIds, email, password_hash })
    return beginSession(context, query, account, { ...visitor, identity: null })
  })
  return withGrants(context, begun)
}

export interface Joining {
  hash: Buffer
  tenantIds: readonly string[]
  email: string
  password_hash: Buffer | null
}

/**
 * Creates an account from an open invitation, in a transaction that holds its organization. Throws
 * `invitation_not_found`, `invitation_used`, `invitation_ended`, `account_conflict`.
 */
export async function joinOrganization(
  context: Context,
  query: Query,
  { hash, tenantIds, email, password_hash }: Joining,
): Promise<StoredAccount> {
  const { invitation_id, organization_id, organization_name, grants, invited_by, inviter } =
    await openInvitation(query, hash)
  await refuseTwin(query, organization_id, email)
  const account_id = newName('acc')
  const organization = { organization_id, name: organization_name }
  const membership = grants.owner ? 'owner' : 'member'
  const account = await insertMember(query, { account_id, email, password_hash, organization }, membership)
  if (!account) throw new ServiceError('account_conflict')
  if (!(await acceptStored(query, invitation_id, account_id))) throw new ServiceError('invitation_ended')
  await insertRoles(query, account_id, grants.roles)
  await recordGrants(context, query, tenantIds, {
    account_id,
    before: { owner: false, roles: [] },
    after: grants,
    author: { account_id: invited_by, name: inviter },
    invitation_id,
  })
  return account
}

/**
 * Refuses a name that equals or resembles a member's, because approvals and comments show their author's name.
 * Throws `account_conflict`.
 */
async function refuseTwin(query: Query, organizationId: string, email: string): Promise<void> {
  const members = await listMembers(query, organizationId)
  if (members.some(member => lookAlike(member.email, email))) throw new ServiceError('account_conflict')
}

/** Returns the organization of an open invitation. Throws as `joinOrganization` does. */
export async function organizationOfInvitation({ store }: Context, hash: Buffer): Promise<string> {
  const { organization_id } = await store.look([], query => openInvitation(query, hash))
  return organization_id
}

/** Returns the SHA-256 of a well-formed token. Throws `invitation_not_found`. */
export function tokenHash(token: string): Buffer {
  if (!isToken(token)) throw new ServiceError('invitation_not_found')
  return hashSecret(token)
}

/** Refuses a signed-in browser before anything is created, because an account belongs to one organization. */
async function refuseSignedIn({ store }: Context, { session_token: token }: Visitor): Promise<void> {
  if (token === null || !isToken(token)) return
  const session = await store.read('all', reader => findSession(reader, hashSecret(token), null))
  if (session) throw new ServiceError('already_member')
}

async function openInvitation(query: Query, hash: Buffer): Promise<HeldInvitation> {
  const found = await findInvitation(query, hash)
  if (!found) throw new ServiceError('invitation_not_found')
  if (found.accepted_by !== null) throw new ServiceError('invitation_used')
  if (found.revoked_at !== null || found.is_over) throw new ServiceError('invitation_ended')
  return found
}

function shownInvitation(stored: StoredInvitation): Invitation {
  const { invitation_id, label, grants, invited_by, accepted_by } = stored
  return {
    invitation_id,
    label,
    ...grants,
    status: statusOf(stored),
    invited_by,
    accepted_by,
    created_at: stored.created_at.toISOString(),
    expires_at: stored.expires_at.toISOString(),
  }
}

function statusOf({ accepted_by, revoked_at, is_over }: StoredInvitation): Invitation['status'] {
  if (accepted_by !== null) return 'accepted'
  if (revoked_at !== null) return 'revoked'
  return is_over ? 'expired' : 'open'
}
