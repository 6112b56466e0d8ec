import { StartupError } from '../../runtime/outage.ts'
import { migrateQueue } from '../../runtime/queue/postgres-backend.ts'
import type { Config } from '../../runtime/settings/config.ts'
import { postgresAddress } from '../../runtime/settings/postgres-address.ts'
import { isPostgresUrl, shownAddress } from '../../runtime/settings/setting.ts'
import { lookAtSchema, migrateDatabase } from '../../store/postgres/migrate.ts'
import { type SchemaState, UnfitDatabase } from '../../store/postgres/schema-state.ts'

type Logins = Pick<Config, 'database_url' | 'database_owner_url'>

/**
 * Migrates a given database to this program's schema, or with `check` only looks. A newer database is accepted,
 * because migrations must keep older processes working; the answer says how much newer it is.
 */
export async function prepareDatabase(config: Config, url: string): Promise<SchemaState> {
  const auto = config.migrate === 'auto'
  const state = auto ? await migrateDatabase({ url: ownerUrl(config, url) }) : await lookAtSchema({ url })
  if (state.missing.length === 0) return state
  throw new UnfitDatabase(
    `its schema is older than this program, it lacks ${state.missing.join(', ')}; run "service migrate" first (SERVICE_MIGRATE is "check")`,
  )
}

export function ownerUrl(config: Logins, url: string): string {
  return url === config.database_url ? (config.database_owner_url ?? url) : url
}

const adviceOnLogins =
  'Check DATABASE_URL (and DATABASE_OWNER_URL), that the server runs, and that the login that migrates owns the database and may create roles the first time.'

/** Works on a given database; errors name its address without the login. */
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
  tenantDb: string | undefined
  apiKeyDb: string | undefined
}

/**
 * Migrates the given databases before a release, and the queue if it is in one of them, while older processes go
 * on. Returns their number; an embedded database is left out, because its own process migrates it.
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
