import { migrateQueue } from '../../runtime/queue/wake-up-queue.ts'
import type { Config } from '../../runtime/settings/config.ts'
import { isPostgresUrl } from '../../runtime/settings/server-url.ts'
import { migrateDatabase } from '../../store/postgres/migrate.ts'
import { ownerUrl, withGiven } from './prepare-database.ts'

export interface MigrationPlaces {
  config: Config
  /** As for `openService`. */
  tenantDb: string | undefined
  apiKeyDb: string | undefined
}

/**
 * The step before a release: bring the given databases, and the queue where it is in one of them, to the schema of this
 * program. Processes of the release before go on meanwhile. Tells how many databases there were; an embedded one is
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
        await migrateQueue({ connectionString: owner, options: '-c role=action_gate_owner' })
    })
  }
  return urls.length
}
