import { and, desc, eq, inArray, lt, ne, or, sql } from 'drizzle-orm'
import type { SavedView } from '../../contract/action/inbox-schema.ts'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { Query, Reader } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import {
  accounts,
  memberRoles,
  organizations,
  passwordPepper,
  savedViews,
  tenantOwners,
} from '../schema/schema.ts'

export interface StoredAccount {
  account_id: string
  email: string
  created_at: Date
  organization: { organization_id: string; name: string }
}

export type StoredOwnedTenant = Omit<typeof tenantOwners.$inferSelect, 'organization_id'>

/** Returns the random number that is part of all password salts; stores `fresh` if there is none yet. */
export async function keepPepper(query: Query, fresh: Buffer): Promise<Buffer> {
  await query.insert(passwordPepper).values({ pepper: fresh }).onConflictDoNothing()
  const [row] = await query.select().from(passwordPepper)
  if (!row) throw new Error('the pepper was not stored')
  return row.pepper
}

export async function readPepper(query: Query): Promise<Buffer | null> {
  const [row] = await query.select().from(passwordPepper)
  return row?.pepper ?? null
}

export async function findAccount(
  query: Query,
  email: string,
  passwordHash: Buffer,
): Promise<StoredAccount | null> {
  const [row] = await query
    .select()
    .from(accounts)
    .innerJoin(organizations, eq(organizations.organization_id, accounts.organization_id))
    .where(
      and(
        eq(accounts.email, email),
        eq(accounts.password_hash, passwordHash),
        ne(accounts.membership, 'removed'),
      ),
    )
  if (!row) return null
  const { account_id, created_at } = row.accounts
  const { organization_id, name } = row.organizations
  return { account_id, email, created_at, organization: { organization_id, name } }
}

export interface NewAccount {
  account_id: string
  email: string
  password_hash: Buffer | null
  organization: { organization_id: string; name: string }
}

export async function insertAccount(query: Query, account: NewAccount): Promise<StoredAccount | null> {
  await query.insert(organizations).values(account.organization)
  return insertMember(query, account, 'owner')
}

/** Inserts an account. Returns null if another account has the same address and the same password. */
export async function insertMember(
  query: Query,
  { organization, ...account }: NewAccount,
  membership: 'owner' | 'member',
): Promise<StoredAccount | null> {
  const { account_id, email } = account
  const { organization_id } = organization
  const [made] = await query
    .insert(accounts)
    .values({ ...account, organization_id, membership })
    .onConflictDoNothing()
    .returning()
  return made ? { account_id, email, created_at: made.created_at, organization } : null
}

export async function countTenant(query: Query, organizationId: string, most: number): Promise<boolean> {
  const { organization_id, tenant_count } = organizations
  const counted = await query
    .update(organizations)
    .set({ tenant_count: sql`${tenant_count} + 1` })
    .where(and(eq(organization_id, organizationId), lt(tenant_count, most)))
    .returning({ tenant_count })
  return counted.length > 0
}

/** Returns null for an account outside the organization that owns the tenant. */
export async function memberAccount(
  query: Query,
  tenantId: string,
  accountId: string,
): Promise<{ email: string } | null> {
  const [row] = await query
    .select({ email: accounts.email })
    .from(accounts)
    .innerJoin(tenantOwners, eq(tenantOwners.organization_id, accounts.organization_id))
    .where(
      and(
        eq(accounts.account_id, accountId),
        ne(accounts.membership, 'removed'),
        eq(tenantOwners.tenant_id, tenantId),
      ),
    )
  return row ?? null
}

export async function insertTenantOwner(
  query: Query,
  owner: { tenant_id: string; organization_id: string; name: string },
): Promise<StoredOwnedTenant> {
  const [made] = await query.insert(tenantOwners).values(owner).returning()
  if (!made) throw new Error('the owner was not stored')
  return made
}

/** Selects all tenants of the organization for an owner, otherwise those in which the account has a role. */
export interface TenantsOf {
  organization_id: string
  account_id: string
  owner: boolean
}

export async function listOwnedTenants(
  query: Query,
  { organization_id, account_id, owner }: TenantsOf,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<StoredOwnedTenant[]> {
  const { limit, cursor } = page
  const older = cursor && olderThan(new Date(cursor[0]), cursor[1])
  const own = query
    .select({ tenant_id: memberRoles.tenant_id })
    .from(memberRoles)
    .where(eq(memberRoles.account_id, account_id))
  return query
    .select()
    .from(tenantOwners)
    .where(
      and(
        eq(tenantOwners.organization_id, organization_id),
        owner ? undefined : inArray(tenantOwners.tenant_id, own),
        older,
      ),
    )
    .orderBy(desc(tenantOwners.created_at), desc(tenantOwners.tenant_id))
    .limit(limit)
}

/** Returns the tenants in which the account has one of `roles`. An owner has every role in every tenant. */
export async function tenantIdsOf(
  reader: Reader,
  { organization_id, account_id, owner }: TenantsOf,
  { roles, tenant_id }: { roles: readonly MemberRole[]; tenant_id: string | null },
): Promise<string[]> {
  const rows = await reader.query<{ tenant_id: string }>('tenant_ids_of_member', idsSql, [
    organization_id,
    tenant_id,
    owner ? null : account_id,
    arrayLiteral(roles),
  ])
  return rows.map(row => row.tenant_id)
}

const idsSql = `
select o.tenant_id from tenant_owners o
where o.organization_id = $1 and ($2::text is null or o.tenant_id = $2) and (
  $3::text is null
  or exists (select from member_roles m where m.account_id = $3 and m.tenant_id = o.tenant_id and m.role = any($4::text[])))
order by o.tenant_id`

export async function tenantNames(query: Query, organizationId: string): Promise<Map<string, string>> {
  const { tenant_id, name, organization_id } = tenantOwners
  const rows = await query
    .select({ tenant_id, name })
    .from(tenantOwners)
    .where(eq(organization_id, organizationId))
  return new Map(rows.map(row => [row.tenant_id, row.name]))
}

export async function organizationTenantIds(reader: Reader, organizationId: string): Promise<string[]> {
  const text = 'select tenant_id from tenant_owners where organization_id = $1 order by tenant_id'
  const rows = await reader.query<{ tenant_id: string }>('organization_tenant_ids', text, [organizationId])
  return rows.map(({ tenant_id }) => tenant_id)
}

/** Returns organization ids by tenant. A tenant that no sign-up created has no owner and is missing. */
export async function ownersOf(reader: Reader, tenantIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await reader.query<{ tenant_id: string; organization_id: string }>('find_owners', ownersSql, [
    arrayLiteral(tenantIds),
  ])
  return new Map(rows.map(({ tenant_id, organization_id }) => [tenant_id, organization_id]))
}

const ownersSql = 'select tenant_id, organization_id from tenant_owners where tenant_id = any($1::text[])'

function olderThan(at: Date, id: string) {
  const { created_at, tenant_id } = tenantOwners
  return or(lt(created_at, at), and(eq(created_at, at), lt(tenant_id, id)))
}

export async function readViews(query: Query, accountId: string): Promise<SavedView[]> {
  const [row] = await query
    .select({ views: savedViews.views })
    .from(savedViews)
    .where(eq(savedViews.account_id, accountId))
  return row?.views ?? []
}

export async function replaceViews(
  query: Query,
  accountId: string,
  views: readonly SavedView[],
): Promise<void> {
  const saved = { views: [...views], updated_at: sql`clock_timestamp()` }
  await query
    .insert(savedViews)
    .values({ account_id: accountId, ...saved })
    .onConflictDoUpdate({ target: savedViews.account_id, set: saved })
}

/** Returns a tenant's name; null if no sign-up created the tenant, because only a sign-up names it. */
export async function tenantName(reader: Reader, tenantId: string): Promise<string | null> {
  const text = 'select name from tenant_owners where tenant_id = $1'
  const [row] = await reader.query<{ name: string }>('tenant_name', text, [tenantId])
  return row?.name ?? null
}
