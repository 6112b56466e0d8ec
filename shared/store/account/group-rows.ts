import { and, asc, eq } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { accounts, organizationGroupMembers, organizationGroups } from '../schema/schema.ts'
import type { StoredIdentity } from './identity-rows.ts'

export interface StoredGroup {
  name: string
  created_at: Date
}

export interface StoredGroupMember {
  name: string
  account_id: string
  email: string
  source: 'hand' | 'claim'
}

export async function listGroups(
  query: Query,
  organizationId: string,
): Promise<{ groups: StoredGroup[]; members: StoredGroupMember[] }> {
  const groups = await query
    .select({ name: organizationGroups.name, created_at: organizationGroups.created_at })
    .from(organizationGroups)
    .where(eq(organizationGroups.organization_id, organizationId))
    .orderBy(asc(organizationGroups.name))
  const { organization_id, name, account_id, source } = organizationGroupMembers
  const members = await query
    .selectDistinct({ name, account_id, email: accounts.email, source })
    .from(organizationGroupMembers)
    .innerJoin(accounts, eq(accounts.account_id, account_id))
    .where(eq(organization_id, organizationId))
    .orderBy(asc(name), asc(accounts.email), asc(account_id), asc(source))
  return { groups, members }
}

export async function groupsOfAccount(query: Query, accountId: string): Promise<string[]> {
  const { account_id, name } = organizationGroupMembers
  const rows = await query
    .selectDistinct({ name })
    .from(organizationGroupMembers)
    .where(eq(account_id, accountId))
    .orderBy(asc(name))
  return rows.map(row => row.name)
}

export async function insertGroup(query: Query, organizationId: string, name: string): Promise<boolean> {
  const made = await query
    .insert(organizationGroups)
    .values({ organization_id: organizationId, name })
    .onConflictDoNothing()
    .returning({ name: organizationGroups.name })
  return made.length > 0
}

/** Deletes a group and its memberships. Returns false if the organization has no such group. */
export async function deleteGroup(query: Query, organizationId: string, name: string): Promise<boolean> {
  await query
    .delete(organizationGroupMembers)
    .where(
      and(
        eq(organizationGroupMembers.organization_id, organizationId),
        eq(organizationGroupMembers.name, name),
      ),
    )
  const gone = await query
    .delete(organizationGroups)
    .where(and(eq(organizationGroups.organization_id, organizationId), eq(organizationGroups.name, name)))
    .returning({ name: organizationGroups.name })
  return gone.length > 0
}

export async function insertGroupMember(
  query: Query,
  member: { organization_id: string; name: string; account_id: string },
): Promise<void> {
  await query
    .insert(organizationGroupMembers)
    .values({ ...member, source: 'hand' })
    .onConflictDoNothing()
}

/** Removes an account from a group, no matter if a person or a claim of an identity provider added it. */
export async function deleteGroupMember(
  query: Query,
  { organization_id, name, account_id }: { organization_id: string; name: string; account_id: string },
): Promise<void> {
  const { organization_id: organization, name: group, account_id: account } = organizationGroupMembers
  await query
    .delete(organizationGroupMembers)
    .where(and(eq(organization, organization_id), eq(group, name), eq(account, account_id)))
}

/** Replaces the groups that an account has by the claims of an identity. Names without a group are ignored. */
export async function replaceClaimedGroups(
  query: Query,
  { issuer, subject }: StoredIdentity,
  {
    organization_id,
    account_id,
    names,
  }: { organization_id: string; account_id: string; names: readonly string[] },
): Promise<void> {
  const members = organizationGroupMembers
  await query
    .delete(members)
    .where(and(eq(members.account_id, account_id), eq(members.issuer, issuer), eq(members.subject, subject)))
  const { groups } = await listGroups(query, organization_id)
  const given = groups.filter(({ name }) => names.includes(name))
  if (given.length === 0) return
  const rows = given.map(({ name }) => ({
    organization_id,
    name,
    account_id,
    source: 'claim' as const,
    issuer,
    subject,
  }))
  await query.insert(members).values(rows).onConflictDoNothing()
}
