import { and, desc, eq, getTableColumns, isNull, lt, sql } from 'drizzle-orm'
import type { Query, Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { boundedGrants } from '../schema/schema.ts'

export type StoredGrant = typeof boundedGrants.$inferSelect & { uses: number; ended: boolean }

export interface GrantRef {
  tenant_id: string
  grant_id: string
}

const uses = sql<number>`coalesce((
  select max(u.use) from action_gate.grant_uses u
  where u.tenant_id = bounded_grants.tenant_id and u.grant_id = bounded_grants.grant_id
), 0)`

const ended = sql<boolean>`bounded_grants.ends_at <= clock_timestamp()`

const stored = { ...getTableColumns(boundedGrants), uses, ended }

export async function insertGrant(
  query: Query,
  grant: Omit<StoredGrant, 'uses' | 'ended' | 'revoked_at'>,
): Promise<StoredGrant> {
  const [row] = await query.insert(boundedGrants).values(grant).returning()
  if (!row) throw new Error('the grant was not stored')
  return { ...row, uses: 0, ended: false }
}

export async function readActiveGrants(query: Query, tenantId: string): Promise<StoredGrant[]> {
  return query
    .select(stored)
    .from(boundedGrants)
    .where(
      and(
        eq(boundedGrants.tenant_id, tenantId),
        isNull(boundedGrants.revoked_at),
        sql`not ${ended}`,
        lt(uses, boundedGrants.uses_max),
      ),
    )
    .orderBy(boundedGrants.created_at, boundedGrants.grant_id)
}

export async function listGrants(query: Query, tenantId: string, limit: number): Promise<StoredGrant[]> {
  return query
    .select(stored)
    .from(boundedGrants)
    .where(eq(boundedGrants.tenant_id, tenantId))
    .orderBy(desc(boundedGrants.created_at), desc(boundedGrants.grant_id))
    .limit(limit)
}

export async function readGrant(
  query: Query,
  { tenant_id, grant_id }: GrantRef,
): Promise<StoredGrant | null> {
  const [row] = await query
    .select(stored)
    .from(boundedGrants)
    .where(and(eq(boundedGrants.tenant_id, tenant_id), eq(boundedGrants.grant_id, grant_id)))
  return row ?? null
}

export async function revokeGrant(
  query: Query,
  { tenant_id, grant_id }: GrantRef,
  at: string,
): Promise<void> {
  await query
    .update(boundedGrants)
    .set({ revoked_at: new Date(at) })
    .where(and(eq(boundedGrants.tenant_id, tenant_id), eq(boundedGrants.grant_id, grant_id)))
}

export interface HeldGrant {
  grant_id: string
  uses: number
  revoked: boolean
  /** The database's clock, read after the lock was taken. */
  now: string
}

/**
 * Locks grants in a fixed order and counts their uses in a second statement. The first would not see uses that
 * were committed while it waited for the lock.
 */
export async function holdGrants(
  writer: Writer,
  tenantId: string,
  grantIds: readonly string[],
): Promise<HeldGrant[]> {
  const values = [tenantId, arrayLiteral(grantIds)]
  writer.ahead('lock_grants', lockGrantsSql, values)
  return writer.query<HeldGrant>('hold_grants', holdGrantsSql, values)
}

const lockGrantsSql = `
select grant_id from bounded_grants where tenant_id = $1 and grant_id = any($2::text[]) order by grant_id for no key update`

const holdGrantsSql = `
select grant_id, revoked_at is not null as revoked, ${isoTime('clock_timestamp()')} as now,
  coalesce((select max(use) from grant_uses u where u.tenant_id = g.tenant_id and u.grant_id = g.grant_id), 0) as uses
from bounded_grants g where tenant_id = $1 and grant_id = any($2::text[])`

/** Writes the next use of a grant that the transaction has locked, and commits. */
export async function insertUse(
  writer: Writer,
  { tenant_id, grant_id, use, action_id }: GrantRef & { use: number; action_id: string },
): Promise<void> {
  await writer.last(
    'insert_use',
    'insert into grant_uses (tenant_id, grant_id, use, action_id) values ($1, $2, $3::int4, $4)',
    [tenant_id, grant_id, use, action_id],
  )
}
