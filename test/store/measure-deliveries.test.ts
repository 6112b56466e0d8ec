import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../shared/store/postgres/open.ts'
import { measureDeliveries } from '../../shared/store/webhook/due-deliveries.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, type Ledger, tenantId } from './ledger-fixture.ts'

const endpoints = 300
let database: FreshDatabase
let ledger: Ledger
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  ;({ database, store } = ledger)
  await asSuperuser(
    database,
    `insert into action_gate.webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
     select 'wh_' || n, '${tenantId}', 'https://example.com', '[]', true, 0 from generate_series(1, ${endpoints}) n`,
  )
})
afterAll(() => ledger.close())

/** A message to the endpoint of that number, due for so many seconds. */
const message = (endpoint: number, index: number, seconds: number) =>
  asSuperuser(
    database,
    `insert into action_gate.webhook_deliveries
       (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, next_attempt_at)
     values ('wh_${endpoint}', ${index}, '${tenantId}', 'action.settled', 'act_1', 'executed', '', now() - interval '${seconds} s')`,
  )

/** What is measured, and how often the index of pending messages was asked. */
const measured = () =>
  store.write('all', async ({ query }) => {
    const scans = async () => {
      const text = `select pg_stat_get_xact_numscans('webhook_deliveries_due'::regclass)::int4 as scans`
      const [row] = await query<{ scans: number }>('', text, [])
      return row?.scans ?? Number.NaN
    }
    const before = await scans()
    const lag = await measureDeliveries({ kind: 'reader', query })
    return { ...lag, scans: (await scans()) - before }
  })

it('endpoints without a message are not looked at', async () => {
  expect(await measured()).toMatchObject({ due: 0, oldest_due_ms: 0, disabled: 0, scans: 1 })
})

it('the gauge counts what is due and the age of the oldest, of enabled endpoints', async () => {
  for (const [endpoint, index, seconds] of [
    [7, 1, 500],
    [7, 2, 100],
    [200, 1, 900],
    [201, 1, -60],
    [250, 1, 3_600],
  ] as const)
    await message(endpoint, index, seconds)
  await asSuperuser(
    database,
    `update action_gate.webhooks set enabled = false, disabled_reason = 'gone' where webhook_id = 'wh_250'`,
  )
  const lag = await measured()
  expect(lag).toMatchObject({ due: 3, disabled: 1 })
  expect(Math.round(lag.oldest_due_ms / 10_000)).toBe(90)
  expect(lag.scans).toBeLessThan(20)
})
