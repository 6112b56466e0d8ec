import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { Query, Reader } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { tenantSecrets } from '../schema/schema.ts'

type Row = typeof tenantSecrets.$inferSelect

export type StoredSecret = Omit<Row, 'sealed' | 'wrapped_key' | 'key_id'> & Sealed

interface Sealed {
  sealed: Buffer
  wrapped_key: Buffer
  key_id: string
}

export interface SecretRef {
  tenant_id: string
  name: string
}

export type SecretVersion = SecretRef &
  Sealed & { version: number; actuator: string; bound_to: string[]; author: Author }

export async function listSecrets(query: Query, tenantId: string): Promise<StoredSecret[]> {
  const rows = await query
    .select()
    .from(tenantSecrets)
    .where(and(eq(tenantSecrets.tenant_id, tenantId), isThere))
    .orderBy(tenantSecrets.name)
  return rows as StoredSecret[]
}

/** Returns the newest version number of a name, even if the secret was deleted; 0 if it never existed. */
export async function lastVersion(query: Query, ref: SecretRef): Promise<number> {
  const [row] = await query.select({ version: tenantSecrets.version }).from(tenantSecrets).where(isNamed(ref))
  return row?.version ?? 0
}

export async function readSecret(query: Query, ref: SecretRef): Promise<StoredSecret | null> {
  const [row] = await query
    .select()
    .from(tenantSecrets)
    .where(and(isNamed(ref), isThere))
  return (row as StoredSecret | undefined) ?? null
}

/** Replaces the secret by its next version, and keeps nothing of the previous version. */
export async function writeSecret(query: Query, version: SecretVersion): Promise<StoredSecret> {
  const { tenant_id: _tenant, name: _name, ...written } = version
  const renewed = { ...written, written_at: sql`clock_timestamp()`, ...unconfirmed, first_used_at: null }
  return only(
    await query
      .insert(tenantSecrets)
      .values(version)
      .onConflictDoUpdate({ target: [tenantSecrets.tenant_id, tenantSecrets.name], set: renewed })
      .returning(),
  )
}

const unconfirmed = { confirmed_by: null, confirmed_at: null }

export async function confirmSecret(
  query: Query,
  ref: SecretRef,
  confirmation: { bound_to: string[]; confirmed_by: Author },
): Promise<StoredSecret> {
  const confirmed = { ...confirmation, confirmed_at: sql`clock_timestamp()` }
  return only(await query.update(tenantSecrets).set(confirmed).where(isNamed(ref)).returning())
}

/** Deletes the value and keeps the version number, so that no number is used twice. */
export async function deleteSecret(query: Query, ref: SecretRef): Promise<void> {
  await query.update(tenantSecrets).set({ sealed: null, wrapped_key: null, key_id: null }).where(isNamed(ref))
}

/**
 * Returns `first` for the first use of this version, `used` for a later use, and `gone` if the version was
 * replaced or deleted.
 */
export async function markFirstUse(
  query: Query,
  { version, ...ref }: SecretRef & { version: number },
): Promise<'first' | 'used' | 'gone'> {
  const isThisVersion = and(isNamed(ref), eq(tenantSecrets.version, version), isThere)
  const marked = await query
    .update(tenantSecrets)
    .set({ first_used_at: sql`clock_timestamp()` })
    .where(and(isThisVersion, isNull(tenantSecrets.first_used_at)))
    .returning({ version: tenantSecrets.version })
  if (marked.length > 0) return 'first'
  const same = await query.select({ version: tenantSecrets.version }).from(tenantSecrets).where(isThisVersion)
  return same.length > 0 ? 'used' : 'gone'
}

/** Stores the data key wrapped for another key; false if the secret or its wrapping was replaced in between. */
export async function rewrapSecret(
  query: Query,
  before: SecretRef & Pick<StoredSecret, 'version' | 'key_id'>,
  wrapped: Pick<StoredSecret, 'wrapped_key' | 'key_id'>,
): Promise<boolean> {
  const { version, key_id } = before
  const moved = await query
    .update(tenantSecrets)
    .set(wrapped)
    .where(and(isNamed(before), eq(tenantSecrets.version, version), eq(tenantSecrets.key_id, key_id)))
    .returning({ version: tenantSecrets.version })
  return moved.length > 0
}

/** Returns the next secrets of all tenants whose data key is not wrapped for the key `other_than`. */
export async function secretsAfter(
  query: Query,
  { after, other_than, limit }: { after: SecretRef; other_than: string; limit: number },
): Promise<StoredSecret[]> {
  const isBehind = sql`(${tenantSecrets.tenant_id}, ${tenantSecrets.name}) > (${after.tenant_id}, ${after.name})`
  const rows = await query
    .select()
    .from(tenantSecrets)
    .where(and(isBehind, isThere, ne(tenantSecrets.key_id, other_than)))
    .orderBy(tenantSecrets.tenant_id, tenantSecrets.name)
    .limit(limit)
  return rows as StoredSecret[]
}

export async function countByKey(query: Query): Promise<{ key_id: string; count: number }[]> {
  const rows = await query
    .select({ key_id: tenantSecrets.key_id, count: sql<number>`count(*)::int4` })
    .from(tenantSecrets)
    .where(isThere)
    .groupBy(tenantSecrets.key_id)
  return rows as { key_id: string; count: number }[]
}

export async function readSealedSecrets(
  reader: Reader,
  wanted: readonly SecretRef[],
): Promise<UsableSecret[]> {
  return reader.query<UsableSecret>('read_sealed_secrets', sealedSql, [
    arrayLiteral(wanted.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(wanted.map(({ name }) => name)),
  ])
}

export type UsableSecret = SecretRef &
  Sealed &
  Pick<StoredSecret, 'version' | 'actuator' | 'bound_to'> & { used: boolean }

const sealedSql = `
select s.tenant_id, s.name, s.version, s.actuator, s.bound_to, s.sealed, s.wrapped_key, s.key_id,
  s.first_used_at is not null as used
from unnest($1::text[], $2::text[]) w(tenant_id, name)
join tenant_secrets s using (tenant_id, name)
where s.sealed is not null`

const isThere = isNotNull(tenantSecrets.sealed)

function isNamed({ tenant_id, name }: SecretRef) {
  return and(eq(tenantSecrets.tenant_id, tenant_id), eq(tenantSecrets.name, name))
}

function only(rows: readonly Row[]): StoredSecret {
  const [row] = rows
  if (!row?.sealed) throw new Error('the secret was not stored')
  return row as StoredSecret
}
