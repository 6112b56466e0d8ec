import { type SQL, sql } from 'drizzle-orm'

/**
 * SQL whose exact spelling matters to PostgreSQL's planner. If it is tidied, its rows stay the same, but its plan
 * reads a whole table; a small database does not show this. The settings of the sessions do the rest (`open.ts`).
 */

/**
 * Puts a subquery in brackets that the planner neither merges with the outer query nor pushes a condition into. It
 * then looks rows up one by one. Otherwise it may read the whole table: row-level security keeps joined
 * expressions out of index conditions, and estimates of the whole query may be wrong.
 *
 * Measured without fences: messages of a log that is 100,000 entries behind read 1,394,558 rows for a batch (with
 * fences 5,000 at most), 300 signed statements 820,056 (12,000), and 600 polls 90,300 (3,000). A subquery with an
 * order, a limit or a window is such a fence by itself.
 */
export function optimizationFence(query: string): string
export function optimizationFence(query: SQL): SQL
export function optimizationFence(query: string | SQL): string | SQL {
  return typeof query === 'string' ? `(${query} offset 0)` : sql`(${query} offset 0)`
}

/**
 * Selects jobs that are not done, in exactly the words of the index of lists (`execution_jobs_listed`). The
 * planner can use that index for statements with these words and for no others.
 *
 * Measured with plain words (`state <> 'done'`): a claim that was planned while the queue was empty used that
 * index, and read 20,012 entries for ten jobs of 2,000. With these words it reads fewer than 200.
 */
export const isOpen = "(state <> 'done') is true"

/**
 * Returns a condition that these columns are among some rows, which PostgreSQL looks up in a hash that it builds
 * once. Without `is true` the planner would make it a join, and sessions only join by loops.
 *
 * Measured for a claim of forty: the join compared each row with each, three times. The look-up saves a tenth of
 * the statement's time.
 */
export function hashedLookup(columns: readonly string[], rows: string): string {
  return `((${columns.join(', ')}) in (${rows})) is true`
}
