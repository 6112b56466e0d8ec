import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expire } from '../../shared/lifecycle/decide.ts'
import { judgeExpiredLease } from '../../shared/lifecycle/execute.ts'
import { readAction } from '../../shared/store/action/actions.ts'
import { lockDueJobs } from '../../shared/store/job/claim/due-jobs.ts'
import { expiredHolds, expiredLeases, renewLeases, takeSweep } from '../../shared/store/job/jobs.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { presentMs } from '../../shared/store/postgres/sql-text.ts'
import { asWriter } from '../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import {
  changeAction,
  claimBounds,
  claimUpTo,
  lookedAt,
  makeTenant,
  openTestStore,
  settleWith,
  stored,
  tenantId,
} from './ledger-fixture.ts'

let database: FreshDatabase
let store: Store
let other: Store

/** Two pools, as of two processes. */
beforeAll(async () => {
  database = await freshDatabase()
  store = openTestStore(database)
  other = openTestStore(database)
  await makeTenant(store)
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await database.drop()
})

describe('claiming', () => {
  const atSystem = (system: string, id: string) =>
    asSuperuser(
      database,
      ...['actions', 'execution_jobs'].map(
        table => `update action_gate.${table} set target_system = '${system}' where action_id = '${id}'`,
      ),
    )

  test('by eight workers at once gives every job to one of them', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => stored(store)))
    const claims = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const found = []
        for (;;) {
          const claimed = await claimUpTo(at % 2 === 0 ? store : other, 5)
          if (claimed.length === 0) return found
          found.push(...claimed)
        }
      }),
    )
    const claimed = claims.flat().filter(({ id }) => ids.includes(id))
    expect(claimed.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(new Set(claims.flat().map(({ token }) => token)).size).toBe(claims.flat().length)
  })

  test('tells that a share was met as it was when the claim was asked for', async () => {
    await stored(store)
    await stored(store)
    const taken = new Map([['', { tenant_id: tenantId, system: 'mail', jobs: 1 }]])
    const { due, report } = await store.write('all', writer => {
      const locked = lockDueJobs(writer, claimBounds(2, { taken }))
      taken.clear()
      return locked
    })
    expect(due).toHaveLength(1)
    expect(report.bounded).toBe(true)
    expect(await claimUpTo(store, 2)).toHaveLength(2)
  })

  test('takes no more of a system than its share, says so, and takes what is beside it', async () => {
    await Promise.all(Array.from({ length: 3 }, () => stored(store)))
    const beside = await stored(store)
    await atSystem('mail', beside)
    const shares = { tenant: 4, system: 2 }
    const first = await lookedAt(store, null, { shares })
    expect(first).toMatchObject({ bounded: true })
    expect(first.ids).toHaveLength(3)
    expect(first.ids).toContain(beside)
    const taken = (jobs: number) => new Map([['', { tenant_id: tenantId, system: 'crm', jobs }]])
    for (const jobs of [2, 3])
      expect(await lookedAt(store, null, { shares, taken: taken(jobs) })).toMatchObject({
        ids: [beside],
        bounded: true,
      })
    expect((await lookedAt(store, null, { shares, taken: taken(1) })).ids).toHaveLength(2)
    expect((await lookedAt(store, null, { shares, taken: taken(4) })).ids).toEqual([])
    expect(await claimUpTo(store, 4)).toHaveLength(4)
  })

  test('beyond a lowered bound takes nothing there, says so, and takes what is beside it', async () => {
    await Promise.all(Array.from({ length: 3 }, () => stored(store)))
    const running = await claimUpTo(store, 3)
    await stored(store)
    const beside = await stored(store)
    await atSystem('mail', beside)
    const full = { ids: [beside], bounded: true }
    expect(await lookedAt(store, null, { actuator_in_flight_max: 2 })).toMatchObject(full)
    expect(await lookedAt(store, null, { tenant_in_flight_max: 2 })).toMatchObject({ ids: [], bounded: true })
    for (const { id, token } of running) await changeAction(store, [id], settleWith(token))
    expect(await claimUpTo(store, 3)).toHaveLength(2)
  })

  test('leaves what is not due yet', async () => {
    const id = await stored(store)
    await asWriter(
      store,
      `update execution_jobs set next_run_at = now() + interval '1 h' where action_id = '${id}'`,
    )
    expect(await claimUpTo(store, 100)).toEqual([])
  })

  test('begins where it is told to, and tells a time before which nothing was pending', async () => {
    const [early, late] = [await stored(store), await stored(store)]
    const dueBefore = (id: string, seconds: number) =>
      asWriter(
        store,
        `update execution_jobs set next_run_at = now() - interval '${seconds} s' where action_id = '${id}'`,
      )
    await dueBefore(early, 100)
    await dueBefore(late, 50)
    const all = await lookedAt(store, null)
    expect(all.ids).toEqual([early, late])
    expect(all.secondsAgo).toBeGreaterThan(101)
    expect(await lookedAt(store, all.since)).toMatchObject({ ids: [early, late], since: all.since })
    const between = new Date(Date.now() - 75_000).toISOString()
    expect((await lookedAt(store, between)).ids).toEqual([late])
    await asWriter(
      store,
      `update execution_jobs set state = 'done' where action_id in ('${early}', '${late}')`,
    )
    const none = await lookedAt(store, all.since)
    expect(none.ids).toEqual([])
    expect(none.secondsAgo).toBeGreaterThan(1)
    expect(none.secondsAgo).toBeLessThan(40)
  })

  test('tokens only grow, also over what was rolled back', async () => {
    const before = await stored(store)
    const [first] = await claimUpTo(store, 1)
    await changeAction(store, [before], settleWith(first?.token ?? 0))
    await stored(store)
    const lost = claimUpTo(store, 1, Number.NaN)
    await expect(lost).rejects.toThrow()
    const [second] = await claimUpTo(store, 1)
    expect(second?.token).toBeGreaterThan((first?.token ?? 0) + 1)
  })
})

test('a claim comes to a tenant behind any number of others whose jobs are due later', async () => {
  const [due, ...later] = await Promise.all(Array.from({ length: 258 }, () => stored(store)))
  await asSuperuser(
    database,
    `update action_gate.execution_jobs set tenant_id = 'a' || action_id, next_run_at = now() + interval '1 h' where action_id in ('${later.join("','")}')`,
  )
  expect(await lookedAt(store, null)).toMatchObject({ ids: [due] })
  await asSuperuser(
    database,
    `update action_gate.execution_jobs set next_run_at = now() - interval '1 ms' where action_id in ('${later.join("','")}')`,
  )
  expect((await lookedAt(store, null)).since).toBeNull()
  await asWriter(store, "update execution_jobs set state = 'done' where state = 'pending'")
})

/** A claim in the same half of a millisecond would not find it. */
test('a time that means now is never ahead of the clock', async () => {
  const ahead = (present: string) => `
    select count(*)::int4 as ahead from (
      select (${present})::timestamptz(3) as due, clock_timestamp() as later from generate_series(1, 100000)
    ) rows where due > later`
  const [rounded] = await asWriter<{ ahead: number }>(store, ahead('clock_timestamp()'))
  expect(rounded?.ahead).toBeGreaterThan(0)
  expect(await asWriter(store, ahead(presentMs))).toEqual([{ ahead: 0 }])
})

test('a job that does not name its system, which nothing would claim, is refused', async () => {
  const id = await stored(store, { decision: 'needs_approval' })
  const made = asWriter(
    store,
    `insert into execution_jobs (action_id, tenant_id, max_attempts, next_run_at, state, attempt, lease_token, maybe_executed, key_honoured)
     values ('${id}', '${tenantId}', 3, now(), 'pending', 0, 0, false, false)`,
  )
  await expect(made).rejects.toMatchObject({ constraint: 'execution_jobs_system' })
})

describe('a fencing token', () => {
  async function claimed(leaseMs?: number) {
    const id = await stored(store)
    const found = (await claimUpTo(store, 100, leaseMs)).find(claim => claim.id === id)
    if (!found) throw new Error('not claimed')
    return found
  }

  test('that is current records, once', async () => {
    const { id, token } = await claimed()
    expect(await changeAction(store, [id], settleWith(token))).toHaveLength(1)
    expect(await changeAction(store, [id], settleWith(token))).toHaveLength(0)
    expect(await statusOf(id)).toBe('executed')
  })

  test('that is another’s records nothing', async () => {
    const { id, token } = await claimed()
    expect(await changeAction(store, [id], settleWith(token + 1))).toHaveLength(0)
    expect(await changeAction(store, [id], settleWith(token - 1))).toHaveLength(0)
    expect(await statusOf(id)).toBe('executing')
  })

  test('of a lease that ran out and was judged records nothing, nor after the next claim', async () => {
    const { id, token } = await claimed()
    await endLease(id)
    const judge = judgeExpiredLease({
      terms: { retry_ms_min: 1, retry_ms_max: 1, retry_after_ms_max: 1, reconcile_ms_min: 1 },
      jitter: 0,
    })
    expect(await changeAction(store, [id], judge)).toHaveLength(1)
    expect(await changeAction(other, [id], settleWith(token))).toHaveLength(0)
    await asWriter(
      store,
      `update execution_jobs set next_run_at = now() - interval '1 ms' where action_id = '${id}'`,
    )
    const again = (await claimUpTo(other, 100)).find(claim => claim.id === id)
    expect(again?.token).toBeGreaterThan(token)
    expect(await changeAction(store, [id], settleWith(token))).toHaveLength(0)
    expect(await changeAction(other, [id], settleWith(again?.token ?? 0))).toHaveLength(1)
    const events = (await store.read([tenantId], reader => readAction(reader, tenantId, id)))?.events ?? []
    expect(events.map(({ event }) => JSON.parse(event).kind)).toEqual([
      'proposal_received',
      'verdict',
      'execution_attempt',
      'execution',
      'execution_attempt',
      'execution',
    ])
  })

  test('renews its lease as long as it is held, and no other', async () => {
    const held = await claimed()
    const over = await claimed()
    await endLease(over.id)
    const leases = [
      { action_id: held.id, token: held.token },
      { action_id: over.id, token: over.token },
      { action_id: held.id, token: held.token - 1 },
    ]
    expect([...(await store.write('all', writer => renewLeases(writer, leases, 60_000)))]).toEqual([
      held.token,
    ])
    const expired = (await store.read('all', reader => expiredLeases(reader, 100))).map(
      ({ action_id }) => action_id,
    )
    expect(expired).toContain(over.id)
    expect(expired).not.toContain(held.id)
  })
})

describe('a hold', () => {
  test('that ran out is found and denied once, by however many sweepers', async () => {
    const over = await stored(store, { decision: 'needs_approval', approval_ttl_ms: 0 })
    const held = await stored(store, { decision: 'needs_approval' })
    const found = (await store.read('all', reader => expiredHolds(reader, 100))).map(
      ({ action_id }) => action_id,
    )
    expect(found).toEqual([over])
    const made = await Promise.all(
      [store, other, store].map(each => changeAction(each, [over, held], expire())),
    )
    expect(made.flat().map(({ action_id }) => action_id)).toEqual([over])
    expect(await statusOf(held)).toBe('pending_approval')
  })
})

describe('sweeping', () => {
  test('one at a time: whoever comes meanwhile does nothing', async () => {
    const taken = store.write('all', async first => {
      expect(await takeSweep(first)).toBe(true)
      return other.write('all', takeSweep)
    })
    expect(await taken).toBe(false)
    expect(await other.write('all', takeSweep)).toBe(true)
  })
})

async function statusOf(id: string): Promise<string | undefined> {
  return (await store.read([tenantId], reader => readAction(reader, tenantId, id)))?.status
}

async function endLease(id: string): Promise<void> {
  await asWriter(
    store,
    `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 s' where action_id = '${id}'`,
  )
}
