import { type SQL, sql } from 'drizzle-orm'

/**
 * SQL whose spelling matters to PostgreSQL's planner alone. Tidied, it gives the same rows from a plan that reads
 * all of a table, which no small database shows. Only this file has such spellings; the settings of the sessions
 * do the rest (`open.ts`).
 */

/**
 * Puts a subquery in brackets that the planner neither merges with what surrounds it nor moves a condition into.
 * It looks rows up one by one where row-level security keeps a joined expression out of the condition of an index,
 * and where an estimate of the whole would choose to read the table.
 *
 * Without fences, measured: messages of a log that is 100,000 entries behind read 1,394,558 rows for a batch (with
 * them 5,000 at most), 300 signed statements 820,056 (12,000), and 600 polls 90,300 (3,000). A subquery with an
 * order, a limit or a window is such a border by itself.
 */
export function optimizationFence(query: string): string
export function optimizationFence(query: SQL): SQL
export function optimizationFence(query: string | SQL): string | SQL {
  return typeof query === 'string' ? `(${query} offset 0)` : sql`(${query} offset 0)`
}

/**
 * Selects jobs that are not done in exactly the words of the index of lists (`execution_jobs_listed`), so that the
 * planner can give that index to these statements and to no other.
 *
 * In plain words (`state <> 'done'`), measured: a claim that was planned while the queue was empty took that
 * index, and read 20,012 entries for ten jobs of 2,000; now it reads fewer than 200.
 */
export const isOpen = "(state <> 'done') is true"

/**
 * Returns a condition that these columns are among some rows, looked up in a hash that is made once. Without its
 * last two words the planner would make a join of it, and sessions join by loops.
 *
 * Measured for a claim of forty, the join compared each row with each, three times; the look-up saves a tenth of
 * the statement.
 */
export function hashedLookup(columns: readonly string[], rows: string): string {
  return `((${columns.join(', ')}) in (${rows})) is true`
}
