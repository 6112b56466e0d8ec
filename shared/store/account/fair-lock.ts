import { type SQL, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'

/** The seed keeps these advisory locks apart from all others whose key hashes a text. */
const seed = 4_701_225_021

/**
 * Begins a statement that takes a fair shared advisory lock on the credential it uses, because such locks are
 * granted in the order of asking. With a shared row lock, new uses would overtake a revocation that waits, so a
 * credential in constant use could never be revoked. `id` is a query for the id of its account, operator or key;
 * it runs before the statement reads any row.
 */
export const holdingFairly = (id: string): string => `with held as materialized (
  select pg_advisory_xact_lock_shared(hashtextextended(id, ${seed})) from (${id}) of_credential(id)
)`

/** A condition that must stay in the statement, because Postgres would skip a lock that no condition reads. */
export const isHeld = '(select count(*) from held) = 1'

/**
 * Waits for every transaction that uses these credentials; `ids` selects them in order, or else two could
 * deadlock.
 */
export async function lockFairly(query: Query, ids: SQL): Promise<void> {
  await query.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(id, ${seed}::int8)) from (${ids}) ending(id)`,
  )
}
