import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { ConfigEventKind } from '../../contract/action/audit.ts'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { Query, Reader } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { configEvents, configPayloads, logOutbox, policyRevisions, tenants } from '../schema/schema.ts'
import { currentPolicy, type StoredRevision, storedPolicy } from './policy-revisions.ts'

export interface LockedTenant {
  tenant_id: string
  policy_revision: number
  catalog_revision: number | null
  rules_version: number
  verification_gate: boolean
  config_event_count: number
  config_last_leaf: Buffer | null
  /**
   * The database's time at some moment between asking for the lock and getting it (ISO 8601, UTC, milliseconds).
   * Only the log orders changes, because a change may wait for other locks afterwards.
   */
  at: string
}

/** Inserts a tenant before its first policy revision; false if its id is taken. */
export async function insertTenant(
  query: Query,
  tenant: {
    tenant_id: string
    approval_ttl_ms: number
    execute_within_ms?: number | null
    verification_gate: boolean
  },
): Promise<boolean> {
  const made = await query
    .insert(tenants)
    .values({ ...tenant, policy_revision: 1 })
    .onConflictDoNothing()
    .returning({ tenant_id: tenants.tenant_id })
  return made.length > 0
}

/**
 * Locks a tenant against other changes, but not against rows that refer to it, because the sequencer makes logs.
 */
export async function lockTenant(query: Query, tenantId: string): Promise<LockedTenant | null> {
  const [row] = await query
    .select({
      tenant_id: tenants.tenant_id,
      policy_revision: tenants.policy_revision,
      catalog_revision: tenants.catalog_revision,
      rules_version: tenants.rules_version,
      verification_gate: tenants.verification_gate,
      config_event_count: tenants.config_event_count,
      config_last_leaf: tenants.config_last_leaf,
      at: sql<string>`${sql.raw(isoTime('clock_timestamp()'))}`,
    })
    .from(tenants)
    .where(eq(tenants.tenant_id, tenantId))
    .for('no key update')
  return row ?? null
}

export interface SealedConfigEvent {
  sequence: number
  kind: string
  text: string
  leafHash: Buffer
  payloadText: string
  salt: Uint8Array
}

/** A configuration change with its events. `governs` is true if it affects how proposals are decided. */
export interface ConfigChange {
  tenant_id: string
  policy_revision?: number
  catalog_revision?: number
  governs: boolean
  events: readonly SealedConfigEvent[]
}

/** Appends a change to a tenant that the transaction has locked. */
export async function applyConfigChange(query: Query, change: ConfigChange): Promise<void> {
  const { tenant_id, events, governs, policy_revision, catalog_revision } = change
  const last = events.at(-1)
  if (!last) return
  await query.insert(configEvents).values(
    events.map(({ sequence, kind, text, leafHash }) => ({
      tenant_id,
      sequence,
      kind,
      event: Buffer.from(text),
      leaf_hash: leafHash,
    })),
  )
  await query.insert(configPayloads).values(
    events.map(({ sequence, payloadText, salt }) => ({
      tenant_id,
      sequence,
      payload: Buffer.from(payloadText),
      salt: Buffer.from(salt),
    })),
  )
  await query.insert(logOutbox).values({
    tenant_id,
    stream: 'config',
    first_sequence: last.sequence + 1 - events.length,
    event_count: events.length,
  })
  await query
    .update(tenants)
    .set({
      config_event_count: last.sequence + 1,
      config_last_leaf: last.leafHash,
      ...(policy_revision === undefined ? {} : { policy_revision }),
      ...(catalog_revision === undefined ? {} : { catalog_revision }),
      ...(governs ? { rules_version: sql`${tenants.rules_version} + 1` } : {}),
    })
    .where(eq(tenants.tenant_id, tenant_id))
}

export async function setVerificationGate(query: Query, tenantId: string, required: boolean): Promise<void> {
  await query.update(tenants).set({ verification_gate: required }).where(eq(tenants.tenant_id, tenantId))
}

export interface TenantPage {
  limit: number
  cursor: TimeCursor | undefined
}

export async function listTenants(
  query: Query,
  page: TenantPage,
): Promise<{ created_at: Date; policy: StoredRevision }[]> {
  const rows = await query
    .select()
    .from(tenants)
    .innerJoin(policyRevisions, currentPolicy())
    .where(olderThan(page))
    .orderBy(desc(tenants.created_at), desc(tenants.tenant_id))
    .limit(page.limit)
  return rows.map(row => ({ created_at: row.tenants.created_at, policy: storedPolicy(row.policy_revisions) }))
}

export async function policySizes(query: Query, page: TenantPage): Promise<number[]> {
  const rows = await query
    .select({ bytes: sql<number>`octet_length(${policyRevisions.policy})` })
    .from(tenants)
    .innerJoin(policyRevisions, currentPolicy())
    .where(olderThan(page))
    .orderBy(desc(tenants.created_at), desc(tenants.tenant_id))
    .limit(page.limit)
  return rows.map(({ bytes }) => bytes)
}

function olderThan({ cursor }: TenantPage) {
  if (!cursor) return undefined
  const at = new Date(cursor[0])
  return or(lt(tenants.created_at, at), and(eq(tenants.created_at, at), lt(tenants.tenant_id, cursor[1])))
}

export async function tenantsAfter(reader: Reader, last: string, limit: number): Promise<string[]> {
  const text = 'select tenant_id from tenants where tenant_id > $1 order by tenant_id limit $2::int4'
  const rows = await reader.query<{ tenant_id: string }>('tenants_after', text, [last, limit])
  return rows.map(({ tenant_id }) => tenant_id)
}

export async function hasKeyEvent(
  query: Query,
  tenantId: string,
  { kind, key_id }: { kind: ConfigEventKind; key_id: string },
): Promise<boolean> {
  const { tenant_id, sequence, payload } = configPayloads
  const ofEvent = and(eq(configEvents.tenant_id, tenant_id), eq(configEvents.sequence, sequence))
  const said = sql`convert_from(${payload}, 'UTF8')::json ->> 'key_id' = ${key_id}`
  const rows = await query
    .select({ sequence })
    .from(configPayloads)
    .innerJoin(configEvents, ofEvent)
    .where(and(eq(tenant_id, tenantId), eq(configEvents.kind, kind), said))
    .limit(1)
  return rows.length > 0
}

export async function tenantExists(query: Query, tenantId: string): Promise<boolean> {
  const rows = await query
    .select({ id: tenants.tenant_id })
    .from(tenants)
    .where(eq(tenants.tenant_id, tenantId))
  return rows.length > 0
}

export async function rulesVersions(
  reader: Reader,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const text = 'select tenant_id, rules_version::int4 from tenants where tenant_id = any($1::text[])'
  const rows = await reader.query<{ tenant_id: string; rules_version: number }>('rules_versions', text, [
    arrayLiteral(tenantIds),
  ])
  return new Map(rows.map(({ tenant_id, rules_version }) => [tenant_id, rules_version]))
}

export async function anyTenant(query: Query): Promise<boolean> {
  const rows = await query.select({ id: tenants.tenant_id }).from(tenants).limit(1)
  return rows.length > 0
}
