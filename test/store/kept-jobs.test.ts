import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../shared/store/open.ts'
import { asWriter } from '../support/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { asSuperuser } from '../support/superuser.ts'
import { inserted, lookedAt, makeTenant, opening, openTestStore, stored, tenantId } from './ledger-fixture.ts'

let database: FreshDatabase
let store: Store

beforeAll(async () => {
  database = await freshDatabase()
  store = openTestStore(database)
  await makeTenant(store)
})

afterAll(async () => {
  await store.close()
  await database.drop()
})

describe('what a pause keeps', () => {
  const pause = async (tenant: string, system: string | null) => {
    await asWriter(
      store,
      `insert into tenants (tenant_id, policy_revision, approval_ttl_ms) values ('${tenant}', 1, 1000) on conflict do nothing`,
    )
    await asWriter(
      store,
      `insert into freezes (freeze_id, tenant_id, effect, system, reason, author)
       values ('${tenant}', '${tenant}', 'pause', ${system && `'${system}'`}, 'test', '{}')`,
    )
  }
  const as = (ids: readonly string[], tenant: string, system = 'crm') =>
    asSuperuser(
      database,
      `update action_gate.actions set tenant_id = '${tenant}', target_system = '${system}' where action_id in ('${ids.join("','")}')`,
      `update action_gate.execution_jobs set tenant_id = '${tenant}', target_system = '${system}' where action_id in ('${ids.join("','")}')`,
    )
  const many = (count: number) => Promise.all(Array.from({ length: count }, () => stored(store)))

  afterEach(async () => {
    await asWriter(store, 'delete from freezes')
    await asWriter(store, "update execution_jobs set state = 'done' where state = 'pending'")
  })

  test.each([
    ['of a system', 'crm'],
    ['of a tenant', null],
  ])('%s is not looked at job by job', async (_, system) => {
    const kept = await many(300)
    await as(kept, 'paused')
    const [other = ''] = await many(1)
    await as([other], 'paused', 'mail')
    await pause('paused', system)
    await asSuperuser(database, 'vacuum action_gate.execution_jobs')
    const { ids, read } = await lookedAt(store, null)
    expect(ids).toEqual(system === null ? [] : [other])
    expect(read).toBeLessThan(20)
    await asWriter(store, 'delete from freezes')
    expect((await lookedAt(store, null)).ids).toHaveLength(100)
  })

  test('stands in nobody’s way, however many tenants it is', async () => {
    const tenants = Array.from({ length: 70 }, (_, at) => `paused-${at}`)
    const kept = await many(tenants.length)
    for (const [at, tenant] of tenants.entries()) {
      await as([kept[at] ?? ''], tenant)
      await pause(tenant, 'crm')
    }
    const [last = ''] = await many(1)
    await as([last], 'q')
    const lookFrom = (after: string) => lookedAt(store, null, { limit: 2, after })
    const first = await lookFrom('')
    const second = await lookFrom(first.after)
    expect([first.ids, second.ids]).toEqual([[], []])
    expect([first.passed?.length, second.passed?.length]).toEqual([32, 32])
    expect(await lookFrom(second.after)).toMatchObject({ ids: [last] })
  })

  test('as a whole leaves the line to others, and does not say that nothing was pending before', async () => {
    const kept = await many(1)
    await as(kept, 'a-paused')
    await pause('a-paused', null)
    const [due = ''] = await many(1)
    const from = new Date(Date.now() - 60_000).toISOString()
    const looked = await lookedAt(store, from, { limit: 1 })
    expect(looked).toMatchObject({ ids: [due], since: null })
  })
})

describe('what a freeze of an operation keeps', () => {
  const longAgo = (ids: readonly string[], seconds: number) =>
    asWriter(
      store,
      `update execution_jobs set next_run_at = now() - interval '${seconds} s' where action_id in ('${ids.join("','")}')`,
    )
  const freeze = (freezeId: string) =>
    asWriter(
      store,
      `insert into freezes (freeze_id, tenant_id, effect, operation, reason, author)
       values ('${freezeId}', '${tenantId}', 'freeze', 'read', 'test', '{}')`,
    )

  let kept: string[]
  let free: string
  beforeAll(async () => {
    const openings = Array.from({ length: 1_500 }, () => opening())
    await inserted(store, openings)
    kept = openings.map(({ action_id }) => action_id)
    await longAgo(kept, 20)
    free = await stored(store)
    await asSuperuser(
      database,
      `update action_gate.actions set operation = 'write' where action_id = '${free}'`,
    )
    await longAgo([free], 10)
    await freeze('fz_one')
  })

  afterAll(async () => {
    await asWriter(store, 'delete from freezes')
    await asWriter(store, "update execution_jobs set state = 'done' where state = 'pending'")
  })

  test('is looked at in parts, each once, and what is behind it is found', async () => {
    await asSuperuser(database, 'vacuum action_gate.execution_jobs')
    const first = await lookedAt(store, null)
    expect(first).toMatchObject({ ids: [], more: false, places: [{ tenant_id: tenantId, more: true }] })
    expect(first.read).toBeGreaterThan(990)
    expect(first.read).toBeLessThan(1_100)
    const second = await lookedAt(store, null, { places: first.places })
    expect(second).toMatchObject({ ids: [free], more: false, places: [{ more: false }] })
    const third = await lookedAt(store, null, { places: second.places })
    expect(third).toMatchObject({ ids: [free], places: [] })
    expect(third.read).toBeLessThan(20)
  })

  test('is looked at from the beginning when other freezes are there, and so is what was lifted', async () => {
    const { places } = await lookedAt(store, null, { places: (await lookedAt(store, null)).places })
    await freeze('fz_two')
    expect((await lookedAt(store, null, { places })).ids).toEqual([])
    await asWriter(store, 'delete from freezes')
    const lifted = await lookedAt(store, null, { places })
    expect(lifted.ids).toHaveLength(100)
    expect(kept).toEqual(expect.arrayContaining(lifted.ids))
    await freeze('fz_one')
  })

  test('may have a job before it that is not to be seen yet', async () => {
    await longAgo(kept, 1)
    expect(await lookedAt(store, null)).toMatchObject({ ids: [free], places: [] })
    await longAgo([free], 0)
    expect(await lookedAt(store, null)).toMatchObject({ ids: [], more: false, places: [] })
    await longAgo(kept, 20)
  })

  test('hides none behind the first that may run', async () => {
    await longAgo([free], 30)
    const from = await lookedAt(store, null)
    expect(from).toMatchObject({ ids: [free], more: true, places: [] })
    await longAgo([free], 10)
  })
})
