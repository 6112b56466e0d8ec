import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Grants } from '../../contract/role-schema.ts'
import type { Query } from '../postgres/open.ts'
import { accounts, invitations, organizations } from '../schema/schema.ts'

export interface StoredInvitation {
  invitation_id: string
  organization_id: string
  label: string
  grants: Grants
  invited_by: string
  accepted_by: string | null
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
  /** True if the invitation has expired by the database's clock. */
  is_over: boolean
}

const columns = {
  invitation_id: invitations.invitation_id,
  organization_id: invitations.organization_id,
  label: invitations.label,
  grants: invitations.grants,
  invited_by: invitations.invited_by,
  accepted_by: invitations.accepted_by,
  created_at: invitations.created_at,
  expires_at: invitations.expires_at,
  revoked_at: invitations.revoked_at,
  is_over: sql<boolean>`${invitations.expires_at} <= clock_timestamp()`,
}

export interface NewInvitation {
  invitation_id: string
  organization_id: string
  token_hash: Buffer
  label: string
  grants: Grants
  invited_by: string
  ms: number
}

export async function insertInvitation(
  query: Query,
  { ms, ...invitation }: NewInvitation,
): Promise<StoredInvitation> {
  const expires_at = sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  const [made] = await query
    .insert(invitations)
    .values({ ...invitation, expires_at })
    .returning(columns)
  if (!made) throw new Error('the invitation was not stored')
  return made
}

export async function listInvitations(
  query: Query,
  organizationId: string,
  limit: number,
): Promise<StoredInvitation[]> {
  return query
    .select(columns)
    .from(invitations)
    .where(eq(invitations.organization_id, organizationId))
    .orderBy(desc(invitations.created_at), desc(invitations.invitation_id))
    .limit(limit)
}

const isOpen = and(
  isNull(invitations.accepted_by),
  isNull(invitations.revoked_at),
  gt(invitations.expires_at, sql`clock_timestamp()`),
)

export async function countOpenInvitations(query: Query, organizationId: string): Promise<number> {
  return query.$count(invitations, and(eq(invitations.organization_id, organizationId), isOpen))
}

export interface HeldInvitation extends StoredInvitation {
  organization_name: string
  inviter: string
}

export async function findInvitation(query: Query, tokenHash: Buffer): Promise<HeldInvitation | null> {
  const [row] = await query
    .select({
      ...columns,
      organization_name: organizations.name,
      inviter: accounts.email,
    })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.organization_id, invitations.organization_id))
    .innerJoin(accounts, eq(accounts.account_id, invitations.invited_by))
    .where(eq(invitations.token_hash, tokenHash))
  return row ?? null
}

/** Records the account that accepts an invitation. Returns false if it is expired, revoked or already accepted. */
export async function acceptInvitation(
  query: Query,
  invitationId: string,
  accountId: string,
): Promise<boolean> {
  const accepted = await query
    .update(invitations)
    .set({ accepted_by: accountId })
    .where(and(eq(invitations.invitation_id, invitationId), isOpen))
    .returning({ invitation_id: invitations.invitation_id })
  return accepted.length > 0
}

/** Revokes an invitation if it is still open. Returns null if the organization has no invitation with this id. */
export async function revokeInvitation(
  query: Query,
  organizationId: string,
  invitationId: string,
): Promise<StoredInvitation | null> {
  const own = and(
    eq(invitations.invitation_id, invitationId),
    eq(invitations.organization_id, organizationId),
  )
  await query.update(invitations).set({ revoked_at: sql`clock_timestamp()` }).where(and(own, isOpen))
  const [row] = await query.select(columns).from(invitations).where(own)
  return row ?? null
}

/** Revokes all open invitations by an account, because it may no longer grant what they offer. */
export async function revokeInvitationsBy(query: Query, accountId: string): Promise<void> {
  await query
    .update(invitations)
    .set({ revoked_at: sql`clock_timestamp()` })
    .where(and(eq(invitations.invited_by, accountId), isOpen))
}
