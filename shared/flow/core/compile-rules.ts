import type { Catalog } from '../../contract/configuration/catalog.ts'
import type { FreezeSelector } from '../../contract/configuration/freeze-schema.ts'
import type { GrantClause } from '../../contract/configuration/grant-clause.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { FrozenRoute } from '../../contract/configuration/route-schema.ts'
import { type CompiledGrant, compileGrant } from '../../gate/bounded-grants.ts'
import { type CompiledPolicy, compilePolicies, frozenRoute } from '../../gate/compiled-policy.ts'
import type { ActiveDocumentsRow } from '../../store/tenant/active-documents.ts'
import type { TenantDocuments } from '../../tool-import/place-tool.ts'
import type { ValidDocument } from './policy-document.ts'

/** What governs a tenant, compiled. */
export interface Rules {
  version: number
  approval_ttl_ms: number
  /** For how long what has no effect is tried, where the tenant says so. */
  execute_within_ms: number | null
  compiled: CompiledPolicy
  freezes: readonly FreezeSelector[]
  grants: readonly CompiledGrant[]
}

/** Documents to be tried instead of those in force; a draft has the number it would get. */
export interface Drafts {
  policy?: ValidDocument<Policy>
  catalog?: ValidDocument<Catalog>
}

/** As much of what governs as deciding needs: a tenant that is still to be stored has it too. */
export interface ActiveDocuments {
  version: number
  approval_ttl_ms: number
  execute_within_ms: number | null
  policy: Pick<ActiveDocumentsRow['policy'], 'policy' | 'policy_hash' | 'revision'>
  catalog: Pick<NonNullable<ActiveDocumentsRow['catalog']>, 'catalog' | 'catalog_hash' | 'revision'> | null
  actuators: ActiveDocumentsRow['actuators']
  freezes: readonly FreezeSelector[]
  pauses: readonly FreezeSelector[]
  grants: readonly { clause: Buffer }[]
  routes: readonly Pick<ActiveDocumentsRow['routes'][number], 'name' | 'route'>[]
  groups: readonly Pick<ActiveDocumentsRow['groups'][number], 'name' | 'members'>[]
}

/** The documents that tools are in, read. */
export function documentsOf({
  policy,
  catalog,
  actuators,
}: Pick<ActiveDocuments, 'policy' | 'catalog' | 'actuators'>): TenantDocuments {
  return {
    policy: JSON.parse(policy.policy) as Policy,
    catalog: catalog && (JSON.parse(catalog.catalog) as Catalog),
    actuators,
  }
}

/** Compile what a tenant has in force, or drafts in its place. */
export function compileRules(record: ActiveDocuments, strict: boolean, drafts: Drafts = {}): Rules {
  const { version, approval_ttl_ms, execute_within_ms, policy, catalog, actuators, freezes, grants } = record
  const { policy: draftPolicy, catalog: draftCatalog } = drafts
  const inForce = catalog && {
    catalog: JSON.parse(catalog.catalog) as Catalog,
    revision: catalog.revision,
    hash: catalog.catalog_hash,
  }
  const compiled = compilePolicies({
    policy: draftPolicy?.document ?? (JSON.parse(policy.policy) as Policy),
    policyRevision: draftPolicy ? policy.revision + 1 : policy.revision,
    policyHash: draftPolicy?.hash ?? policy.policy_hash,
    catalog: draftCatalog
      ? { catalog: draftCatalog.document, revision: (catalog?.revision ?? 0) + 1, hash: draftCatalog.hash }
      : inForce,
    actuators,
    strict,
    routes: routesOf(record),
  })
  return { version, approval_ttl_ms, execute_within_ms, compiled, freezes, grants: grants.map(readGrant) }
}

/** The clause is read from the bytes that its hash is of. */
function readGrant({ clause }: { clause: Buffer }): CompiledGrant {
  return compileGrant(JSON.parse(clause.toString('utf8')) as GrantClause)
}

/** The routes of a tenant, as a verdict would freeze them now. */
export function routesOf({ routes, groups }: Pick<ActiveDocuments, 'routes' | 'groups'>): FrozenRoute[] {
  const filled = new Set(groups.filter(({ members }) => members.length > 0).map(({ name }) => name))
  return routes.map(({ name, route }) => frozenRoute(name, route, filled))
}
