import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Actuator } from '../../shared/actuator/actuator.ts'
import { claimJobs } from '../../shared/flow/execution/claim-jobs.ts'
import { asWriter } from '../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** An API without a worker; every test brings its own. */
let database: FreshDatabase
let api: TestService
let tenant: TestTenant

const env = { SERVICE_LEASE_MS: '1000', SERVICE_SUBMIT_WAIT_MS: '0', SERVICE_RECONCILE_MS_MIN: '60000' }

beforeAll(async () => {
  database = await freshDatabase()
  api = await startService({ platform: true, database, worker: null, env })
  tenant = await api.tenant({
    policy: { allowed_systems: ['bank'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'bank', kind: 'module', settings: {} }],
  })
})

afterAll(async () => {
  await api.close()
  await database.drop()
})

function bank(idempotency: Actuator['idempotency'], calls: string[], play: 'ok' | 'unknown'): Actuator {
  return {
    name: 'bank',
    idempotency,
    async invoke({ action_id }) {
      calls.push(action_id)
      if (play === 'ok') return { class: 'ok', detail: {} }
      return { class: 'unknown', code: 'cut', message: 'the connection broke' }
    },
  }
}

async function withWorker(
  modules: Actuator[],
  more: Record<string, string>,
  work: () => Promise<void>,
): Promise<void> {
  const service = await startService({ platform: true, database, modules, env: { ...env, ...more } })
  try {
    await work()
  } finally {
    await service.close()
  }
}

async function submit(): Promise<string> {
  return (await tenant.submit({ system: 'bank' })).body.action_id
}

const statusOf = async (id: string) => (await tenant.trace(id)).status

it('a job whose ring nobody hears runs all the same', async () => {
  const calls: string[] = []
  const elsewhere = { SERVICE_QUEUE_PREFIX: 'elsewhere' }
  await withWorker([bank('none', calls, 'ok')], elsewhere, async () => {
    const id = await submit()
    await expect.poll(() => statusOf(id), { timeout: 5_000 }).toBe('executed')
  })
})

it('a hold that is over ends in a denial by itself', async () => {
  const id = (await tenant.submit({ system: 'bank', risk: 'high' })).body.action_id
  await asWriter(
    api.context.store,
    `update actions set held_until = clock_timestamp() - interval '1 ms' where action_id = '${id}'`,
  )
  await withWorker([], {}, async () => {
    await expect.poll(() => statusOf(id), { timeout: 5_000 }).toBe('denied')
  })
  expect((await tenant.trace(id)).approval).toMatchObject({
    decision: 'expired',
    principal: { kind: 'system' },
  })
})

it.each([
  ['key_honoured', 'executed', 1],
  ['none', 'outcome_unknown', 0],
] as const)(
  'the job of a worker that died in a call, key: %s, comes to %s',
  async (key, status, repeated) => {
    const id = await submit()
    const died = {
      worker: { id: 'wrk_dead', kind: 'worker' },
      registry: () => bank(key, [], 'ok'),
      limit: 1,
      after: '',
      since: null,
      shares: { tenant: 1, system: 1 },
      taken: new Map(),
    } as const
    expect((await claimJobs(api.context, died)).jobs).toHaveLength(1)
    const calls: string[] = []
    await withWorker([bank(key, calls, 'ok')], {}, async () => {
      await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe(status)
      expect(calls).toEqual(Array.from({ length: repeated }, () => id))
    })
  },
)

it('a worker whose actuator no longer honours the key repeats no possible effect', async () => {
  const before: string[] = []
  const after: string[] = []
  let id = ''
  await withWorker(
    [bank('key_honoured', before, 'unknown')],
    { SERVICE_RETRY_MS_MIN: '2000', SERVICE_RETRY_MS_MAX: '2000' },
    async () => {
      id = await submit()
      await expect.poll(async () => (await tenant.trace(id)).execution?.outcome).toBe('retry')
    },
  )
  await withWorker([bank('none', after, 'ok')], {}, async () => {
    await expect.poll(() => statusOf(id), { timeout: 8_000 }).toBe('outcome_unknown')
  })
  expect({ before, after }).toEqual({ before: [id], after: [] })
  expect((await tenant.trace(id)).execution?.error?.code).toBe('repeat_not_safe')
})
