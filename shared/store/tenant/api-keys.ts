import { and, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { KeyRole } from '../../contract/role-schema.ts'
import { lockFairly } from '../account/fair-lock.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { apiKeys } from '../schema/schema.ts'

export type StoredKey = typeof apiKeys.$inferSelect

/** A key with the state it has by the database's clock, and that clock. */
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

/** Look keys up together; `now` is ISO 8601 UTC with milliseconds from the database's clock. */
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

/** What makes a key good now, as a condition on a row of `api_keys`. */
function goodKey(alias: string): string {
  return `${alias}.revoked_at is null and coalesce(${alias}.expires_at > clock_timestamp(), true)`
}

/** Whether the key of a row is good now, of a row that has `key_id` and `tenant_id`: checked by the statement that needs it. */
export function keyIsGood(row: string): string {
  return `exists (select from api_keys k where k.key_id = ${row}.key_id and k.tenant_id = ${row}.tenant_id and ${goodKey('k')})`
}

/**
 * Those of these keys that are good, each with its holder, held so until the transaction ends: a revocation comes before it
 * or after it. The statement goes with the next one of the transaction, and its answer can be read after that.
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

/** How many different holders the approver keys of a tenant have that are good now; of unrecorded ones, one. */
export async function countApprovers(reader: Reader, tenantId: string): Promise<number> {
  const text = `
    select count(distinct coalesce(holder, ''))::int4 as count from api_keys k
    where tenant_id = $1 and scope = 'approver' and ${goodKey('k')}`
  const [row] = await reader.query<{ count: number }>('count_approvers', text, [tenantId])
  return row?.count ?? 0
}

/** The holder of a tenant's key, whatever became of it; undefined where the tenant has no such key. */
export async function holderOfKey(
  query: Query,
  tenantId: string,
  keyId: string,
): Promise<string | null | undefined> {
  const own = and(eq(apiKeys.key_id, keyId), eq(apiKeys.tenant_id, tenantId))
  const [row] = await query.select({ holder: apiKeys.holder }).from(apiKeys).where(own)
  return row?.holder
}

/** An approver key of a tenant that is good now; null where there is none. */
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

/** A name under which a key of a tenant is still good, with the holder it stands for. */
export type GoodName = Pick<StoredKey, 'key_id' | 'name' | 'holder'>

/** Names of the tenant's keys of a scope that are good now, one for each. */
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

/** More names than people decide for one tenant. */
const namesMax = 1_000

/** How many keys a tenant has that are good now. */
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

/** Whose keys: of a tenant, or admin keys where it is null. */
function ownedBy(tenantId: string | null) {
  return tenantId === null ? isNull(apiKeys.tenant_id) : eq(apiKeys.tenant_id, tenantId)
}

const adminKeysLock = 4_701_225_019

/** Nobody else mints by name or revokes admin keys until the transaction ends. */
export async function holdAdminKeys(query: Query): Promise<void> {
  await query.execute(sql`select pg_advisory_xact_lock(${adminKeysLock}::int8)`)
}

const isGoodAdmin = and(
  eq(apiKeys.scope, 'admin'),
  isNull(apiKeys.revoked_at),
  or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, sql`clock_timestamp()`)),
)

/** Whether an admin key of this name is good now. */
export async function isGoodAdminName(query: Query, name: string): Promise<boolean> {
  const own = and(isGoodAdmin, eq(apiKeys.name, name))
  return (await query.select({ key_id: apiKeys.key_id }).from(apiKeys).where(own).limit(1)).length > 0
}

/** Whether an admin key is good that does not end by itself. */
export async function hasLastingAdminKey(query: Query): Promise<boolean> {
  const lasting = and(isGoodAdmin, isNull(apiKeys.expires_at))
  return (await query.select({ key_id: apiKeys.key_id }).from(apiKeys).where(lasting).limit(1)).length > 0
}

/** Lock a key, for whoever is about to revoke it. */
export async function lockKey(query: Query, keyId: string): Promise<void> {
  await lockAll(query, eq(apiKeys.key_id, keyId))
}

/** The same of all that somebody holds in some tenants and that were not revoked. */
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

/** Revoke a key of a tenant, or an admin key; one revoked before stays as it was. Null where there is no such key. */
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

/** Revoke the keys of some roles that somebody holds in a tenant: those that were not revoked before. */
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

/** Keys of a tenant, or admin keys where it is null, newest first. */
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
