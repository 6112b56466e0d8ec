import type { Config } from '../../runtime/settings/config.ts'
import { shownAddress } from '../../runtime/settings/server-url.ts'
import { StartupError } from '../../runtime/startup-error.ts'
import { migrateDatabase, missingMigrations } from '../../store/postgres/migrate.ts'

type Logins = Pick<Config, 'database_url' | 'database_owner_url'>

/**
 * Make sure that a given database has the schema of this program: bring it there, or with `check` only look. A database
 * that is newer is taken as it is, since its migrations must leave the release before at work.
 */
export async function prepareDatabase(config: Config, url: string): Promise<void> {
  if (config.migrate === 'auto') return migrateDatabase({ url: ownerUrl(config, url) })
  const missing = await missingMigrations({ url })
  if (missing.length === 0) return
  throw new Error(
    `its schema is older than this program, it lacks ${missing.join(', ')}; run "service migrate" first (SERVICE_MIGRATE is "check")`,
  )
}

/** The login that owns the schema of a database. */
export function ownerUrl(config: Logins, url: string): string {
  return url === config.database_url ? (config.database_owner_url ?? url) : url
}

/** Do something with a given database; what goes wrong is told with its address, without the login. */
export async function withGiven<Answer>(url: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw new StartupError(
      `Postgres at ${shownAddress(url)} cannot be used: ${reasonOf(error)}\n` +
        'Check DATABASE_URL (and DATABASE_OWNER_URL), that the server runs, and that the login that migrates owns the database and may create roles the first time.',
    )
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message || String(error) : String(error)
}
