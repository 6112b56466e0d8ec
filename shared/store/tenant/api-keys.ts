import { and, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { KeyRole } from '../../contract/role-schema.ts'
import { lockFairly } from '../account/fair-lock.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { apiKeys } from '../schema/schema.ts'

export type StoredKey = typeof apiKeys.$inferSelect

export interface PresentedKey {
  key_id: string
  tenant_id: string | null
  scope: StoredKey['scope']
  name: string
  secret_hash: Buffer
  holder: string | null
  revoked: boolean
  expired: boolean
}

/** Returns keys by id. `now` is the database's clock, ISO 8601 UTC with milliseconds. */
export async function findKeys(
  reader: Reader,
  keyIds: string[],
): Promise<{ now: string; keys: ReadonlyMap<string, PresentedKey> }> {
  const rows = await reader.query<FoundRow>('find_keys', findSql, [arrayLiteral(keyIds)])
  const found = rows.flatMap(row => (row.key_id === null ? [] : [{ ...row, key_id: row.key_id }]))
  return { now: rows[0]?.now ?? '', keys: new Map(found.map(key => [key.key_id, key])) }
}

type FoundRow = Omit<PresentedKey, 'key_id'> & { now: string; key_id: string | null }

const findSql = `
select k.key_id, k.tenant_id, k.scope, k.name, k.secret_hash, k.holder, k.revoked_at is not null as revoked,
  coalesce(k.expires_at <= clock_timestamp(), false) as expired, ${isoTime('clock_timestamp()')} as now
from (select) one left join api_keys k on k.key_id = any($1::text[])`

function goodKey(alias: string): string {
  return `${alias}.revoked_at is null and coalesce(${alias}.expires_at > clock_timestamp(), true)`
}

/** Returns a condition that the row's key is valid now, so that the statement that uses the key checks it. */
export function keyIsGood(row: string): string {
  return `exists (select from api_keys k where k.key_id = ${row}.key_id and k.tenant_id = ${row}.tenant_id and ${goodKey('k')})`
}

/**
 * Locks the valid keys of these until the transaction ends, so that they cannot be revoked before, and returns
 * their holders. The query is sent with the next statement; call the returned function after that statement.
 */
export function holdKeys(
  writer: Writer,
  keyIds: readonly string[],
): () => ReadonlyMap<string, string | null> {
  const rows = writer.ahead<Pick<StoredKey, 'key_id' | 'holder'>>('hold_keys', holdSql, [
    arrayLiteral(keyIds),
  ])
  return () => new Map(rows().map(({ key_id, holder }) => [key_id, holder]))
}

const holdSql = `
select key_id, holder from api_keys k
where key_id = any($1::text[]) and ${goodKey('k')}
order by key_id for share`

/** Counts the holders of a tenant's valid approver keys. Keys without a recorded holder count as one. */
export async function countApprovers(reader: Reader, tenantId: string): Promise<number> {
  const text = `
    select count(distinct coalesce(holder, ''))::int4 as count from api_keys k
    where tenant_id = $1 and scope = 'approver' and ${goodKey('k')}`
  const [row] = await reader.query<{ count: number }>('count_approvers', text, [tenantId])
  return row?.count ?? 0
}

/** Returns the holder of a key, even of an ended key; undefined if the tenant has no such key. */
export async function holderOfKey(
  query: Query,
  tenantId: string,
  keyId: string,
): Promise<string | null | undefined> {
  const own = and(eq(apiKeys.key_id, keyId), eq(apiKeys.tenant_id, tenantId))
  const [row] = await query.select({ holder: apiKeys.holder }).from(apiKeys).where(own)
  return row?.holder
}

export async function approverKey(
  query: Query,
  tenantId: string,
  keyId: string,
): Promise<Pick<StoredKey, 'name' | 'holder'> | null> {
  const { name, holder, key_id, tenant_id, scope } = apiKeys
  const own = and(eq(key_id, keyId), eq(tenant_id, tenantId), eq(scope, 'approver'))
  const [row] = await query
    .select({ name, holder })
    .from(apiKeys)
    .where(and(own, sql.raw(goodKey('api_keys'))))
  return row ?? null
}

export type GoodName = Pick<StoredKey, 'key_id' | 'name' | 'holder'>

export async function goodNames(
  query: Query,
  tenantId: string,
  scope: StoredKey['scope'],
): Promise<GoodName[]> {
  const { key_id, name, holder, tenant_id, revoked_at, expires_at } = apiKeys
  const isGood = and(isNull(revoked_at), or(isNull(expires_at), gt(expires_at, sql`clock_timestamp()`)))
  return query
    .selectDistinctOn([name], { key_id, name, holder })
    .from(apiKeys)
    .where(and(eq(tenant_id, tenantId), eq(apiKeys.scope, scope), isGood))
    .orderBy(name)
    .limit(namesMax)
}

const namesMax = 1_000

export async function countGoodKeys(query: Query, tenantId: string): Promise<number> {
  const isGood = sql.raw(goodKey('api_keys'))
  const [row] = await query
    .select({ count: sql<number>`count(*)::int4` })
    .from(apiKeys)
    .where(and(eq(apiKeys.tenant_id, tenantId), isGood))
  return row?.count ?? 0
}

export async function insertKey(
  query: Query,
  key: Pick<StoredKey, 'key_id' | 'tenant_id' | 'scope' | 'name' | 'secret_hash' | 'expires_at' | 'holder'>,
): Promise<StoredKey> {
  const [stored] = await query.insert(apiKeys).values(key).returning()
  if (!stored) throw new Error('the key was not stored')
  return stored
}

function ownedBy(tenantId: string | null) {
  return tenantId === null ? isNull(apiKeys.tenant_id) : eq(apiKeys.tenant_id, tenantId)
}

const adminKeysLock = 4_701_225_019

/** Takes a lock until the transaction ends, so that admin keys are issued and revoked one at a time. */
export async function holdAdminKeys(query: Query): Promise<void> {
  await query.execute(sql`select pg_advisory_xact_lock(${adminKeysLock}::int8)`)
}

const isGoodAdmin = and(
  eq(apiKeys.scope, 'admin'),
  isNull(apiKeys.revoked_at),
  or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, sql`clock_timestamp()`)),
)

export async function isGoodAdminName(query: Query, name: string): Promise<boolean> {
  const own = and(isGoodAdmin, eq(apiKeys.name, name))
  return (await query.select({ key_id: apiKeys.key_id }).from(apiKeys).where(own).limit(1)).length > 0
}

export async function hasLastingAdminKey(query: Query): Promise<boolean> {
  const lasting = and(isGoodAdmin, isNull(apiKeys.expires_at))
  return (await query.select({ key_id: apiKeys.key_id }).from(apiKeys).where(lasting).limit(1)).length > 0
}

/** Waits until no transaction uses the key, and locks it for its revocation. */
export async function lockKey(query: Query, keyId: string): Promise<void> {
  await lockAll(query, eq(apiKeys.key_id, keyId))
}

export async function lockHeldKeys(
  query: Query,
  tenantIds: readonly string[],
  holder: string,
): Promise<void> {
  const { tenant_id, revoked_at } = apiKeys
  await lockAll(query, and(inArray(tenant_id, tenantIds), eq(apiKeys.holder, holder), isNull(revoked_at)))
}

async function lockAll(query: Query, which: SQL | undefined): Promise<void> {
  const { key_id } = apiKeys
  await lockFairly(query, sql`select ${key_id} from ${apiKeys} where ${which} order by 1`)
  await query.select({ key_id }).from(apiKeys).where(which).orderBy(key_id).for('update')
}

/** Revokes a tenant's key, or an admin key; null if there is none. `changed` is false for a revoked key. */
export async function revokeKey(
  query: Query,
  tenantId: string | null,
  keyId: string,
): Promise<{ key: StoredKey; changed: boolean } | null> {
  const own = and(eq(apiKeys.key_id, keyId), ownedBy(tenantId))
  const [revoked] = await query
    .update(apiKeys)
    .set({ revoked_at: sql`clock_timestamp()` })
    .where(and(own, isNull(apiKeys.revoked_at)))
    .returning()
  if (revoked) return { key: revoked, changed: true }
  const [key] = await query.select().from(apiKeys).where(own)
  return key ? { key, changed: false } : null
}

export async function revokeHeldKeys(
  query: Query,
  tenantId: string,
  { holder, roles }: { holder: string; roles: readonly KeyRole[] },
): Promise<StoredKey[]> {
  const { tenant_id, scope, revoked_at } = apiKeys
  return query
    .update(apiKeys)
    .set({ revoked_at: sql`clock_timestamp()` })
    .where(
      and(eq(tenant_id, tenantId), inArray(scope, roles), eq(apiKeys.holder, holder), isNull(revoked_at)),
    )
    .returning()
}

export async function listKeys(
  query: Query,
  tenantId: string | null,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<StoredKey[]> {
  const { limit, cursor } = page
  const older = cursor && {
    at: new Date(cursor[0]),
    id: cursor[1],
  }
  return query
    .select()
    .from(apiKeys)
    .where(
      and(
        ownedBy(tenantId),
        older &&
          or(
            lt(apiKeys.created_at, older.at),
            and(eq(apiKeys.created_at, older.at), lt(apiKeys.key_id, older.id)),
          ),
      ),
    )
    .orderBy(desc(apiKeys.created_at), desc(apiKeys.key_id))
    .limit(limit)
}
