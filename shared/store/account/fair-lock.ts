import { type SQL, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'

/** Keeps these locks apart from every other one that is known by a text. */
const seed = 4_701_225_021

/**
 * Begins a statement that holds a credential. A shared lock of a row goes past whoever waits to end the row, so that somebody
 * who works without a pause would never be ended; this one is given in the order in which it was asked for. `id`: a query
 * of the account, operator or key that the credential is of, which runs before the rows of the statement are read.
 */
export const holdingFairly = (id: string): string => `with held as materialized (
  select pg_advisory_xact_lock_shared(hashtextextended(id, ${seed})) from (${id}) of_credential(id)
)`

/** Condition of the same statement. */
export const isHeld = '(select count(*) from held) = 1'

/** Wait until nobody works with what is about to end; `ids`: a query of accounts, operators or keys, in their order. */
export async function lockFairly(query: Query, ids: SQL): Promise<void> {
  await query.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(id, ${seed}::int8)) from (${ids}) ending(id)`,
  )
}
