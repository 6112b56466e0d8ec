import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../shared/store/postgres/open.ts'
import { asWriter } from '../support/fixtures/ad-hoc.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, inserted, type Ledger, lookedAt, opening, stored, tenantId } from './ledger-fixture.ts'

let database: FreshDatabase
let ledger: Ledger
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  ;({ database, store } = ledger)
})

afterAll(() => ledger.close())

const many = (count: number) => Promise.all(Array.from({ length: count }, () => stored(store)))

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

  test('as a whole leaves the turn to others, and does not deny what was pending before', async () => {
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

  const forget = () => asWriter(store, 'delete from scan_cursors')
  beforeEach(forget)

  test('is looked at in parts, each once, and what is behind it is found', async () => {
    await asSuperuser(database, 'vacuum action_gate.execution_jobs')
    const first = await lookedAt(store, null)
    expect(first).toMatchObject({ ids: [], more: true })
    expect(first.read).toBeGreaterThan(990)
    expect(first.read).toBeLessThan(1_100)
    expect(await lookedAt(store, null)).toMatchObject({ ids: [free], more: false })
    const third = await lookedAt(store, null)
    expect(third).toMatchObject({ ids: [free], more: false })
    expect(third.read).toBeLessThan(20)
  })

  test('is written down for 50 looks, and not for fewer', async () => {
    for (const count of [49, 50]) {
      await longAgo(kept.slice(0, count), 3_600)
      const [last = ''] = await many(1)
      await longAgo([last], 3_000)
      await asSuperuser(
        database,
        `update action_gate.actions set operation = 'write' where action_id = '${last}'`,
      )
      expect((await lookedAt(store, null, { limit: 1 })).ids).toEqual([last])
      expect(await asWriter(store, 'select from scan_cursors')).toHaveLength(count === 50 ? 1 : 0)
      await asWriter(store, `update execution_jobs set state = 'done' where action_id = '${last}'`)
    }
    await longAgo(kept, 20)
  })

  test('is looked at from the beginning after other freezes, and so is what was lifted', async () => {
    await lookedAt(store, null)
    await freeze('fz_two')
    expect(await lookedAt(store, null)).toMatchObject({ ids: [], more: true })
    expect((await lookedAt(store, null)).ids).toEqual([free])
    await asWriter(store, 'delete from freezes')
    const lifted = await lookedAt(store, null)
    expect(lifted.ids).toHaveLength(100)
    expect(kept).toEqual(expect.arrayContaining(lifted.ids))
    await freeze('fz_one')
  })

  test('is looked at from the beginning a minute after the first look, or a future one', async () => {
    for (const looked of [`now() - interval '61 s'`, `now() + interval '1 h'`]) {
      await lookedAt(store, null)
      await asWriter(store, `update scan_cursors set looked_at = ${looked}`)
      expect(await lookedAt(store, null)).toMatchObject({ ids: [], more: true })
      expect((await lookedAt(store, null)).ids).toEqual([free])
      await forget()
    }
  })

  test('is looked at to its end however long it takes, and a minute begins there', async () => {
    const ages = () =>
      asWriter<{ age: number }>(
        store,
        'select extract(epoch from now() - looked_at)::int4 as age from scan_cursors',
      )
    const wait = () => asWriter(store, `update scan_cursors set looked_at = looked_at - interval '40 s'`)
    await lookedAt(store, null)
    for (const age of [0, 40]) {
      await wait()
      if (age === 40) await longAgo([free], 15)
      expect((await lookedAt(store, null)).ids).toEqual([free])
      expect((await ages())[0]?.age).toBeGreaterThanOrEqual(age)
      expect((await ages())[0]?.age).toBeLessThan(age + 30)
    }
    await longAgo([free], 10)
  })

  test('may have a job before it that is not to be seen yet', async () => {
    await longAgo(kept, 0)
    await longAgo([free], 0)
    expect(await lookedAt(store, null)).toMatchObject({ ids: [], more: false })
    expect(await asWriter(store, 'select from scan_cursors')).toEqual([])
    await longAgo(kept, 20)
    await longAgo([free], 10)
  })

  test('hides none behind the first that may run', async () => {
    await longAgo([free], 30)
    const from = await lookedAt(store, null)
    expect(from).toMatchObject({ ids: [free], more: true })
    await longAgo([free], 10)
  })

  describe('and what is beside it', () => {
    let beside: string[]
    beforeAll(async () => {
      const openings = Array.from({ length: 300 }, () => opening())
      await inserted(store, openings)
      beside = openings.map(({ action_id }) => action_id)
      for (const table of ['actions', 'execution_jobs'])
        await asSuperuser(
          database,
          `update action_gate.${table} set target_system = 'mail' ${table === 'actions' ? `, operation = 'write'` : ''}
           where action_id in ('${beside.join("','")}')`,
        )
      await longAgo(beside, 15)
    })
    const leased = `state = 'leased', lease_owner = 'wrk_1', lease_expires_at = now() + interval '1 hour'`
    const pending = `state = 'pending', lease_owner = null, lease_expires_at = null`
    const lookToEnd = async () => {
      for (let more = true; more; ) ({ more } = await lookedAt(store, null, { actuator_in_flight_max: 1 }))
    }

    test('is not looked at beyond what may be taken', async () => {
      await asSuperuser(database, 'vacuum action_gate.execution_jobs')
      await lookToEnd()
      const looked = await lookedAt(store, null, { shares: { tenant: 40, system: 40 } })
      expect(looked.ids).toHaveLength(40)
      expect(looked.read).toBeLessThan(100)
    })

    test('has room where the one before has no more', async () => {
      await lookToEnd()
      const bounds = { shares: { tenant: 40, system: 40 }, actuator_in_flight_max: 7 }
      const { ids } = await lookedAt(store, null, bounds)
      expect(ids).toHaveLength(8)
      expect(ids).toContain(free)
    })

    test('leaves its looks to others while as many of its calls run as may', async () => {
      const runs = beside.slice(0, 1)
      await asSuperuser(
        database,
        `update action_gate.execution_jobs set ${leased} where action_id = '${runs}'`,
      )
      await asSuperuser(database, 'vacuum action_gate.execution_jobs')
      const first = await lookedAt(store, null, { actuator_in_flight_max: 1 })
      expect(first).toMatchObject({ ids: [], more: true })
      expect(first.read).toBeGreaterThan(990)
      expect((await lookedAt(store, null, { actuator_in_flight_max: 1 })).ids).toEqual([free])
      await asSuperuser(
        database,
        `update action_gate.execution_jobs set ${pending} where action_id = '${runs}'`,
      )
    })

    test('is not looked at for a freeze of another system', async () => {
      await asSuperuser(database, `update action_gate.freezes set system = 'crm'`)
      await asSuperuser(
        database,
        `update action_gate.actions set operation = 'read' where target_system = 'mail'`,
      )
      await lookToEnd()
      const { ids } = await lookedAt(store, null, { actuator_in_flight_max: 1 })
      expect(ids).toHaveLength(2)
      const systems = await asWriter<{ target_system: string }>(
        store,
        'select target_system from scan_cursors',
      )
      expect(systems).toEqual([{ target_system: 'crm' }])
      await asSuperuser(database, 'update action_gate.freezes set system = null')
    })
  })
})
