import { StartupError } from '../../runtime/outage.ts'
import { migrateQueue } from '../../runtime/queue/postgres-backend.ts'
import type { Config } from '../../runtime/settings/config.ts'
import { postgresAddress } from '../../runtime/settings/postgres-address.ts'
import { isPostgresUrl, shownAddress } from '../../runtime/settings/setting.ts'
import { lookAtSchema, migrateDatabase } from '../../store/postgres/migrate.ts'
import { type SchemaState, UnfitDatabase } from '../../store/postgres/schema-state.ts'

type Logins = Pick<Config, 'database_url' | 'database_owner_url'>

/**
 * Make sure that a given database has the schema of this program: bring it there, or with `check` only look. A database
 * that is newer is taken as it is, since its migrations must leave older processes at work; tells how much newer.
 */
export async function prepareDatabase(config: Config, url: string): Promise<SchemaState> {
  const auto = config.migrate === 'auto'
  const state = auto ? await migrateDatabase({ url: ownerUrl(config, url) }) : await lookAtSchema({ url })
  if (state.missing.length === 0) return state
  throw new UnfitDatabase(
    `its schema is older than this program, it lacks ${state.missing.join(', ')}; run "service migrate" first (SERVICE_MIGRATE is "check")`,
  )
}

/** The login that owns the schema of a database. */
export function ownerUrl(config: Logins, url: string): string {
  return url === config.database_url ? (config.database_owner_url ?? url) : url
}

const adviceOnLogins =
  'Check DATABASE_URL (and DATABASE_OWNER_URL), that the server runs, and that the login that migrates owns the database and may create roles the first time.'

/** Do something with a given database; what goes wrong is told with its address, without the login. */
export async function withGiven<Answer>(url: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw new StartupError(
      `Postgres at ${shownAddress(url)} cannot be used: ${reasonOf(error)}` +
        (error instanceof UnfitDatabase ? '' : `\n${adviceOnLogins}`),
    )
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message || String(error) : String(error)
}

export interface MigrationPlaces {
  config: Config
  /** As for `openService`. */
  tenantDb: string | undefined
  apiKeyDb: string | undefined
}

/**
 * The step before a release: bring the given databases, and the queue where it is in one of them, to the schema of this
 * program. Older processes go on meanwhile. Tells how many databases there were; an embedded one is
 * none of them, it is migrated by the process that starts it.
 */
export async function migrateService({ config, tenantDb, apiKeyDb }: MigrationPlaces): Promise<number> {
  const tenants = tenantDb ?? config.database_url
  const urls = [...new Set([tenants, apiKeyDb ?? tenants])].filter(
    place => place !== undefined && isPostgresUrl(place),
  )
  for (const url of urls as string[]) {
    const owner = ownerUrl(config, url)
    await withGiven(url, async () => {
      await migrateDatabase({ url: owner })
      if (url === tenants && !config.redis_url)
        await migrateQueue({ ...postgresAddress(owner), options: '-c role=action_gate_owner' })
    })
  }
  return urls.length
}
