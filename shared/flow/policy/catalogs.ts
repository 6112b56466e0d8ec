import type { Regression } from '../../contract/action/verdict.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { Catalog, CatalogRevision } from '../../contract/configuration/catalog.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { toolNameProblems } from '../../mcp/tool-names.ts'
import { unmodelled } from '../../policy-analysis/unmodelled.ts'
import type { Query } from '../../store/postgres/open.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import {
  catalogRevisionSizes,
  insertCatalogRevision,
  listCatalogRevisions,
  readCatalogRevision,
  type StoredCatalogRevision,
} from '../../store/tenant/catalog-revisions.ts'
import { type LockedTenant, tenantExists } from '../../store/tenant/tenant-rows.ts'
import type { ConfigOutcome } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { pageByBytes } from '../core/page.ts'
import { unwrap, type ValidDocument, validateCatalog } from '../core/policy-document.ts'
import { changeProved, requireRoom } from './change-proved.ts'

export async function readCatalog(
  context: Context,
  tenantId: string,
  revision: number | 'current',
): Promise<CatalogRevision> {
  return context.store.look([tenantId], async query => {
    const active = await readActiveDocuments(query, tenantId)
    if (!active) throw noTenant(tenantId)
    const stored =
      revision === 'current' ? active.catalog : await readCatalogRevision(query, tenantId, revision)
    if (!stored)
      throw new ServiceError('catalog_not_found', `tenant ${tenantId} has no catalog revision ${revision}`)
    return catalogState(stored)
  })
}

export async function listCatalogs(
  context: Context,
  tenantId: string,
  page: { limit: number; cursor: number | undefined },
): Promise<{ revisions: CatalogRevision[]; next_cursor: string | null }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId))) throw noTenant(tenantId)
    const before = page.cursor ?? null
    const { rows, last } = await pageByBytes(
      {
        sizes: limit => catalogRevisionSizes(query, tenantId, { limit, before }),
        rows: limit => listCatalogRevisions(query, tenantId, { limit, before }),
      },
      page.limit,
    )
    return { revisions: rows.map(catalogState), next_cursor: last && String(last.revision) }
  })
}

export interface CatalogChange {
  tenant_id: string
  body: Record<string, unknown>
  author: Author
  /** The revision that the caller read (`If-Match`), or null. */
  expected: number | null
}

export type ChangedCatalog = CatalogRevision & { warnings: Issue[]; regressions: Regression[] }

export async function createCatalog(context: Context, change: CatalogChange): Promise<ChangedCatalog> {
  return changeCatalog(context, change, tenant => {
    if (tenant.catalog_revision === null) return
    throw new ServiceError(
      'catalog_conflict',
      `the catalog is at revision ${tenant.catalog_revision}; revise it with PUT`,
    )
  })
}

export async function reviseCatalog(context: Context, change: CatalogChange): Promise<ChangedCatalog> {
  return changeCatalog(context, change, tenant => {
    if (tenant.catalog_revision === null) {
      throw new ServiceError(
        'catalog_not_found',
        `tenant ${tenant.tenant_id} has no catalog yet; create it with POST`,
      )
    }
    refuseOtherRevision(tenant, change)
  })
}

export async function putCatalog(context: Context, change: CatalogChange): Promise<ChangedCatalog> {
  return changeCatalog(context, change, tenant => refuseOtherRevision(tenant, change))
}

function refuseOtherRevision(tenant: LockedTenant, { expected }: CatalogChange): void {
  const current = tenant.catalog_revision ?? 0
  if (expected === null || expected === current) return
  throw new ServiceError('revision_mismatch', `the current revision is ${current}, not ${expected}`)
}

async function changeCatalog(
  context: Context,
  change: CatalogChange,
  check: (tenant: LockedTenant) => void,
): Promise<ChangedCatalog> {
  const { tenant_id, body, author } = change
  const { document, prefix, note } = unwrap(body, 'catalog')
  const valid = await validateCatalog(context, document, prefix)
  const revision = { tenant_id, author, drafts: { catalog: valid } }
  const { answer, regressions } = await changeProved(context, revision, async (query, tenant) => {
    check(tenant)
    return reviseCatalogOf(context, query, tenant, { valid, author, note })
  })
  const { document: catalog } = valid
  const warnings = [...valid.warnings, ...catalogWarnings(catalog, prefix)]
  return { ...catalogState(answer), warnings, regressions }
}

/**
 * Warns about operations whose tool names are equal, and about schemas that verification will find inconclusive
 * (specification.md#verification-method).
 */
export function catalogWarnings(catalog: Catalog, prefix: string): Issue[] {
  const inconclusive = unmodelled(catalog).map(({ system, operation, keyword, path }) => ({
    path: prefix === '' ? `${system}.${operation}.${path}` : `${prefix}.${system}.${operation}.${path}`,
    code: 'unmodelled',
    message: `verification does not model the keyword ${keyword}: what depends on it may be inconclusive`,
  }))
  return [...inconclusive, ...toolNameProblems(catalog.operations, prefix)]
}

export interface RevisingCatalog {
  valid: ValidDocument<Catalog>
  author: Author
  note: string | null
}

/** Creates the next revision under the tenant's lock, unless the catalog is the one in force. */
export async function reviseCatalogOf(
  context: Context,
  query: Query,
  { tenant_id, catalog_revision }: LockedTenant,
  { valid, author, note }: RevisingCatalog,
): Promise<ConfigOutcome<StoredCatalogRevision>> {
  const inForce =
    catalog_revision === null ? null : await readCatalogRevision(query, tenant_id, catalog_revision)
  if (inForce?.catalog_hash === valid.hash) return { answer: inForce }
  await requireRoom(context, query, { tenant_id, text: valid.text })
  const revision = (catalog_revision ?? 0) + 1
  const { text: catalog, hash: catalog_hash } = valid
  const answer = await insertCatalogRevision(query, {
    tenant_id,
    revision,
    catalog,
    catalog_hash,
    author,
    change_note: note,
  })
  const payload = { revision, catalog_hash, change_note: note }
  return { answer, entry: { kind: 'catalog_revision', payload }, governs: true, catalog_revision: revision }
}

function catalogState(stored: StoredCatalogRevision): CatalogRevision {
  return {
    revision: stored.revision,
    catalog: JSON.parse(stored.catalog) as Catalog,
    catalog_hash: stored.catalog_hash,
    author: stored.author,
    created_at: stored.created_at.toISOString(),
    change_note: stored.change_note,
  }
}

function noTenant(tenantId: string): ServiceError {
  return new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
}
