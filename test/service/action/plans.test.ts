import { expect, it } from 'vitest'
import {
  everyType,
  makeWebhook,
  startReceiver,
  webhookEnvironment,
} from '../../support/fixtures/webhook-receiver.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService } from '../../support/service/service.ts'

/** What grows with every action and stays. */
const growing = [
  'action_events',
  'action_statements',
  'actions',
  'event_payloads',
  'execution_jobs',
  'log_checkpoints',
  'log_entries',
  'log_nodes',
  'webhook_deliveries',
]

/** A fresh database that the server never analyzes by itself: statistics taken halfway choose other plans. */
async function neverAnalyzed() {
  const database = await freshDatabase()
  const off = growing.map(name => `alter table action_gate.${name} set (autovacuum_enabled = false)`)
  await asSuperuser(database, ...off)
  return database
}

it('no table of what grows is read as a whole, even before anything was analyzed', async () => {
  const database = await neverAnalyzed()
  const scans = async () => {
    const text = `select relname, seq_scan::int4 as scans from pg_stat_user_tables order by relname`
    const rows = await asSuperuser<{ relname: string; scans: number }>(database, text)
    return new Map(rows.map(({ relname, scans }) => [relname, scans]))
  }
  const before = await scans()
  const service = await startService({ platform: true, database })
  const tenant = await service.tenant()
  for (let at = 0; at < 10; at += 1) {
    const { body } = await tenant.submit({ risk: at % 2 ? 'medium' : 'low' })
    if (at % 2) await tenant.approve(body.action_id)
    await tenant.settled(body.action_id)
  }
  await service.close()
  const after = await scans()
  const read = growing.filter(name => after.get(name) !== before.get(name))
  expect(read).toEqual([])
  expect(growing.filter(name => !after.has(name))).toEqual([])
  await database.drop()
})

it('a message is made by the event that it is about, however many events there are', async () => {
  const database = await neverAnalyzed()
  const service = await startService({ platform: true, database, env: webhookEnvironment })
  const tenant = await service.tenant()
  const { url, received, close } = await startReceiver()
  await makeWebhook(service, tenant.id, { url, event_types: everyType })
  await asSuperuser(
    database,
    'set session_replication_role = replica',
    `insert into action_gate.action_events
       (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
     select 'act_' || n, 1 + n % 4, 'verdict', 'received', 'denied', '${tenant.id}', '', sha256('\\x00')
     from generate_series(1, 20000) n`,
  )
  for (let at = 0; at < 10; at += 1) await tenant.submit({})
  await received(10)
  await service.close()
  const text = `
    select sum(idx_tup_read)::int4 as read from pg_stat_user_indexes where relname = 'action_events'`
  const [row] = await asSuperuser<{ read: number }>(database, text)
  expect(row?.read).toBeLessThan(1_000)
  await close()
  await database.drop()
})

it('a statement is signed by the entries of its action, however many the log has', async () => {
  const database = await neverAnalyzed()
  const service = await startService({ platform: true, database })
  const tenant = await service.tenant()
  const submitted = await Promise.all(Array.from({ length: 300 }, () => tenant.submit({})))
  const signed = async () => {
    const text = 'select count(distinct action_id)::int4 as count from action_gate.action_statements'
    return (await asSuperuser<{ count: number }>(database, text))[0]?.count
  }
  await expect.poll(signed, { timeout: 20_000 }).toBe(submitted.length)
  await service.close()
  const text = `
    select sum(idx_tup_read)::int4 as read from pg_stat_user_indexes where relname in ('actions', 'log_entries', 'log_nodes')`
  const [row] = await asSuperuser<{ read: number }>(database, text)
  expect(row?.read).toBeLessThan(40 * submitted.length)
  await database.drop()
})

it('a poll reads its own action, however many the tenant has', async () => {
  const database = await neverAnalyzed()
  const service = await startService({ platform: true, database, worker: null })
  const tenant = await service.tenant()
  const submitted = await Promise.all(Array.from({ length: 300 }, () => tenant.submit({ risk: 'medium' })))
  for (const { body } of submitted) {
    const path = `/v1/actions/${body.action_id}`
    const { status, headers } = await service.call('GET', path, { key: tenant.agent })
    expect(status).toBe(200)
    const same = { key: tenant.agent, headers: { 'if-none-match': headers.etag ?? '' } }
    expect((await service.call('GET', path, same)).status).toBe(304)
  }
  await service.close()
  const text = `
    select sum(idx_tup_read)::int4 as read from pg_stat_user_indexes where relname = 'actions'`
  const [row] = await asSuperuser<{ read: number }>(database, text)
  expect(row?.read).toBeLessThan(10 * submitted.length)
  await database.drop()
})

it('a payload of two kilobytes is stored as it is, and a larger one compressed', async () => {
  const database = await freshDatabase()
  const service = await startService({ platform: true, database })
  const tenant = await service.tenant()
  const stored = async (note: string) => {
    const { body } = await tenant.submit({ parameters: { note } })
    const text = `
      select octet_length(payload) as bytes, pg_column_compression(payload) as compression
      from action_gate.event_payloads where action_id = '${body.action_id}' and sequence = 0`
    const [row] = await asSuperuser<{ bytes: number; compression: string | null }>(database, text)
    return row
  }
  expect(await stored('x'.repeat(1_500))).toEqual({ bytes: expect.any(Number), compression: null })
  expect(await stored('x'.repeat(4_000))).toMatchObject({ compression: expect.any(String) })
  await service.close()
  await database.drop()
})

it('what jobs leave in indexes is vacuumed by number, however large the table is', async () => {
  const database = await freshDatabase()
  const options = `select unnest(reloptions) as option from pg_class where oid = 'action_gate.execution_jobs'::regclass`
  const rows = await asSuperuser<{ option: string }>(database, options)
  expect(rows.map(({ option }) => option)).toEqual([
    'autovacuum_vacuum_scale_factor=0',
    'autovacuum_vacuum_threshold=20000',
    'vacuum_index_cleanup=on',
  ])
  await database.drop()
})
