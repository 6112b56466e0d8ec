import { type SQL, sql } from 'drizzle-orm'

/**
 * SQL whose spelling matters to PostgreSQL's planner and to nobody else. Tidied, it gives the same rows from a plan that
 * reads all of a table, which no small database shows. Nothing of the kind is written anywhere else; sessions do the rest
 * by their settings (`open.ts`).
 */

/**
 * A subquery in brackets that is planned by itself: the planner neither merges it with what surrounds it nor moves a
 * condition across its border. For looking rows up one by one where row-level security keeps a joined expression out of
 * the condition of an index, and where an estimate of the whole would choose to read the table.
 *
 * The figure: without fences, messages of a log that is 100,000 entries behind read 1,394,558 rows for a batch (with
 * them 5,000 at most), 300 signed statements 820,056 (12,000), and 600 polls 90,300 (3,000). A subquery with an order, a limit
 * or a window has such a border by itself.
 */
export function optimizationFence(query: string): string
export function optimizationFence(query: SQL): SQL
export function optimizationFence(query: string | SQL): string | SQL {
  return typeof query === 'string' ? `(${query} offset 0)` : sql`(${query} offset 0)`
}

/**
 * Jobs that are not done, as the index of lists (`execution_jobs_listed`) has it and no other statement: whoever says
 * this means that index, and who only names a state cannot be given it.
 *
 * The figure: said plainly (`state <> 'done'`), a claim that was planned while the queue was empty took that index, and
 * read 20,012 entries for ten jobs of 2,000; now it reads fewer than 200.
 */
export const isOpen = "(state <> 'done') is true"

/**
 * Whether these columns are among some rows: a look-up in a hash that is made once. Without the last two words the planner
 * makes a join of it, and sessions join by loops.
 *
 * The figure: for a claim of forty the join compared each row with each, three times; the look-up saves a tenth of the
 * statement.
 */
export function hashedLookup(columns: readonly string[], rows: string): string {
  return `((${columns.join(', ')}) in (${rows})) is true`
}
