import { type SQL, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'

/** A seed for the hash of an id, so that these locks differ from other advisory locks on a hashed text. */
const seed = 4_701_225_021

/**
 * Begins a statement that uses a credential by taking a fair advisory lock, which is granted in the order of
 * asking. With a shared row lock, new uses would overtake a revocation that waits for the row, so a credential in
 * constant use could never be revoked. `id` is a query for the id of the account, operator or key.
 */
export const holdingFairly = (id: string): string => `with held as materialized (
  select pg_advisory_xact_lock_shared(hashtextextended(id, ${seed})) from (${id}) of_credential(id)
)`

/** The statement must contain this condition, because Postgres skips the lock if no condition reads it. */
export const isHeld = '(select count(*) from held) = 1'

/**
 * Waits until every transaction that uses these credentials ends. `ids` must select them in a fixed order, because
 * two callers could deadlock otherwise.
 */
export async function lockFairly(query: Query, ids: SQL): Promise<void> {
  await query.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(id, ${seed}::int8)) from (${ids}) ending(id)`,
  )
}
