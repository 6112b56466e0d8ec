import { expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { startService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

it('a worker does not wait for a look-up that hangs, and another makes the round', async () => {
  let asked = 0
  let answers = false
  const ill: Actuator = {
    name: 'ill',
    idempotency: 'none',
    async invoke() {
      throw new Error('hang up')
    },
    async lookup() {
      asked += 1
      return answers ? { found: 'executed', detail: {} } : new Promise(() => undefined)
    },
  }
  const database = await freshDatabase()
  const env = {
    SERVICE_EXECUTION_MS_MAX: '8000',
    SERVICE_LEASE_MS: '1000',
    SERVICE_SHUTDOWN_MS_MAX: '200',
    SERVICE_RECONCILE_MS_MIN: '10',
    SERVICE_SWEEP_MS: '50',
    SERVICE_ATTEMPTS_MAX: '1',
  }
  const service = await startService({ database, modules: [ill], env })
  const tenant = await service.tenant({
    policy: { ...plainPolicy, allowed_systems: ['ill'] },
    actuators: [{ name: 'ill', kind: 'module', settings: {} }],
  })
  const submitted = await Promise.all(
    Array.from({ length: 6 }, () => tenant.submit({ system: 'ill' }, { prefer: 'wait=0' })),
  )
  await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(0)
  const begun = performance.now()
  await service.close()
  expect(performance.now() - begun).toBeLessThan(3_000)
  expect(asked, 'of the six that are due, none beside the two at once was begun').toBeLessThan(3)

  answers = true
  const next = await startService({ database, modules: [ill], env })
  const rounds = await asReader<{ rounds: number }>(
    next.context.store,
    "select max(rounds)::int4 as rounds from execution_jobs where state = 'unknown'",
  )
  expect(rounds, 'what was not answered is no round').toEqual([{ rounds: 0 }])
  for (const { body } of submitted) {
    const path = `/v1/actions/${body.action_id}`
    const status = async () =>
      (await next.call<{ status: string }>('GET', path, { key: tenant.agent })).body.status
    await expect.poll(status, { timeout: 15_000 }).toBe('executed')
  }
  await next.close()
  await database.drop()
})
