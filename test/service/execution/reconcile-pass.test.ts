import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import { openRegistry } from '../../../shared/flow/execution/mark-worker.ts'
import { createReconciler } from '../../../worker/reconciler.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

const keyed: Actuator = {
  name: 'keyed',
  idempotency: 'key_honoured',
  async invoke({ attempt }) {
    if (attempt > 1) return { class: 'ok', detail: {} }
    throw new Error('hang up')
  },
}
/** More than are made at once. */
const count = 12

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  // The worker's own passes are an hour apart.
  service = await startService({
    modules: [keyed],
    env: { SERVICE_RECONCILE_MS_MIN: '1', SERVICE_SWEEP_MS: '3600000', SERVICE_ATTEMPTS_MAX: '1' },
  })
  tenant = await service.tenant({
    policy: { ...plainPolicy, allowed_systems: ['keyed'] },
    actuators: [{ name: 'keyed', kind: 'module', settings: {} }],
  })
})
afterAll(() => service.close())

const unknown = async (): Promise<number> => {
  const due = "select 1 from execution_jobs where state = 'unknown' and next_run_at <= now()"
  return (await asReader(service.context.store, due)).length
}

it('one pass makes every round that takes no look-up, however many there are', async () => {
  for (let n = 0; n < count; n += 1) await tenant.submit({ system: 'keyed' }, { prefer: 'wait=0' })
  await expect.poll(unknown, { timeout: 20_000 }).toBe(count)
  const { registry } = openRegistry(service.context, { modules: [keyed], secrets: new Map() })
  const reconciler = createReconciler(service.context, { id: 'wrk_test', kind: 'worker' }, registry)
  await reconciler.pass()
  const left = "select action_id from execution_jobs where state = 'unknown'"
  expect(await asReader(service.context.store, left)).toEqual([])
})
