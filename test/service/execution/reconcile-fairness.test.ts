import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import { insertLateResult } from '../../../shared/store/job/reconcile-attempts.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

const asked: string[] = []
const lost = async () => {
  throw new Error('hang up')
}
const ill: Actuator = {
  name: 'ill',
  idempotency: 'none',
  invoke: lost,
  lookup({ action_id }) {
    asked.push(action_id)
    return new Promise(() => undefined)
  },
}
const well: Actuator = {
  name: 'well',
  idempotency: 'none',
  invoke: lost,
  lookup: async () => ({ found: 'executed', detail: {} }),
}
const keyed: Actuator = {
  name: 'keyed',
  idempotency: 'key_honoured',
  key_retention_ms: 60_000,
  async invoke({ attempt }) {
    return attempt > 1 ? { class: 'ok', detail: {} } : lost()
  },
}

let service: TestService
let other: TestTenant
let hanging: TestTenant

beforeAll(async () => {
  service = await startService({
    modules: [ill, well, keyed],
    env: {
      SERVICE_EXECUTION_MS_MAX: '60000',
      SERVICE_LEASE_MS: '5000',
      SERVICE_RECONCILE_MS_MIN: '200',
      SERVICE_SWEEP_MS: '100',
      SERVICE_ATTEMPTS_MAX: '1',
    },
  })
  hanging = await makeTenant()
  other = await makeTenant()
  await Promise.all(
    Array.from({ length: 160 }, () => hanging.submit({ system: 'ill' }, { prefer: 'wait=0' })),
  )
  await vi.waitUntil(() => asked.length > 0, { timeout: 10_000 })
})

afterAll(() => service.close())

function makeTenant(): Promise<TestTenant> {
  const systems = ['ill', 'well', 'keyed']
  return service.tenant({
    policy: { ...plainPolicy, allowed_systems: systems },
    actuators: systems.map(name => ({ name, kind: 'module', settings: {} })),
  })
}

const executed = (tenant: TestTenant, id: string) =>
  expect.poll(async () => (await tenant.trace(id)).status, { timeout: 8_000 }).toBe('executed')

it.each(['well', 'keyed'])('160 look-ups that hang do not delay what is %s, of any tenant', async system => {
  for (const tenant of [other, hanging]) {
    const { body } = await tenant.submit({ system }, { prefer: 'wait=0' })
    await executed(tenant, body.action_id)
  }
  expect(asked.length, 'no further one was begun').toBeLessThanOrEqual(2)
})

it('a result that is in hand settles beside them', async () => {
  const oldest = `
    select action_id from execution_jobs
    where tenant_id = '${hanging.id}' and state = 'unknown' and next_run_at <= now() order by next_run_at limit 1`
  const [row] = await asReader<{ action_id: string }>(service.context.store, oldest)
  const id = row?.action_id ?? ''
  expect(asked).not.toContain(id)
  const late = { action_id: id, tenant_id: hanging.id, token: 1, worker: 'wrk_late', detail: { ref: 1 } }
  await service.context.store.write([hanging.id], writer => insertLateResult(writer, late))
  await executed(hanging, id)
  expect((await hanging.trace(id)).events.at(-1)?.body).toMatchObject({ source: 'late_result' })
})
