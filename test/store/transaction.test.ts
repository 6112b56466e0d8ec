import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../shared/store/postgres/open.ts'
import { insertTenant } from '../../shared/store/tenant/tenant-rows.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { openTestStore } from './ledger-fixture.ts'

let database: FreshDatabase
let store: Store

beforeAll(async () => {
  database = await freshDatabase()
  store = openTestStore(database, 1)
  await store.change('all', async query => {
    for (const tenant_id of ['one', 'two'])
      await insertTenant(query, { tenant_id, approval_ttl_ms: 60_000, verification_gate: false })
  })
})

afterAll(async () => {
  await store.close()
  await database.drop()
})

const echo = 'select $1::text as text, $2::int4 as number, $3::text as nothing'

test('whatever a parameter holds comes back as it was', async () => {
  const odd = `it's ''; rollback; -- \\ \\' $1 \u0001 é 😀`
  const reader = store.readEach(['one'])
  expect(await reader.query('echo', echo, [odd, -7, null])).toEqual([
    { text: odd, number: -7, nothing: null },
  ])
})

test('each statement sees its scope and no more, on the same connection', async () => {
  const ids = 'select tenant_id from tenants order by tenant_id'
  const seen = async (scope: string[] | 'all') =>
    (await store.readEach(scope).query<{ tenant_id: string }>('ids', ids, [])).map(row => row.tenant_id)
  expect([await seen(['one']), await seen(['two']), await seen([]), await seen('all')]).toEqual([
    ['one'],
    ['two'],
    [],
    ['one', 'two'],
  ])
})

test('what fails changes nothing, and the connection goes on', async () => {
  const set = 'update tenants set rules_version = rules_version + $1::int8 returning 1 / ($1::int4 - 2)'
  const write = (by: number) => store.write(['one'], writer => writer.last('set', set, [by]))
  await expect(write(2)).rejects.toThrow('division by zero')
  await expect(store.readEach(['one']).query('set', set, [3])).rejects.toThrow('read-only transaction')
  await write(3)
  const versions = 'select rules_version::int4 as version from tenants order by tenant_id'
  expect(await store.readEach('all').query('versions', versions, [])).toEqual([
    { version: 4 },
    { version: 1 },
  ])
})

test('a statement sent ahead has its own rows once the next one has answered', async () => {
  const [ahead, next] = await store.write(['one'], async writer => {
    const rows = writer.ahead('echo', echo, ['first', 1, null])
    const silent = writer.ahead('touch', 'update tenants set rules_version = rules_version where false', [])
    expect(rows).toThrow('echo has not answered')
    const last = await writer.last('echo', echo, ['second', 2, null])
    expect(silent).toThrow('touch has not answered')
    return [rows(), last]
  })
  expect(ahead).toEqual([{ text: 'first', number: 1, nothing: null }])
  expect(next).toEqual([{ text: 'second', number: 2, nothing: null }])
})

test('a statement sent ahead answers also where the commit alone carries it', async () => {
  const rows = await store.write(['one'], async writer => writer.ahead('echo', echo, ['alone', 3, null]))
  expect(rows()).toEqual([{ text: 'alone', number: 3, nothing: null }])
})

test('a transaction of several statements commits with its last one, and ends there', async () => {
  const add = 'update tenants set rules_version = rules_version + 1 returning rules_version::int4 as version'
  const made = await store.write(['two'], async writer => {
    await writer.query('add', add, [])
    const last = await writer.last('add', add, [])
    await expect(writer.query('add', add, [])).rejects.toThrow('the transaction has ended')
    return last
  })
  expect(made).toEqual([{ version: 3 }])
})

test('what fails in the last statement takes those before it back', async () => {
  const versions = 'select rules_version::int4 as version from tenants order by tenant_id'
  const before = await store.readEach('all').query('versions', versions, [])
  const failing = store.write('all', async writer => {
    await writer.query('all', 'update tenants set rules_version = rules_version + 1', [])
    await writer.last('fail', 'select 1 / $1::int4', [0])
  })
  await expect(failing).rejects.toThrow('division by zero')
  expect(await store.readEach('all').query('versions', versions, [])).toEqual(before)
})

test('what a statement is about stands in no text that the server shows or logs', async () => {
  const shown = 'select query from pg_stat_activity where pid = pg_backend_pid() and $1::text is not null'
  const write = await store.write(['one'], writer =>
    writer.query<{ query: string }>('shown', shown, ['secret-1']),
  )
  const last = await store.write(['one'], writer =>
    writer.last<{ query: string }>('shown', shown, ['secret-2']),
  )
  const read = await store.readEach(['one']).query<{ query: string }>('shown', shown, ['secret-3'])
  for (const rows of [write, last, read]) {
    expect(rows).toHaveLength(1)
    expect(rows[0]?.query).not.toContain('secret')
  }
})

test('a statement whose preparation stalled with the server can be prepared later', async () => {
  const brief = openTestStore(database, 1, 200)
  const backend = 'select pg_backend_pid() as pid'
  const [first] = await brief.write('all', writer => writer.query<{ pid: number }>('backend', backend, []))
  if (!first) throw new Error('no backend')
  const added = () => brief.write('all', writer => writer.query('stalled', 'select 1 as one', []))
  process.kill(first.pid, 'SIGSTOP')
  try {
    await expect(added()).rejects.toThrow('Query read timeout')
  } finally {
    process.kill(first.pid, 'SIGCONT')
  }
  expect(await added()).toEqual([{ one: 1 }])
  expect(await added()).toEqual([{ one: 1 }])
  await brief.close()
})

test('an answer that arrived while the process itself was held up is taken', async () => {
  const brief = openTestStore(database, 1, 200)
  const asked = () =>
    brief.read('all', reader => reader.query('paused', 'select pg_sleep(0.1), 1 as one', []))
  await asked()
  const late = asked()
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  expect(await late).toMatchObject([{ one: 1 }])
  await brief.close()
})

test('a statement that a stalled server leaves open is given up for a new connection', async () => {
  const brief = openTestStore(database, 1, 200)
  const one = (name: string, text: string) =>
    brief.read('all', reader => reader.query<{ pid: number }>(name, text, []))
  const backend = () => one('backend', 'select pg_backend_pid() as pid')
  const [first] = await backend()
  if (!first) throw new Error('no backend')
  process.kill(first.pid, 'SIGSTOP')
  try {
    const silent = await Promise.allSettled([backend(), backend()])
    expect(silent.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const [second] = await backend()
    expect(second?.pid).not.toBe(first.pid)
  } finally {
    process.kill(first.pid, 'SIGCONT')
  }
  await brief.close()
})

test('a session that ends under its statement leaves no error to the next statement', async () => {
  const ended = openTestStore(database, 1)
  const one = (name: string, text: string) =>
    ended.read('all', reader => reader.query<{ pid: number }>(name, text, []))
  const [first] = await one('backend', 'select pg_backend_pid() as pid')
  const underWay = expect(one('sleep', 'select pg_sleep(4)')).rejects.toThrow()
  await eventually('the server runs the statement', async () => {
    const [terminated] = await asSuperuser<{ pid: number }>(
      database,
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where pid = ${first?.pid} and wait_event = 'PgSleep'`,
    )
    return terminated ?? null
  })
  await underWay
  const [second] = await one('backend', 'select pg_backend_pid() as pid')
  expect(second?.pid).not.toBe(first?.pid)
  await ended.close()
})

test('a statement that failed beside another that was new is prepared again', async () => {
  const divide = (by: number) =>
    store.write('all', writer =>
      writer.query<{ quotient: number }>('divide', 'select 4 / $1::int4 as quotient', [by]),
    )
  await expect(divide(0)).rejects.toThrow('division by zero')
  expect(await divide(2)).toEqual([{ quotient: 2 }])
  expect(await divide(4)).toEqual([{ quotient: 1 }])
})

test('an error that the work hides fails the transaction, which commits nothing', async () => {
  const versions = 'select rules_version::int4 as version from tenants order by tenant_id'
  const before = await store.readEach('all').query('versions', versions, [])
  const silent = store.write('all', async writer => {
    await writer.query('all', 'update tenants set rules_version = rules_version + 1', [])
    await writer.last('fail', 'select 1 / $1::int4', [0]).catch(() => undefined)
    await expect(writer.query('versions', versions, [])).rejects.toThrow('takes no more statements')
  })
  await expect(silent).rejects.toThrow('the transaction has failed')
  expect(await store.readEach('all').query('versions', versions, [])).toEqual(before)
})

test('rows without columns are counted too, and a name stands for one text', async () => {
  const reader = store.readEach('all')
  expect(await reader.query('bare', 'select from tenants', [])).toEqual([{}, {}])
  await expect(reader.query('bare', 'select 1', [])).rejects.toThrow('two statements called bare')
  expect(await reader.query('bare', 'select from tenants', [])).toEqual([{}, {}])
})
