import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { Query } from '../postgres/open.ts'
import { catalogRevisions, policyRevisions, tenants } from '../schema/schema.ts'

/** A policy revision to store. `policy` is the canonical text of the normalized document, and is hashed. */
export interface NewRevision {
  policy: string
  policy_hash: string
  /** The hash of the catalog that was in force when the revision was made. */
  catalog_hash: string | null
  author: Author
  change_note: string | null
}

export interface StoredRevision extends NewRevision {
  tenant_id: string
  revision: number
  created_at: Date
}

export async function insertPolicyRevision(
  query: Query,
  revision: NewRevision & { tenant_id: string; revision: number },
): Promise<StoredRevision> {
  const [made] = await query
    .insert(policyRevisions)
    .values({ ...revision, policy: Buffer.from(revision.policy) })
    .returning()
  if (!made) throw new Error('the revision was not stored')
  return storedPolicy(made)
}

export async function readPolicyRevision(
  query: Query,
  tenantId: string,
  revision: number | 'current',
): Promise<StoredRevision | null> {
  const [row] = await query
    .select()
    .from(tenants)
    .innerJoin(policyRevisions, revision === 'current' ? currentPolicy() : anyPolicy())
    .where(
      and(
        eq(tenants.tenant_id, tenantId),
        revision === 'current' ? undefined : eq(policyRevisions.revision, revision),
      ),
    )
  return row ? storedPolicy(row.policy_revisions) : null
}

export interface RevisionPage {
  limit: number
  before: number | null
}

export async function listPolicyRevisions(
  query: Query,
  tenantId: string,
  page: RevisionPage,
): Promise<StoredRevision[]> {
  const rows = await query
    .select()
    .from(policyRevisions)
    .where(olderThan(tenantId, page))
    .orderBy(desc(policyRevisions.revision))
    .limit(page.limit)
  return rows.map(storedPolicy)
}

export async function policyRevisionSizes(
  query: Query,
  tenantId: string,
  page: RevisionPage,
): Promise<number[]> {
  const rows = await query
    .select({ bytes: sql<number>`octet_length(${policyRevisions.policy})` })
    .from(policyRevisions)
    .where(olderThan(tenantId, page))
    .orderBy(desc(policyRevisions.revision))
    .limit(page.limit)
  return rows.map(({ bytes }) => bytes)
}

function olderThan(tenantId: string, { before }: RevisionPage) {
  const older = before === null ? undefined : lt(policyRevisions.revision, before)
  return and(eq(policyRevisions.tenant_id, tenantId), older)
}

/** Returns the size of all policy and catalog revisions of a tenant, which Postgres knows without reading them. */
export async function revisionBytes(query: Query, tenantId: string): Promise<number> {
  const ofPolicy = query
    .select({ bytes: sql<string>`coalesce(sum(octet_length(${policyRevisions.policy})), 0)` })
    .from(policyRevisions)
    .where(eq(policyRevisions.tenant_id, tenantId))
  const ofCatalog = query
    .select({ bytes: sql<string>`coalesce(sum(octet_length(${catalogRevisions.catalog})), 0)` })
    .from(catalogRevisions)
    .where(eq(catalogRevisions.tenant_id, tenantId))
  const [policy, catalog] = [await ofPolicy, await ofCatalog]
  return Number(policy[0]?.bytes ?? 0) + Number(catalog[0]?.bytes ?? 0)
}

export function currentPolicy() {
  return and(anyPolicy(), eq(policyRevisions.revision, tenants.policy_revision))
}

export function storedPolicy(row: typeof policyRevisions.$inferSelect): StoredRevision {
  return { ...row, policy: row.policy.toString('utf8') }
}

function anyPolicy() {
  return eq(policyRevisions.tenant_id, tenants.tenant_id)
}
