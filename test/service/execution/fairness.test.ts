import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Counts the calls under way, by tenant and system; each takes its time. */
function slow(
  name: string,
  tookMs: number,
  underWay: Map<string, number>,
  most: Map<string, number>,
): Actuator {
  return {
    name,
    idempotency: 'none',
    async invoke({ tenant_id, target_system }) {
      const keys = [tenant_id, `${tenant_id} ${target_system}`]
      for (const key of keys) {
        underWay.set(key, (underWay.get(key) ?? 0) + 1)
        most.set(key, Math.max(most.get(key) ?? 0, underWay.get(key) ?? 0))
      }
      await delay(tookMs)
      for (const key of keys) underWay.set(key, (underWay.get(key) ?? 1) - 1)
      return { class: 'ok', detail: {} }
    },
  }
}

const database = await freshDatabase()
const services: TestService[] = []
const most = new Map<string, number>()
const underWay = new Map<string, number>()
const systems = ['one', 'two']
const modules = systems.map(name => slow(name, 20, underWay, most))

afterEach(async () => {
  await Promise.all(services.splice(0).map(service => service.close()))
  most.clear()
})
afterAll(() => database.drop())

async function start(env: Record<string, string>, options: object = {}): Promise<TestService> {
  const service = await startService({ platform: true, database, modules, env, ...options })
  services.push(service)
  return service
}

function makeTenant(service: TestService): Promise<TestTenant> {
  return service.tenant({
    policy: { allowed_systems: systems, approval_required_at: 'high', review_route: 'leads' },
    actuators: systems.map((name): RegisteredActuator => ({ name, kind: 'module', settings: {} })),
  })
}

async function submitMany(tenant: TestTenant, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const group = Array.from({ length: Math.min(100, count - ids.length) }, (_, at) =>
      tenant.submit({ system: systems[at % 2] ?? 'one' }, { prefer: 'wait=0' }),
    )
    ids.push(...(await Promise.all(group)).map(({ body }) => body.action_id))
  }
  return ids
}

async function pending(service: TestService, tenantId: string): Promise<number> {
  const [row] = await service.context.store.read('all', reader =>
    reader.query<{ count: number }>(
      '',
      `select count(*)::int4 as count from execution_jobs where tenant_id = '${tenantId}' and state <> 'done'`,
      [],
    ),
  )
  return row?.count ?? 0
}

describe('the flood of one tenant', () => {
  it('of 10,000 jobs does not hold up the single job of another: it is among the next', async () => {
    const api = await start({}, { worker: null })
    const flood = await makeTenant(api)
    const single = await makeTenant(api)
    await submitMany(flood, 10_000)
    const worker = await start({ SERVICE_WORKER_CONCURRENCY: '20', SERVICE_SWEEP_MS: '500' })
    await expect.poll(() => most.get(flood.id) ?? 0, { timeout: 10_000 }).toBeGreaterThan(0)
    for (let round = 0; round < 5; round += 1) {
      const before = await pending(worker, flood.id)
      const { body } = await single.submit({ system: 'one' }, { prefer: 'wait=0' })
      expect((await single.settled(body.action_id)).status).toBe('executed')
      const served = before - (await pending(worker, flood.id))
      expect(served).toBeLessThan(500)
    }
    expect(await pending(worker, flood.id)).toBeGreaterThan(1_000)
    expect(most.get(flood.id)).toBeLessThanOrEqual(16)
    for (const system of systems) expect(most.get(`${flood.id} ${system}`)).toBeLessThanOrEqual(15)
  }, 60_000)
})

describe.each([
  ['a tenant', { SERVICE_TENANT_IN_FLIGHT_MAX: '3' }, (id: string) => id, 3],
  ['an actuator', { SERVICE_ACTUATOR_IN_FLIGHT_MAX: '2' }, (id: string) => `${id} one`, 2],
] as const)('the calls under way for %s', (_, env, counted, bound) => {
  it('are bounded over all workers, and all are made', async () => {
    const [first] = await Promise.all([start(env), start(env)])
    const tenant = await makeTenant(first as TestService)
    const ids = await submitMany(tenant, 60)
    const traces = await Promise.all(ids.map(id => tenant.settled(id)))
    expect(new Set(traces.map(({ status }) => status))).toEqual(new Set(['executed']))
    expect(most.get(counted(tenant.id))).toBe(bound)
  }, 30_000)
})
