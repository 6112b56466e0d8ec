import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { ToolTested } from '../../../shared/contract/configuration/tool-import.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

const token = 'token-of-the-shop'
let service: TestService
let tenant: TestTenant
let downstream: Downstream
let answer: { status: number; body: string }

const actuator = (base_url: string): RegisteredActuator => ({
  name: 'shop',
  kind: 'http',
  settings: {
    base_url,
    timeout_ms: 500,
    auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
    operations: {
      read: { method: 'GET', path: '/orders/{parameters.id}' },
      order: { method: 'POST', path: '/orders' },
    },
  },
})

const entry = (operation: string, effects: string[]): CatalogOperation => ({
  system: 'shop',
  operation,
  title: operation,
  parameter_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { id: { type: 'string', maxLength: 10 } },
  },
  minimum_risk: 'low',
  effects,
  reversibility: 'reversible',
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none',
  tool_schema_hash: null,
})

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => {
    response.writeHead(answer.status, { 'x-token': token }).end(answer.body)
  })
  service = await startService({
    env: { SERVICE_EGRESS_ALLOW: '127.0.0.1', ACTUATOR_SHOP_TOKEN: token },
  })
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
  const operations = [entry('read', ['reads data']), entry('order', ['moves money'])]
  const json = { actuator: actuator(downstream.url), operations }
  const put = await service.call('PUT', `/v1/tenants/${tenant.id}/tools/shop`, { admin: service.admin, json })
  expect(put.status).toBe(200)
})

beforeEach(() => {
  answer = { status: 200, body: `{"id":7,"token":"${token}"}` }
  downstream.seen.length = 0
})

afterAll(async () => {
  await service.close()
  await downstream.close()
})

async function tried(operation: string, more: object = {}, system = 'shop') {
  const path = `/v1/tenants/${tenant.id}/tools/${system}/test`
  const json = { operation, parameters: { id: 'a/b' }, ...more }
  return (await service.call<ToolTested & Problem>('POST', path, { admin: service.admin, json })).body
}

const recorded = () =>
  asReader<{ payload: string }>(
    service.context.store,
    `select convert_from(payload, 'UTF8') as payload from config_payloads join config_events using (tenant_id, sequence)
     where tenant_id = '${tenant.id}' and kind = 'tool_tested' order by sequence`,
  )

describe('a test call', () => {
  it('shows request and answer without secrets, recorded before and after', async () => {
    const before = (await recorded()).length
    const tested = await tried('read')
    expect(tested).toMatchObject({
      request: { kind: 'http', method: 'GET', url: `${downstream.url}/orders/a%2Fb` },
      sent: 'called',
      verdict: { outcome: 'executed' },
      answer: {
        status: 200,
        headers: { 'x-token': '[redacted]' },
        body: { id: 7, token: '[redacted]' },
        truncated: false,
      },
    })
    expect(downstream.seen).toMatchObject([
      { headers: { authorization: `Bearer ${token}`, 'idempotency-key': tested.test_id } },
    ])
    const events = (await recorded()).slice(before).map(({ payload }) => JSON.parse(payload))
    expect(events).toMatchObject([
      { test_id: tested.test_id, phase: 'called', operation: 'read', confirmed: false },
      { test_id: tested.test_id, phase: 'answered', outcome: 'executed' },
    ])
    expect(JSON.stringify(tested) + JSON.stringify(events)).not.toContain(token)
  })

  it('is never an action', async () => {
    await tried('read')
    const { body } = await service.call<{ actions: object[] }>('GET', '/v1/actions', { key: tenant.agent })
    expect(body.actions).toEqual([])
  })

  it('of what may change something is sent once it is confirmed, and rendered before', async () => {
    const shown = await tried('order')
    expect(shown).toMatchObject({
      test_id: null,
      sent: 'not_confirmed',
      request: { method: 'POST', body: { id: 'a/b' } },
      verdict: null,
      answer: null,
    })
    expect(downstream.seen).toEqual([])
    expect(await tried('order', { confirm: true })).toMatchObject({ sent: 'called' })
    expect(downstream.seen).toHaveLength(1)
  })

  it.each<[string, Partial<typeof answer>, string, string]>([
    ['a refusal', { status: 422, body: '{"why":"no"}' }, 'failed', 'http_422'],
    ['a failure of a read', { status: 500, body: 'x' }, 'failed', 'http_500'],
    ['a read whose body is no JSON', { body: '<html>' }, 'failed', 'response'],
    ['a busy downstream', { status: 429 }, 'busy', 'http_429'],
  ])('is judged as an action would be: %s', async (_what, given, status, code) => {
    answer = { ...answer, ...given }
    const tested = await tried('read')
    expect(tested.verdict?.outcome).toBe(status)
    expect(`${tested.verdict?.rule} ${tested.verdict?.message}`).toContain(code.replace(/^http_/, ''))
    expect(tested.answer?.status).toBe(given.status ?? 200)
  })

  it('of what may have changed something is unknown where its answer does not say', async () => {
    answer = { ...answer, status: 500, body: 'x' }
    expect((await tried('order', { confirm: true })).verdict?.outcome).toBe('unknown')
  })

  it('bounds an answer, and shows what is no JSON as text', async () => {
    answer = { status: 500, body: `${token}\u0007${'x'.repeat(65_000)}` }
    const { answer: shown } = await tried('read')
    expect(String(shown?.body).slice(0, 12)).toBe('[redacted] x')
    answer = { status: 200, body: JSON.stringify('x'.repeat(70_000)) }
    expect((await tried('read')).answer).toMatchObject({ status: 200, body: '', truncated: true })
    expect((await tried('order', { confirm: true })).answer).toBeNull()
  })

  it('is not sent with parameters outside the schema, nor while it is frozen', async () => {
    expect(await tried('read', { parameters: { id: 'longer than that' } })).toMatchObject({
      sent: 'outside_schema',
      problems: [{ path: 'id', code: 'outside_schema' }],
    })
    const json = { reason: 'of a test', system: 'shop' }
    const path = (verb: string) => `/v1/tenants/${tenant.id}/${verb}`
    await service.call('POST', path('freeze'), { admin: service.admin, json })
    expect(await tried('read')).toMatchObject({ sent: 'frozen', verdict: null })
    await service.call('POST', path('unfreeze'), { admin: service.admin, json })
    expect(downstream.seen).toEqual([])
  })

  it.each([
    ['read', 'nobody'],
    ['nobody', 'shop'],
  ])('of %s of %s is not found', async (operation, system) => {
    expect((await tried(operation, {}, system)).code).toBe('tool_not_found')
  })
})
