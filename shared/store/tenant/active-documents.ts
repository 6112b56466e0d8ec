import { eq } from 'drizzle-orm'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Query } from '../postgres/open.ts'
import { actuators, policyRevisions, tenants } from '../schema/schema.ts'
import { readCatalogRevision, type StoredCatalogRevision } from './catalog-revisions.ts'
import { readFreezes, type StoredFreeze } from './freeze-rows.ts'
import { readActiveGrants, type StoredGrant } from './grant-rows.ts'
import { currentPolicy, type StoredRevision, storedPolicy } from './policy-revisions.ts'
import { listGroups, listRoutes, type StoredGroup, type StoredRoute } from './route-rows.ts'

/** The documents that govern a tenant. `version` changes whenever any of the documents does. */
export interface ActiveDocumentsRow {
  version: number
  approval_ttl_ms: number
  execute_within_ms: number | null
  policy: StoredRevision
  catalog: StoredCatalogRevision | null
  actuators: RegisteredActuator[]
  freezes: StoredFreeze[]
  pauses: StoredFreeze[]
  grants: StoredGrant[]
  routes: StoredRoute[]
  groups: StoredGroup[]
}

export async function readActiveDocuments(
  query: Query,
  tenantId: string,
): Promise<ActiveDocumentsRow | null> {
  const [row] = await query
    .select()
    .from(tenants)
    .innerJoin(policyRevisions, currentPolicy())
    .where(eq(tenants.tenant_id, tenantId))
  if (!row) return null
  const { catalog_revision } = row.tenants
  const stops = await readFreezes(query, tenantId)
  return {
    version: row.tenants.rules_version,
    approval_ttl_ms: row.tenants.approval_ttl_ms,
    execute_within_ms: row.tenants.execute_within_ms,
    policy: storedPolicy(row.policy_revisions),
    catalog: catalog_revision === null ? null : await readCatalogRevision(query, tenantId, catalog_revision),
    actuators: await readActuators(query, tenantId),
    freezes: stops.filter(({ effect }) => effect === 'freeze'),
    pauses: stops.filter(({ effect }) => effect === 'pause'),
    grants: await readActiveGrants(query, tenantId),
    routes: await listRoutes(query, tenantId),
    groups: await listGroups(query, tenantId),
  }
}

export async function readActuators(query: Query, tenantId: string): Promise<RegisteredActuator[]> {
  const rows = await query
    .select()
    .from(actuators)
    .where(eq(actuators.tenant_id, tenantId))
    .orderBy(actuators.name)
  return rows.map(({ name, kind, settings }) => ({ name, kind, settings }) as RegisteredActuator)
}

export async function replaceActuators(
  query: Query,
  tenantId: string,
  registered: readonly RegisteredActuator[],
): Promise<void> {
  await query.delete(actuators).where(eq(actuators.tenant_id, tenantId))
  if (registered.length === 0) return
  await query.insert(actuators).values(registered.map(actuator => ({ tenant_id: tenantId, ...actuator })))
}
