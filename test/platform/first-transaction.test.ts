import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLost } from '../../shared/runtime/outage.ts'
import { lockActions } from '../../shared/store/action/locked-actions.ts'
import { lockDueJobs } from '../../shared/store/job/claim/due-jobs.ts'
import { openStore, type Store } from '../../shared/store/postgres/open.ts'
import { claimBounds } from '../store/ledger-fixture.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const firsts: [string, (store: Store) => Promise<unknown>][] = [
  ['changes', store => store.write('all', writer => lockActions(writer, ['act_none']))],
  ['claims', store => store.write('all', writer => lockDueJobs(writer, claimBounds(1)))],
]

/** A driver whose transactions hang on a fresh or a lost connection would leave a process dead from its start. */
it.each(firsts)(
  'a store just opened %s at once, and again after its connections are cut',
  async (_, first) => {
    const { host, runtimeUser: user, database: name } = database
    const administrator = postgres({ host, user: database.superuser, database: name, max: 1 })
    const store = openStore(
      { host, user, database: name },
      { poolSize: 2, statementMsMax: 2_000, name: 'test', isLost },
    )
    try {
      await Promise.all([first(store), first(store), first(store)])
      const [cut] = await administrator`
      select count(pg_terminate_backend(pid))::int as connections from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid()`
      expect(cut?.connections).toBeGreaterThan(0)
      const works = () =>
        Promise.all([first(store), first(store), first(store)]).then(
          () => true,
          () => null,
        )
      await eventually('transactions succeed on new connections', works, 5_000)
    } finally {
      await Promise.all([store.close(), administrator.end()])
    }
  },
  15_000,
)
