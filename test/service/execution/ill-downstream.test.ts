import { expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import { createRegistry } from '../../../shared/actuator/registry.ts'
import { createReconciler } from '../../../worker/reconciler.ts'
import { surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService } from '../../support/service/service.ts'

it('a downstream that answers no look-up is asked few times in a pass, not by all', async () => {
  let asked = 0
  const ill: Actuator = {
    name: 'ill',
    idempotency: 'none',
    invoke: async () => ({ class: 'unknown', code: 'cut', message: '' }),
    async lookup() {
      asked += 1
      throw new Error('it is ill')
    },
  }
  const service = await startService({
    modules: [ill],
    env: { SERVICE_SWEEP_MS: '600000', SERVICE_RECONCILE_MS_MIN: '1' },
  })
  try {
    const tenant = await service.tenant({
      policy: { allowed_systems: ['ill'], approval_required_at: 'high', review_route: 'leads' },
      actuators: [{ name: 'ill', kind: 'module', settings: {} }],
    })
    const submitted = await Promise.all(
      Array.from({ length: 16 }, () => tenant.submit({ system: 'ill' }, { prefer: 'wait=10' })),
    )
    expect(new Set(submitted.map(({ body }) => body.action_status))).toEqual(new Set(['outcome_unknown']))
    const unasked = async () => {
      const [row] = await asReader<{ jobs: number }>(
        service.context.store,
        "select count(*)::int as jobs from execution_jobs where state = 'unknown' and rounds = 0",
      )
      return row?.jobs ?? 0
    }
    const registry = createRegistry(surroundings({ modules: [ill] }))
    const reconciler = createReconciler(service.context, { id: 'wrk_test', kind: 'worker' }, registry)
    await reconciler.pass()
    await reconciler.ended()
    expect(asked).toBeGreaterThanOrEqual(3)
    expect(asked).toBeLessThanOrEqual(4)
    expect(await unasked()).toBe(16 - asked)
  } finally {
    await service.close()
  }
})
