import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HeldAction, Trace } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Where the held action is to go, and where an attacker sends it. */
let shop: Downstream
let elsewhere: Downstream
let service: TestService
let tenant: TestTenant
/** What happens at the shop before it answers, and the status that it answers with. */
let onCall: () => Promise<number>

const secret = 'a-secret-that-nobody-may-read'

beforeAll(async () => {
  shop = await startDownstream((_, response) => {
    void onCall().then(status => response.writeHead(status).end('{"id":7}'))
  })
  elsewhere = await startDownstream((_, response) => response.writeHead(200).end('{}'))
  service = await startService({
    env: {
      ACTUATOR_SHOP: secret,
      ACTUATOR_OTHER: 'another-secret-of-the-worker',
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_RETRY_MS_MIN: '10',
    },
  })
})

afterAll(async () => {
  await Promise.all([service.close(), shop.close(), elsewhere.close()])
})

beforeEach(async () => {
  shop.seen.length = 0
  elsewhere.seen.length = 0
  onCall = async () => 200
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'medium', review_route: 'leads' },
    actuators: [http(refunds())],
  })
})

const operation = {
  method: 'POST',
  path: '/orders/{parameters.order}/refunds',
  query: { reason: '{parameters.reason}' },
  headers: { 'X-Account': 'acme', 'X-Token': { env: 'ACTUATOR_SHOP' }, 'X-Api-Key': 'written-as-it-is' },
  body: { amount: '{parameters.amount}', key: '{idempotency_key}', until: '{not_after}' },
} as const
type Refund = HttpSettings['operations'][string]

function refunds(change: Partial<Refund> = {}, more: Partial<HttpSettings> = {}): HttpSettings {
  return {
    base_url: `${shop.url}/v1`,
    auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP' } },
    operations: { refund: { ...operation, statuses: { busy: [503] }, ...change } },
    ...more,
  } as HttpSettings
}

function http(settings: HttpSettings): RegisteredActuator {
  return { name: 'shop', kind: 'http', settings }
}

function mcp(tool: string, url: string): RegisteredActuator {
  const tools = { refund: { tool, tool_schema_hash: `sha256:${'0'.repeat(64)}` } }
  return { name: 'shop', kind: 'mcp', settings: { transport: { type: 'streamable_http', url }, tools } }
}

async function register(actuator: RegisteredActuator): Promise<void> {
  const path = `/v1/tenants/${tenant.id}/actuators`
  const { status } = await service.call('PUT', path, {
    admin: service.admin,
    json: { actuators: [actuator] },
  })
  expect(status).toBe(200)
}

async function hold(): Promise<HeldAction> {
  const parameters = { order: 'o 1/2', reason: 'broken & late', amount: 4500 }
  const { body } = await tenant.submit({ system: 'shop', operation: 'refund', risk: 'high', parameters })
  const { body: page } = await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', {
    key: tenant.approver,
  })
  const held = page.approvals.find(({ action_id }) => action_id === body.action_id)
  if (!held) throw new Error('the action is not held')
  return held
}

function said({ events }: Trace, kind: string): Record<string, unknown> {
  return { ...events.findLast(event => event.kind === kind)?.body }
}

describe('what is shown to an approver', () => {
  it('is what is sent, byte for byte, without secrets', async () => {
    const { action_id, verdict } = await hold()
    const { request, request_hash } = verdict
    expect(request).toEqual({
      kind: 'http',
      method: 'POST',
      url: `${shop.url}/v1/orders/o%201%2F2/refunds?reason=broken+%26+late`,
      headers: {
        'x-account': 'acme',
        'x-api-key': { hidden: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
        'x-token': { env: 'ACTUATOR_SHOP' },
      },
      auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP' } },
      body: { amount: 4500, key: expect.any(String), until: '{not_after}' },
      each_attempt: ['{not_after}'],
    })
    expect(JSON.stringify(verdict)).not.toMatch(new RegExp(`${secret}|written-as-it-is`))

    const { body } = await tenant.approve(action_id, { request_hash })
    expect(body.action_status).toBe('executed')
    const [call] = shop.seen
    expect(call).toMatchObject({
      method: 'POST',
      url: '/v1/orders/o%201%2F2/refunds?reason=broken+%26+late',
      headers: { 'x-account': 'acme', 'x-token': secret, authorization: `Bearer ${secret}` },
    })
    const trace = await tenant.trace(action_id)
    const { not_after: until, idempotency_key: key } = said(trace, 'execution_attempt')
    expect(JSON.parse(call?.body ?? '')).toEqual({ amount: 4500, key, until })
    expect(request).toMatchObject({ body: { key } })
  })

  it('is named by the approval, by each attempt and in the audit export', async () => {
    const { action_id, verdict } = await hold()
    await tenant.approve(action_id, { request_hash: verdict.request_hash })
    const trace = await tenant.trace(action_id)
    for (const kind of ['verdict', 'approval', 'execution_attempt'])
      expect(said(trace, kind).request_hash, kind).toBe(verdict.request_hash)
    expect(verdict.request_hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('is not rendered for what the policy allows', async () => {
    const { body } = await tenant.submit({ system: 'shop', operation: 'refund', parameters: { order: '1' } })
    expect((await tenant.trace(body.action_id)).verdict).not.toHaveProperty('request')
  })

  it('tells why nothing can be sent, and then nothing is', async () => {
    await register(http(refunds({ path: '/orders/{parameters.missing}' })))
    const { action_id, verdict } = await hold()
    expect(verdict.request).toMatchObject({ kind: 'none', code: 'request_not_renderable' })
    await tenant.approve(action_id, { request_hash: verdict.request_hash })
    const trace = await tenant.settled(action_id)
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { attempt: 0, error: { code: 'request_not_renderable' } },
    })
    expect(shop.seen).toEqual([])
  })
})

describe('an approval that names another request', () => {
  it('is refused with 409 and changes nothing', async () => {
    const { action_id } = await hold()
    const request_hash = `sha256:${'0'.repeat(64)}`
    const { status, body } = await tenant.approve(action_id, { request_hash })
    expect([status, (body as unknown as Problem).code]).toEqual([409, 'request_mismatch'])
    expect((await tenant.trace(action_id)).status).toBe('pending_approval')
  })
})

/** Registrations under which another request would be sent than the one that was approved. */
const swaps: [string, () => RegisteredActuator][] = [
  ['another server', () => http(refunds({}, { base_url: `${elsewhere.url}/v1` }))],
  ['another server and DELETE', () => http(refunds({ method: 'DELETE' }, { base_url: elsewhere.url }))],
  ['another method', () => http(refunds({ method: 'PUT' }))],
  ['another path', () => http(refunds({ path: '/orders/{parameters.order}/gifts' }))],
  ['another query', () => http(refunds({ query: { reason: '{parameters.order}' } }))],
  ['another body', () => http(refunds({ body: { ...operation.body, amount: 9_999_999 } }))],
  ['a header that overrides the method', () => http(refunds({}, { headers: { 'X-HTTP-Method': 'DELETE' } }))],
  ['another value under a credential', () => swapHeader({ 'X-Api-Key': 'another' })],
  [
    'another credential',
    () => http(refunds({}, { auth: { type: 'bearer', token: { env: 'ACTUATOR_OTHER' } } })),
  ],
  ['another secret in a header', () => swapHeader({ 'X-Token': { env: 'ACTUATOR_OTHER' } })],
  [
    'a time where its text was approved',
    () => http(refunds({ body: { ...operation.body, key: '{not_after}' } })),
  ],
]

function swapHeader(headers: NonNullable<Refund['headers']>): RegisteredActuator {
  return http(refunds({ headers: { ...operation.headers, ...headers } }))
}

describe('a registration that was replaced while the action was held', () => {
  it.each(swaps)('%s ends the approved action before any call', async (_, swapped) => {
    const { action_id, verdict } = await hold()
    await register(swapped())
    const { proposal_hash, request_hash } = verdict
    await tenant.approve(action_id, { proposal_hash, request_hash })
    const trace = await tenant.settled(action_id)
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { outcome: 'failed', attempt: 0, error: { code: 'request_changed' } },
    })
    expect([shop.seen, elsewhere.seen]).toEqual([[], []])
  })

  it('does no harm once it is put back, nor where only timeouts differ', async () => {
    const { action_id } = await hold()
    await register(http(refunds({ method: 'DELETE' })))
    await register(http(refunds({}, { timeout_ms: 4_000, idempotency_header: 'X-Request-Id' })))
    await tenant.approve(action_id)
    expect((await tenant.settled(action_id)).status).toBe('executed')
  })

  it('between two attempts ends it before the second call', async () => {
    const { action_id } = await hold()
    onCall = async () => {
      await register(http(refunds({ method: 'DELETE' })))
      return 503
    }
    await tenant.approve(action_id)
    const trace = await tenant.settled(action_id)
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'request_changed' } },
    })
    expect(shop.seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it.each([
    ['another tool', () => mcp('delete_account', `${shop.url}/mcp`)],
    ['another server', () => mcp('refund', `${elsewhere.url}/mcp`)],
  ])('%s of MCP ends the approved action before any call', async (_, swapped) => {
    await register(mcp('refund', `${shop.url}/mcp`))
    const { action_id, verdict } = await hold()
    expect(verdict.request).toMatchObject({
      kind: 'mcp',
      tool: 'refund',
      arguments: { amount: 4500 },
      server: { url: `${shop.url}/mcp` },
    })
    await register(swapped())
    await tenant.approve(action_id, { request_hash: verdict.request_hash })
    const trace = await tenant.settled(action_id)
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'request_changed' } },
    })
    expect([shop.seen, elsewhere.seen]).toEqual([[], []])
  })
})
