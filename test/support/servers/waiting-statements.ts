import type { FreshDatabase } from './database.ts'
import { asSuperuser } from './superuser.ts'

/** How many statements of the service wait for a row that somebody else has locked. */
export async function waitingStatements(database: FreshDatabase): Promise<number> {
  const [found] = await asSuperuser<{ count: number }>(
    database,
    `select count(*)::int4 as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'action-gate-test'`,
  )
  return found?.count ?? 0
}
