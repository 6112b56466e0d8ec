import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { underAuthor } from '../../shared/flow/core/hold-author.ts'
import { asReader, asWriter } from '../support/fixtures/ad-hoc.ts'
import { plantKey } from '../support/service/plant-key.ts'
import { startService, type TestService } from '../support/service/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ worker: null })
})

afterAll(() => service.close())

it('two changes that deadlock are both done', async () => {
  const { store } = service.context
  const times = { first: 0, second: 0 }
  const taken = new Set<string>()
  let met = () => {}
  const both = new Promise<void>(resolve => (met = resolve))
  const change = (name: keyof typeof times, [one, other]: [number, number]) =>
    store.change([], async query => {
      times[name] += 1
      await query.execute(sql`select pg_advisory_xact_lock(${one}::int8)`)
      taken.add(name)
      if (taken.size === 2) met()
      await both
      await query.execute(sql`select pg_advisory_xact_lock(${other}::int8)`)
      return name
    })
  const done = await Promise.allSettled([change('first', [71, 72]), change('second', [72, 71])])
  expect(done).toEqual([
    { status: 'fulfilled', value: 'first' },
    { status: 'fulfilled', value: 'second' },
  ])
  expect(times.first + times.second).toBe(3)
})

it('a key is revoked after the change that holds it, not during it', async () => {
  const { context } = service
  const { key } = await plantKey(context, { name: 'held', scope: 'admin', tenant_id: null, expires_at: null })
  const order: string[] = []
  const held = underAuthor(context, { key_id: key.key_id })
  let revoking: Promise<unknown> = Promise.resolve()
  await held.store.change([], async () => {
    revoking = asWriter(
      context.store,
      `update api_keys set revoked_at = now() where key_id = '${key.key_id}'`,
    ).then(() => order.push('revoked'))
    await expect.poll(() => Promise.race([waiting(service), revoking.then(() => 1)])).toBe(1)
    order.push('changed')
  })
  await revoking
  expect(order).toEqual(['changed', 'revoked'])
})

/** How many statements wait for a lock. */
async function waiting({ context }: TestService): Promise<number> {
  const text = 'select count(*)::int4 as count from pg_locks where not granted'
  const [row] = await asReader<{ count: number }>(context.store, text)
  return row?.count ?? 0
}
