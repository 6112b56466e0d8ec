import { and, asc, count, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Grants, TenantRole } from '../../contract/role-schema.ts'
import type { Query } from '../postgres/open.ts'
import {
  accounts,
  devices,
  identities,
  memberRoles,
  organizationGroupMembers,
  organizations,
  savedViews,
} from '../schema/schema.ts'

export interface StoredMember extends Grants {
  account_id: string
  email: string
  created_at: Date
}

/**
 * Locks an organization until the transaction ends, so that only one transaction at a time changes its members.
 * Returns the number of its tenants.
 */
export async function holdOrganization(query: Query, organizationId: string): Promise<number> {
  const { organization_id, tenant_count } = organizations
  // Takes the lock by an update that changes no value, because the role may not lock these rows by a select.
  const [held] = await query
    .update(organizations)
    .set({ tenant_count: sql`${tenant_count}` })
    .where(eq(organization_id, organizationId))
    .returning({ tenant_count })
  if (!held) throw new Error(`there is no organization ${organizationId}`)
  return held.tenant_count
}

export async function grantsOf(query: Query, accountId: string): Promise<Grants> {
  const [account] = await query
    .select({ membership: accounts.membership })
    .from(accounts)
    .where(eq(accounts.account_id, accountId))
  const roles = await rolesOf(query, [accountId])
  return {
    owner: account?.membership === 'owner',
    roles: roles.map(({ tenant_id, role }) => ({ tenant_id, role })),
  }
}

export async function listMembers(
  query: Query,
  organizationId: string,
  accountId?: string,
): Promise<StoredMember[]> {
  const { account_id, email, created_at, membership } = accounts
  const rows = await query
    .select({ account_id, email, created_at, membership })
    .from(accounts)
    .where(
      and(
        eq(accounts.organization_id, organizationId),
        ne(membership, 'removed'),
        ...(accountId === undefined ? [] : [eq(account_id, accountId)]),
      ),
    )
    .orderBy(asc(created_at), asc(account_id))
  const roles = await rolesOf(
    query,
    rows.map(row => row.account_id),
  )
  const byAccount = new Map<string, TenantRole[]>(rows.map(row => [row.account_id, []]))
  for (const { account_id: id, ...role } of roles) byAccount.get(id)?.push(role)
  return rows.map(({ membership: kind, ...row }) => ({
    ...row,
    owner: kind === 'owner',
    roles: byAccount.get(row.account_id) ?? [],
  }))
}

/** Returns the roles of accounts. Row-level security hides roles in tenants outside the transaction's scope. */
export async function rolesOf(
  query: Query,
  accountIds: readonly string[],
): Promise<(TenantRole & { account_id: string })[]> {
  const { account_id, tenant_id, role } = memberRoles
  return query
    .select({ account_id, tenant_id, role })
    .from(memberRoles)
    .where(inArray(account_id, [...accountIds]))
    .orderBy(asc(tenant_id), asc(role))
}

export async function countMembers(
  query: Query,
  organizationId: string,
): Promise<{ members: number; owners: number }> {
  const { organization_id, membership } = accounts
  const [counted] = await query
    .select({ members: count(), owners: sql<number>`count(*) filter (where ${membership} = 'owner')::int4` })
    .from(accounts)
    .where(and(eq(organization_id, organizationId), ne(membership, 'removed')))
  return counted ?? { members: 0, owners: 0 }
}

/** Gives a member exactly these grants. Row-level security hides roles outside the scope, so those stay. */
export async function replaceGrants(query: Query, accountId: string, grants: Grants): Promise<void> {
  const membership = grants.owner ? 'owner' : 'member'
  await query.update(accounts).set({ membership }).where(eq(accounts.account_id, accountId))
  await query.delete(memberRoles).where(eq(memberRoles.account_id, accountId))
  await insertRoles(query, accountId, grants.roles)
}

export async function insertRoles(
  query: Query,
  accountId: string,
  roles: readonly TenantRole[],
): Promise<void> {
  if (roles.length === 0) return
  const rows = roles.map(role => ({ ...role, account_id: accountId }))
  await query.insert(memberRoles).values(rows).onConflictDoNothing()
}

/**
 * Deletes an account's credentials, roles, groups and views. Its row stays, because recorded events name its id.
 */
export async function removeMember(query: Query, accountId: string): Promise<void> {
  await query
    .update(accounts)
    .set({ membership: 'removed', password_hash: null })
    .where(eq(accounts.account_id, accountId))
  for (const table of [identities, devices, memberRoles, organizationGroupMembers, savedViews])
    await query.delete(table).where(eq(table.account_id, accountId))
}
