import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { RegisteredActuator } from '../contract/actuator.ts'
import type { TimeCursor } from '../contract/endpoints/paging.ts'
import type { Author } from '../contract/tenant.ts'
import type { Reader, Writer } from './open.ts'
import { actuators, policyRevisions, tenants } from './schema/schema.ts'

/** A policy revision to be stored: canonical text and hash of the normalized document. */
export interface NewRevision {
  policy: string
  policy_hash: string
  author: Author
  change_note: string | null
}

export interface StoredRevision extends NewRevision {
  tenant_id: string
  revision: number
  created_at: Date
}

/** What governs a tenant now, with the version that changes whenever any of it does. */
export interface GoverningRecord {
  version: number
  approval_ttl_ms: number
  policy: StoredRevision
  actuators: RegisteredActuator[]
}

/** Create a tenant with its first revision and its actuators; false when the id is taken. */
export async function createTenant(
  writer: Writer,
  tenant: {
    tenant_id: string
    approval_ttl_ms: number
    revision: NewRevision
    actuators: readonly RegisteredActuator[]
  },
): Promise<boolean> {
  const { tenant_id, approval_ttl_ms } = tenant
  return writer.db.transaction(async tx => {
    const made = await tx
      .insert(tenants)
      .values({ tenant_id, approval_ttl_ms, policy_revision: 1 })
      .onConflictDoNothing()
      .returning({ tenant_id: tenants.tenant_id })
    if (made.length === 0) return false
    await tx.insert(policyRevisions).values({ ...revisionRow(tenant.revision), tenant_id, revision: 1 })
    const registered = tenant.actuators.map(({ name, kind, settings }) => ({
      tenant_id,
      name,
      kind,
      settings,
    }))
    if (registered.length > 0) await tx.insert(actuators).values(registered)
    return true
  })
}

/** What a PUT of a policy came to. */
export type RevisionChange =
  | { outcome: 'changed' | 'unchanged'; revision: StoredRevision }
  | { outcome: 'no_tenant' }
  | { outcome: 'mismatch'; current: number }

/**
 * Make the next revision, unless the document is the one in force. The tenant's row is locked, so numbers have no gaps
 * and of two writers with the same `expected` revision one gets `mismatch`.
 */
export async function revisePolicy(
  writer: Writer,
  tenantId: string,
  revision: NewRevision,
  expected: number | null,
): Promise<RevisionChange> {
  return writer.db.transaction(async tx => {
    const [tenant] = await tx.select().from(tenants).where(eq(tenants.tenant_id, tenantId)).for('update')
    if (!tenant) return { outcome: 'no_tenant' }
    const current = tenant.policy_revision
    if (expected !== null && expected !== current) return { outcome: 'mismatch', current }
    const [inForce] = await tx.select().from(policyRevisions).where(revisionIs(tenantId, current))
    if (inForce?.policy_hash === revision.policy_hash)
      return { outcome: 'unchanged', revision: storedRevision(inForce) }
    const [made] = await tx
      .insert(policyRevisions)
      .values({ ...revisionRow(revision), tenant_id: tenantId, revision: current + 1 })
      .returning()
    await tx
      .update(tenants)
      .set({ policy_revision: current + 1, governing_version: sql`${tenants.governing_version} + 1` })
      .where(eq(tenants.tenant_id, tenantId))
    if (!made) throw new Error('the revision was not stored')
    return { outcome: 'changed', revision: storedRevision(made) }
  })
}

/** What governs a tenant, read in one snapshot; null when there is no such tenant. */
export async function readGoverning(reader: Reader, tenantId: string): Promise<GoverningRecord | null> {
  return reader.db.transaction(
    async tx => {
      const [row] = await tx
        .select()
        .from(tenants)
        .innerJoin(policyRevisions, currentRevision())
        .where(eq(tenants.tenant_id, tenantId))
      if (!row) return null
      const registered = await tx.select().from(actuators).where(eq(actuators.tenant_id, tenantId))
      return {
        version: row.tenants.governing_version,
        approval_ttl_ms: row.tenants.approval_ttl_ms,
        policy: storedRevision(row.policy_revisions),
        actuators: registered.map(
          ({ name, kind, settings }) => ({ name, kind, settings }) as RegisteredActuator,
        ),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** The policy revision in force. */
export async function readPolicy(reader: Reader, tenantId: string): Promise<StoredRevision | null> {
  const [row] = await reader.db
    .select()
    .from(tenants)
    .innerJoin(policyRevisions, currentRevision())
    .where(eq(tenants.tenant_id, tenantId))
  return row ? storedRevision(row.policy_revisions) : null
}

/** Tenants with the policy in force, newest first. */
export async function listTenants(
  reader: Reader,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ created_at: Date; policy: StoredRevision }[]> {
  const { limit, cursor } = page
  const at = cursor && new Date(cursor[0])
  const rows = await reader.db
    .select()
    .from(tenants)
    .innerJoin(policyRevisions, currentRevision())
    .where(
      cursor &&
        at &&
        or(lt(tenants.created_at, at), and(eq(tenants.created_at, at), lt(tenants.tenant_id, cursor[1]))),
    )
    .orderBy(desc(tenants.created_at), desc(tenants.tenant_id))
    .limit(limit)
  return rows.map(row => ({
    created_at: row.tenants.created_at,
    policy: storedRevision(row.policy_revisions),
  }))
}

export async function tenantExists(reader: Reader, tenantId: string): Promise<boolean> {
  const rows = await reader.db
    .select({ id: tenants.tenant_id })
    .from(tenants)
    .where(eq(tenants.tenant_id, tenantId))
  return rows.length > 0
}

export async function anyTenant(reader: Reader): Promise<boolean> {
  const rows = await reader.db.select({ id: tenants.tenant_id }).from(tenants).limit(1)
  return rows.length > 0
}

function currentRevision() {
  return and(
    eq(policyRevisions.tenant_id, tenants.tenant_id),
    eq(policyRevisions.revision, tenants.policy_revision),
  )
}

function revisionIs(tenantId: string, revision: number) {
  return and(eq(policyRevisions.tenant_id, tenantId), eq(policyRevisions.revision, revision))
}

function revisionRow(revision: NewRevision) {
  return { ...revision, policy: Buffer.from(revision.policy), catalog_hash: null }
}

function storedRevision(row: typeof policyRevisions.$inferSelect): StoredRevision {
  return { ...row, policy: row.policy.toString('utf8') }
}
