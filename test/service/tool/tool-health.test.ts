import { afterAll, beforeAll, expect, it } from 'vitest'
import { limits } from '../../../shared/contract/base/limits.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ToolHealth } from '../../../shared/contract/configuration/tool-health-schema.ts'
import { actionIdsFrom } from '../../../shared/runtime/ids.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let shop: Downstream
const slowMs = 1_500

/** What the shop answers is what is asked for; `slow` answers later. */
beforeAll(async () => {
  shop = await startDownstream(({ url }, response) => {
    const answer = () => response.writeHead(Number(url.slice(1)) || 200).end('{}')
    if (url === '/slow') setTimeout(answer, slowMs)
    else answer()
  })
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_EGRESS_ALLOW: '127.0.0.1' },
  })
})

afterAll(async () => {
  await service.close()
  await shop.close()
})

function registered(): RegisteredActuator[] {
  const operations = Object.fromEntries(
    ['200', '422', '500', 'slow'].map(name => [name, { method: 'POST' as const, path: `/${name}` }]),
  )
  return [
    { name: 'shop', kind: 'http', settings: { base_url: shop.url, operations } },
    { name: 'crm', kind: 'mock', settings: {} },
  ]
}

const policy = { ...plainPolicy, allowed_systems: ['shop', 'crm'] }

async function healthOf({ id }: { id: string }, system = 'shop'): Promise<ToolHealth> {
  const path = `/v1/tenants/${id}/tools/${system}/health`
  const { status, body } = await service.call<ToolHealth>('GET', path, { admin: service.admin })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

async function called(tenant: TestTenant, operations: readonly string[], system = 'shop'): Promise<void> {
  for (const operation of operations) {
    const { body } = await tenant.submit({ system, operation, parameters: {} })
    await tenant.settled(body.action_id)
  }
}

it('counts what ended by operation, tells failures by code and how long calls took', async () => {
  const tenant = await service.tenant({ policy, actuators: registered() })
  await called(tenant, ['200', '200', 'slow', '422', '500'])
  await called(tenant, ['read'], 'crm')
  const health = await healthOf(tenant)
  expect(health).toMatchObject({ system: 'shop', cut: false, executed: 3, failed: 1, unknown: 1 })
  expect(health.operations.map(({ latency: _, ...counts }) => counts)).toEqual([
    { operation: '200', executed: 2, failed: 0, unknown: 0 },
    { operation: '422', executed: 0, failed: 1, unknown: 0 },
    { operation: '500', executed: 0, failed: 0, unknown: 1 },
    { operation: 'slow', executed: 1, failed: 0, unknown: 0 },
  ])
  expect(health.failures).toEqual([
    { operation: '422', code: 'http_422', outcome: 'failed', count: 1 },
    { operation: '500', code: 'http_500', outcome: 'unknown', count: 1 },
  ])
  const slow = health.operations.find(({ operation }) => operation === 'slow')?.latency
  expect(slow?.calls).toBe(1)
  expect(slow?.p50_ms).toBeGreaterThanOrEqual(slowMs)
  expect(health.latency).toMatchObject({ calls: 5, p95_ms: slow?.p95_ms })
  expect(health.latency?.p50_ms).toBeLessThan(slowMs)
  const sum = (of: 'executed' | 'failed' | 'unknown') =>
    health.hours.reduce((count, hour) => count + hour[of], 0)
  expect([sum('executed'), sum('failed'), sum('unknown')]).toEqual([3, 1, 1])
  expect(Date.parse(health.until) - Date.parse(health.since)).toBeGreaterThanOrEqual(86_399_000)
})

it('tells why jobs wait that are not called yet', async () => {
  const [crm] = registered().slice(1)
  const lacking = { name: 'shop', kind: 'module', settings: {} } as RegisteredActuator
  const tenant = await service.tenant({ policy, actuators: [lacking, crm as RegisteredActuator] })
  await service.call('POST', '/v1/actions', {
    key: tenant.agent,
    json: proposal({ system: 'shop' }),
    headers: { prefer: 'wait=0' },
  })
  await expect
    .poll(async () => (await healthOf(tenant)).waiting, { timeout: 20_000 })
    .toEqual([{ code: 'actuator_not_available', count: 1 }])
})

it('an owner reads the health of an own tool, and of nobody else’s', async () => {
  const owner: TestOwner = await signUp(service.call)
  const mine = owner.signed_up.tenant.tenant_id
  const { body: listed } = await owner.browser.call<{ tools: { system: string }[] }>(
    'GET',
    owner.path('/tools'),
  )
  const [tool] = listed.tools
  const read = (path: string) => owner.browser.call<ToolHealth>('GET', path)
  const { status, body } = await read(owner.path(`/tools/${tool?.system}/health`))
  expect({ status, system: body.system, latency: body.latency }).toEqual({
    status: 200,
    system: tool?.system,
    latency: null,
  })
  const other = await signUp(service.call)
  expect(other.tenant_id).not.toBe(mine)
  expect((await read(other.path(`/tools/${tool?.system}/health`))).status).toBe(404)
})

it('counts the newest actions up to a bound, and says from when on', async () => {
  const tenant = await service.tenant({ policy, actuators: registered() })
  await called(tenant, ['200'])
  const now = Date.now()
  const many = limits.health_actions_max + 500
  const id = (msAgo: number) => actionIdsFrom(new Date(now - msAgo))
  // One of two days ago, and one a second for the last hours: the newest ones are those that count.
  const rows = (prefix: string, count: number, atSql: string) => `
    insert into action_gate.actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id,
      status, event_count, leaf_hashes, audit_root, created_at, updated_at)
    select ${prefix}, '${tenant.id}', ${prefix}, '', 'shop', 'planted', 'agk_1', 'executed', 1, sha256(''), sha256(''),
      ${atSql}, ${atSql}
    from generate_series(1, ${count}) n`
  await asSuperuser(
    service.database,
    'set session_replication_role = replica',
    rows(`'${id(2 * 86_400_000)}old' || n`, 1, `now() - interval '2 days'`),
    rows(`'${id(3_600_000 * 8)}' || lpad(n::text, 8, '0')`, many, `now() - interval '8 hours'`),
  )
  const health = await healthOf(tenant)
  expect(health.cut).toBe(true)
  expect(health.executed).toBe(limits.health_actions_max)
  expect(Math.round((now - Date.parse(health.since)) / 3_600_000)).toBe(8)
  expect(health.latency?.calls).toBe(1)
  const other = await healthOf(tenant, 'crm')
  expect({ cut: other.cut, executed: other.executed }).toEqual({ cut: true, executed: 0 })
})
