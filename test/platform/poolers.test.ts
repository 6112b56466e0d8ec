import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { isLost } from '../../shared/runtime/outage.ts'
import { openStore, probe } from '../../shared/store/postgres/open.ts'
import { startPlatform } from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { findPgBouncer, type Pooler, startPgBouncer } from '../support/servers/pgbouncer.ts'

const lost =
  'its sessions lost role, search_path, plan_cache_mode, tenants: what stands between, such as a pooler, must pass on the settings that a connection begins with (api/docs/deploy.md#poolers)'

const program = await findPgBouncer()
let database: FreshDatabase
let pooler: Pooler
beforeAll(async () => {
  database = await freshDatabase()
  if (program === null) return
  const { host, superuser: user, database: name } = database
  pooler = await startPgBouncer(program, { host, user, database: name })
  await eventually('the pooler answers', () => ask().then(String, told => (isLost(told) ? null : told)))
})
beforeEach(({ skip }) => skip(program === null, 'PgBouncer cannot be had'))
afterAll(async () => {
  if (program !== null) await pooler.stop()
  await database.drop()
})

/** What readiness asks of each database. */
async function ask(): Promise<void> {
  const store = openStore(
    { url: pooler.url },
    { poolSize: 1, statementMsMax: 5_000, name: 'of the test', isLost },
  )
  await probe(store).finally(() => store.close())
}

it('a database is not ready behind a pooler that drops what a session begins with', async () => {
  await expect(ask()).rejects.toThrow(lost)
})

it.each(['api', 'worker'])('and no %s starts there', async name => {
  const { host, superuser, database: own } = database
  const platform = await startPlatform(inject('redisUrl'), {
    DATABASE_URL: pooler.url,
    DATABASE_OWNER_URL: `postgres://${superuser}@/${own}?host=${encodeURIComponent(host)}`,
  })
  try {
    const begun = name === 'api' ? platform.launchApi() : platform.launchWorker()
    expect(await begun.exited).toMatchObject({ code: 1 })
    expect(platform.output()).toContain(lost)
    expect(platform.output()).not.toContain('Check DATABASE_URL')
  } finally {
    await platform.stop()
  }
})
