import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backlog, measureBacklog } from '../../shared/store/job/backlog.ts'
import { markWorker } from '../../shared/store/job/workers.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import {
  claimUpTo,
  freshLedger,
  inserted,
  type Ledger,
  lookedAt,
  opening,
  stored,
  tenantId,
} from './ledger-fixture.ts'

const seenMs = 60_000
let database: FreshDatabase
let ledger: Ledger
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  ;({ database, store } = ledger)
})
afterAll(() => ledger.close())

const measured = (): Promise<Backlog> => store.read('all', reader => measureBacklog(reader, seenMs))

/** Whole seconds: the rest is what the test itself takes. */
const seconds = (ms: number): number => Math.round(ms / 10_000) * 10

function dueSince(ids: readonly string[], ago: string) {
  return asSuperuser(
    database,
    `update action_gate.execution_jobs set next_run_at = now() - interval '${ago}'
    where action_id in (${ids.map(id => `'${id}'`).join(', ')})`,
  )
}

function freeze(id: string, selector: { system?: string; operation?: string }) {
  const { system = null, operation = null } = selector
  const text = (value: string | null) => (value === null ? 'null' : `'${value}'`)
  return asSuperuser(
    database,
    `insert into action_gate.freezes (freeze_id, tenant_id, effect, system, operation, reason, author)
    values ('${id}', '${tenantId}', 'freeze', ${text(system)}, ${text(operation)}, 'test', '{}')`,
  )
}

it('is all zero where nothing waits', async () => {
  expect(await measured()).toEqual({
    pending: 0,
    due: 0,
    leased: 0,
    unknown: 0,
    needs_operator: 0,
    oldest_due_ms: 0,
    held: 0,
    oldest_held_ms: 0,
    hold_used: 0,
    oldest_unknown_ms: 0,
    freezes: 0,
    workers: 0,
  })
})

it('counts jobs, and what is due with the age of the oldest', async () => {
  const ids = [await stored(store), await stored(store), await stored(store)]
  await dueSince(ids.slice(0, 1), '90 seconds')
  await dueSince(ids.slice(1, 2), '30 seconds')
  await dueSince(ids.slice(2), '-1 hour')
  const backlog = await measured()
  expect(backlog).toMatchObject({ pending: 3, due: 2, leased: 0 })
  expect(seconds(backlog.oldest_due_ms)).toBe(90)
  await claimUpTo(store, 1)
  const after = await measured()
  expect(after).toMatchObject({ pending: 2, due: 1, leased: 1 })
  expect(seconds(after.oldest_due_ms)).toBe(30)
})

it('says of held actions how long and how much of their time they wait', async () => {
  const id = await stored(store, { decision: 'needs_approval', approval_ttl_ms: 400_000 })
  await asSuperuser(
    database,
    `update action_gate.actions set created_at = now() - interval '300 seconds', held_until = now() + interval '100 seconds'
    where action_id = '${id}'`,
  )
  const backlog = await measured()
  expect(backlog.held).toBe(1)
  expect(seconds(backlog.oldest_held_ms)).toBe(300)
  expect(backlog.hold_used).toBeCloseTo(0.75, 1)
})

it('does not call due what a freeze keeps, and counts the freezes', async () => {
  expect(seconds((await measured()).oldest_due_ms)).toBe(30)
  await freeze('f1', { system: 'another' })
  expect(seconds((await measured()).oldest_due_ms)).toBe(30)
  await freeze('f2', { system: 'crm', operation: 'read' })
  expect(await measured()).toMatchObject({ oldest_due_ms: 0, due: 1, freezes: 2 })
  await asSuperuser(database, `delete from action_gate.freezes where freeze_id = 'f2'`)
  await freeze('f3', {})
  expect(await measured()).toMatchObject({ oldest_due_ms: 0, freezes: 2 })
})

it('counts the workers that were seen a moment ago', async () => {
  await store.write('all', writer => markWorker(writer, 'wrk_now', '{}'))
  await asSuperuser(
    database,
    `insert into action_gate.workers (worker_id, seen_at) values ('wrk_gone', now() - interval '2 minutes')`,
  )
  expect((await measured()).workers).toBe(1)
})

describe('behind many jobs that a freeze of an operation keeps', () => {
  const oldest = async () => seconds((await measured()).oldest_due_ms)
  const sql = (text: string) => asSuperuser(database, text)
  const claimsLookToEnd = async () => {
    for (let more = true; more; ) ({ more } = await lookedAt(store, null))
  }
  let free: string

  beforeAll(async () => {
    await sql('delete from action_gate.freezes')
    await sql(`update action_gate.execution_jobs set state = 'done' where state = 'pending'`)
    const openings = Array.from({ length: 1_400 }, () => opening())
    await inserted(store, openings)
    free = await stored(store)
    await sql(`update action_gate.actions set operation = 'write' where action_id = '${free}'`)
    await dueSince(
      openings.map(({ action_id }) => action_id),
      '900 seconds',
    )
    await dueSince([free], '300 seconds')
    await freeze('f4', { operation: 'read' })
  })

  it('the oldest that may run counts as some, while claims have not looked that far', async () => {
    expect(await oldest()).toBe(900)
    await lookedAt(store, null)
    expect(await oldest()).toBe(300)
  })

  it('it is found as soon as they have, and so it is while they look anew', async () => {
    await claimsLookToEnd()
    expect(await oldest()).toBe(300)
    await sql(`update action_gate.scan_cursors set looked_at = now() - interval '61 seconds'`)
    expect(await oldest()).toBe(300)
    expect(await lookedAt(store, null)).toMatchObject({ ids: [], more: true })
    expect(await oldest()).toBe(300)
  })

  it('none is due where all are kept, whether or not claims look anew', async () => {
    await dueSince([free], '-1 hour')
    await claimsLookToEnd()
    expect(await oldest()).toBe(0)
    await sql(`update action_gate.scan_cursors set looked_at = now() - interval '61 seconds'`)
    await lookedAt(store, null)
    expect(await oldest()).toBe(0)
  })

  it('others are looked at from the beginning when the freeze is another', async () => {
    await dueSince([free], '300 seconds')
    await claimsLookToEnd()
    expect(await oldest()).toBe(300)
    await sql(`update action_gate.freezes set freeze_id = 'f5' where freeze_id = 'f4'`)
    expect(await oldest()).toBe(900)
    await claimsLookToEnd()
    expect(await oldest()).toBe(300)
  })
})
