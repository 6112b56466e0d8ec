import { and, desc, eq, lt } from 'drizzle-orm'
import type { Author } from '../contract/tenant.ts'
import type { Query } from './open.ts'
import { policyRevisions, tenants } from './schema/schema.ts'

/** A policy revision to be stored: canonical text and hash of the normalized document. */
export interface NewRevision {
  policy: string
  policy_hash: string
  /** Hash of the catalog in force when the revision was made. */
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

/** One revision of a tenant's policy, or the one in force. */
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

/** Revisions, newest first; only those before `before`. */
export async function listPolicyRevisions(
  query: Query,
  tenantId: string,
  page: { limit: number; before: number | null },
): Promise<StoredRevision[]> {
  const older = page.before === null ? undefined : lt(policyRevisions.revision, page.before)
  const rows = await query
    .select()
    .from(policyRevisions)
    .where(and(eq(policyRevisions.tenant_id, tenantId), older))
    .orderBy(desc(policyRevisions.revision))
    .limit(page.limit)
  return rows.map(storedPolicy)
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
