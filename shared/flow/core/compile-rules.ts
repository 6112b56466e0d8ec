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

export interface Rules {
  version: number
  approval_ttl_ms: number
  /** Milliseconds for which an action without effect is retried, or null if the tenant sets no limit. */
  execute_within_ms: number | null
  compiled: CompiledPolicy
  freezes: readonly FreezeSelector[]
  grants: readonly CompiledGrant[]
}

/** Draft documents to evaluate instead of those in force; a draft has the version number it would get. */
export interface Drafts {
  policy?: ValidDocument<Policy>
  catalog?: ValidDocument<Catalog>
}

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

/** Parses the clause from its stored bytes, since its hash covers exactly these. */
function readGrant({ clause }: { clause: Buffer }): CompiledGrant {
  return compileGrant(JSON.parse(clause.toString('utf8')) as GrantClause)
}

/** Returns the routes of a tenant as a verdict would freeze them now. */
export function routesOf({ routes, groups }: Pick<ActiveDocuments, 'routes' | 'groups'>): FrozenRoute[] {
  const filled = new Set(groups.filter(({ members }) => members.length > 0).map(({ name }) => name))
  return routes.map(({ name, route }) => frozenRoute(name, route, filled))
}
