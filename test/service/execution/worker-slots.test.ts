import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { MockSettings } from '../../../shared/contract/configuration/actuator-schema.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TenantTraits, type TestTenant } from '../../support/service/tenant.ts'

const database = await freshDatabase()
const services: TestService[] = []

afterEach(async () => {
  await Promise.all(services.splice(0).map(service => service.close()))
})
afterAll(() => database.drop())

async function start(options: object): Promise<TestService> {
  const service = await startService({ platform: true, database, ...options })
  services.push(service)
  return service
}

it('a call that answered leaves its slot to another while its outcome is recorded', async () => {
  const env = { SERVICE_WORKER_CONCURRENCY: '1', SERVICE_FAILPOINT: 'call_answered:stall=5000' }
  const service = await start({ env })
  const tenant = await service.tenant()
  const slow = await tenant.submit({}, { prefer: 'wait=0' })
  const next = await tenant.submit({}, { prefer: 'wait=0' })
  expect((await tenant.settled(next.body.action_id)).status).toBe('executed')
  expect((await tenant.trace(slow.body.action_id)).status).toBe('executing')
  expect((await tenant.settled(slow.body.action_id)).status).toBe('executed')
})

it('claims of a backlog of quick calls take each time all that a tenant may have', async () => {
  const api = await start({ worker: null })
  const tenant = await api.tenant(systems({}))
  const ids: string[] = []
  while (ids.length < 1_000) {
    const group = Array.from({ length: 100 }, (_, at) => submitTo(tenant, at))
    ids.push(...(await Promise.all(group)).map(({ body }) => body.action_id))
  }
  await start({ env: { SERVICE_WORKER_CONCURRENCY: '50' } })
  await Promise.all(ids.map(id => tenant.settled(id)))
  const claims = await claimSizes(api, tenant.id)
  expect(claims.reduce((sum, size) => sum + size, 0)).toBe(ids.length)
  expect(Math.max(...claims)).toBe(40)
  expect(ids.length / claims.length).toBeGreaterThan(28)
}, 60_000)

it('jobs that a share keeps run when calls end, though another tenant came between', async () => {
  const service = await start({ env: { SERVICE_WORKER_CONCURRENCY: '10', SERVICE_SWEEP_MS: '60000' } })
  const slow = await service.tenant(systems({ delay_ms: 1_000 }))
  const other = await service.tenant()
  const flood = await Promise.all(Array.from({ length: 20 }, (_, at) => submitTo(slow, at)))
  await expect.poll(async () => (await executing(service, slow.id)) === 8).toBe(true)
  const { body } = await other.submit({}, { prefer: 'wait=0' })
  expect((await other.settled(body.action_id)).status).toBe('executed')
  for (const { body } of flood) expect((await slow.settled(body.action_id)).status).toBe('executed')
})

/** Two systems, as one alone may not fill what its tenant may have. */
function systems(settings: MockSettings): TenantTraits {
  return {
    policy: { ...plainPolicy, allowed_systems: ['crm', 'shop'] },
    actuators: ['crm', 'shop'].map(name => ({ name, kind: 'mock', settings })),
  }
}

function submitTo(tenant: TestTenant, at: number) {
  return tenant.submit({ system: at % 2 === 0 ? 'crm' : 'shop' }, { prefer: 'wait=0' })
}

async function executing({ context }: TestService, tenantId: string): Promise<number> {
  const [row] = await asReader<{ calls: number }>(
    context.store,
    `select count(*)::int4 as calls from actions where tenant_id = '${tenantId}' and status = 'executing'`,
  )
  return row?.calls ?? 0
}

describe('a job that is due longer than anything the last claims saw', () => {
  it('is found by a sweep', async () => {
    const service = await start({ env: { SERVICE_SWEEP_MS: '300' } })
    const tenant = await service.tenant()
    const id = await longDue(service, tenant)
    await expect.poll(async () => (await tenant.trace(id)).status, { timeout: 10_000 }).toBe('executed')
  })

  it('is found after a claim that failed, without a sweep', async () => {
    const env = { SERVICE_SWEEP_MS: '60000', SERVICE_FAILPOINT: 'claim_written:throw' }
    const service = await start({ env })
    const tenant = await service.tenant()
    const id = await longDue(service, tenant)
    const failing = await tenant.submit({}, { prefer: 'wait=0' })
    await expect.poll(() => service.logged()).toContain('claim_written')
    await tenant.submit({}, { prefer: 'wait=0' })
    for (const one of [id, failing.body.action_id])
      expect((await tenant.settled(one)).status).toBe('executed')
  })
})

/** A job that claims have passed before it was due so long: committed late, as it were. */
async function longDue(service: TestService, tenant: TestTenant): Promise<string> {
  const stop = (state: 'pause' | 'resume') =>
    service.call('POST', `/v1/tenants/${tenant.id}/${state}`, {
      admin: service.admin,
      json: { reason: 'the CRM is being moved' },
    })
  await stop('pause')
  const { action_id } = (await tenant.submit({}, { prefer: 'wait=0' })).body
  await asWriter(
    service.context.store,
    `update execution_jobs set next_run_at = now() - interval '1 h' where action_id = '${action_id}'`,
  )
  await stop('resume')
  return action_id
}

/** Jobs of each claim: what one transaction wrote. */
async function claimSizes({ context }: TestService, tenantId: string): Promise<number[]> {
  const rows = await asReader<{ size: number }>(
    context.store,
    `select count(*)::int4 as size from action_events
     where tenant_id = '${tenantId}' and kind = 'execution_attempt' group by xmin`,
  )
  return rows.map(({ size }) => size)
}
