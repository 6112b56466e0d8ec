import { asc } from 'drizzle-orm'
import type { Query } from './open.ts'
import { signingKeys } from './schema/schema.ts'

export type StoredSigningKey = typeof signingKeys.$inferSelect

/** Every key that ever signed, the oldest first. */
export function readSigningKeys(query: Query): Promise<StoredSigningKey[]> {
  return query.select().from(signingKeys).orderBy(asc(signingKeys.added_at), asc(signingKeys.key_id))
}

/** Make a key known before it signs; a key that is known already is left as it is. */
export async function addSigningKey(
  query: Query,
  key: Pick<StoredSigningKey, 'key_id' | 'name' | 'public_key'>,
): Promise<void> {
  await query
    .insert(signingKeys)
    .values({ ...key, status: 'active' })
    .onConflictDoNothing()
}
