import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { CatalogOperation } from '../../contract/configuration/catalog.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { Query, Reader } from '../postgres/open.ts'
import { catalogRevisions } from '../schema/schema.ts'

export interface NewCatalogRevision {
  catalog: string
  catalog_hash: string
  author: Author
  change_note: string | null
}

export interface StoredCatalogRevision extends NewCatalogRevision {
  tenant_id: string
  revision: number
  created_at: Date
}

export async function insertCatalogRevision(
  query: Query,
  revision: NewCatalogRevision & { tenant_id: string; revision: number },
): Promise<StoredCatalogRevision> {
  const [made] = await query
    .insert(catalogRevisions)
    .values({ ...revision, catalog: Buffer.from(revision.catalog) })
    .returning()
  if (!made) throw new Error('the catalog revision was not stored')
  return storedCatalog(made)
}

export async function readCatalogRevision(
  query: Query,
  tenantId: string,
  revision: number,
): Promise<StoredCatalogRevision | null> {
  const [row] = await query
    .select()
    .from(catalogRevisions)
    .where(and(eq(catalogRevisions.tenant_id, tenantId), eq(catalogRevisions.revision, revision)))
  return row ? storedCatalog(row) : null
}

/** Selects a single entry inside the database, because a revision may have thousands of entries. */
export async function readCatalogEntry(
  reader: Reader,
  { tenantId, revision, system, operation }: CatalogPlace,
): Promise<CatalogOperation | null> {
  const [row] = await reader.query<{ entry: string }>('read_catalog_entry', entrySql, [
    tenantId,
    revision,
    system,
    operation,
  ])
  return row ? (JSON.parse(row.entry) as CatalogOperation) : null
}

export interface CatalogPlace {
  tenantId: string
  revision: number
  system: string
  operation: string
}

const entrySql = `
select entry::text from catalog_revisions r, json_array_elements(convert_from(r.catalog, 'UTF8')::json -> 'operations') entry
where r.tenant_id = $1 and r.revision = $2 and entry ->> 'system' = $3 and entry ->> 'operation' = $4`

export interface RevisionPage {
  limit: number
  before: number | null
}

export async function listCatalogRevisions(
  query: Query,
  tenantId: string,
  page: RevisionPage,
): Promise<StoredCatalogRevision[]> {
  const rows = await query
    .select()
    .from(catalogRevisions)
    .where(olderThan(tenantId, page))
    .orderBy(desc(catalogRevisions.revision))
    .limit(page.limit)
  return rows.map(storedCatalog)
}

/** Returns the size of each revision on a page, which Postgres knows without reading the documents. */
export async function catalogRevisionSizes(
  query: Query,
  tenantId: string,
  page: RevisionPage,
): Promise<number[]> {
  const rows = await query
    .select({ bytes: sql<number>`octet_length(${catalogRevisions.catalog})` })
    .from(catalogRevisions)
    .where(olderThan(tenantId, page))
    .orderBy(desc(catalogRevisions.revision))
    .limit(page.limit)
  return rows.map(({ bytes }) => bytes)
}

function olderThan(tenantId: string, { before }: RevisionPage) {
  const older = before === null ? undefined : lt(catalogRevisions.revision, before)
  return and(eq(catalogRevisions.tenant_id, tenantId), older)
}

function storedCatalog(row: typeof catalogRevisions.$inferSelect): StoredCatalogRevision {
  return { ...row, catalog: row.catalog.toString('utf8') }
}
