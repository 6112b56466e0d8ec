import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ToolView } from '../../../shared/contract/configuration/tool-import.ts'
import { replaceActuators } from '../../../shared/flow/tenant/actuators.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** What an operator registered with means of the workers, and an owner who would have more of it. */
let service: TestService
let owner: TestOwner
const url = 'https://shop.example'

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
  owner = await signUp(service.call)
})

afterAll(() => service.close())

const shopActuator = (more: object = {}, operations: object = { list: { method: 'GET', path: '/orders' } }) =>
  ({
    name: 'shop',
    kind: 'http',
    settings: {
      base_url: url,
      auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
      operations,
      ...more,
    },
  }) as RegisteredActuator

const toolBody = (actuator: object) => ({ actuator, operations: [] })

async function registered(actuator: RegisteredActuator): Promise<void> {
  const path = `/v1/tenants/${owner.tenant_id}/tools/${actuator.name}`
  const { status } = await service.call('PUT', path, { admin: service.admin, json: toolBody(actuator) })
  expect(status).toBe(200)
}

const put = (actuator: { name: string }) =>
  owner.browser.call<Problem>('PUT', owner.path(`/tools/${actuator.name}`), { json: toolBody(actuator) })

const codes = ({ body }: { body: Problem }) => (body.errors ?? []).map(({ code }) => code)

describe('an owner', () => {
  it('sends no request of their own making with the means of an operator', async () => {
    const list = { method: 'GET', path: '/orders' }
    const order = { method: 'POST', path: '/orders' }
    const both = { list, order }
    const lookup = { method: 'GET', path: '/keys', executed: [200] }
    await registered(shopActuator({ timeout_ms: 5_000, headers: { 'X-Api': '1' } }, both))
    const kept = { timeout_ms: 5_000, headers: { 'X-Api': '1' } }
    const widened: [string, object, object?][] = [
      ['operations.all', kept, { ...both, all: { method: 'GET', path: '/{parameters.path}' } }],
      ['operations.list', kept, { order, list: { ...list, path: '/accounts' } }],
      ['operations.list', kept, { order, list: { ...list, headers: { 'X-Role': 'root' } } }],
      ['headers', { ...kept, headers: { 'X-Api': '2' } }],
      ['headers', { timeout_ms: 5_000 }],
      ['auth', { ...kept, auth: { type: 'header', name: 'X-Key', value: { env: 'ACTUATOR_SHOP_TOKEN' } } }],
      ['auth', { ...kept, auth: { type: 'basic', username: 'me', password: { secret: 'own' } } }],
      ['base_url', { ...kept, base_url: `${url}/admin` }],
      ['idempotency', { ...kept, idempotency: 'key_honoured' }],
      ['idempotency_header', { ...kept, idempotency_header: 'X-Key' }],
      ['lookup', { ...kept, lookup }],
      ['timeout_ms', { ...kept, timeout_ms: 6_000 }],
      ['max_response_bytes', { ...kept, max_response_bytes: 100_000 }],
      ['owner_may_change', { ...kept, owner_may_change: true }],
    ]
    for (const [path, more, operations = both] of widened) {
      const { status, body } = await put(shopActuator(more, operations))
      const told = (body.errors ?? []).map(issue => [issue.code, issue.path])
      expect([status, told]).toEqual([400, [['operator_only', `actuator.settings.${path}`]]])
    }
    const another = { name: 'shop', kind: 'mock', settings: {} }
    expect([(await put(another)).status, codes(await put(another))]).toEqual([400, ['operator_only']])
  })

  it('narrows what an operator registered, and is shown that much', async () => {
    const list = { method: 'GET', path: '/orders' }
    await registered(shopActuator({}, { list, order: { method: 'POST', path: '/orders' } }))
    const read = () => owner.browser.call<ToolView>('GET', owner.path('/tools/shop'))
    expect((await read()).body.owner_may).toBe('narrow')
    const narrow = shopActuator({ timeout_ms: 2_000, max_response_bytes: 1_000 }, { list })
    expect((await put(narrow)).status).toBe(200)
    expect((await read()).body.actuator).toEqual(narrow)
    expect((await put(shopActuator({}, { list }))).status).toBe(400)
  })

  it('widens nothing by whatever other way to the registrations', async () => {
    await registered(shopActuator())
    const author = { account_id: 'acc_1', name: 'owner@example.com', scope: 'owner' } as const
    const change = (more: object) =>
      replaceActuators(service.context, {
        tenant_id: owner.tenant_id,
        actuators: [shopActuator(more)],
        author: { ...author, tenant_id: owner.tenant_id },
      })
    await expect(change({ headers: { 'X-Role': 'root' } })).rejects.toThrow('only an operator')
    expect((await change({ timeout_ms: 500 })).actuators).toEqual([shopActuator({ timeout_ms: 500 })])
  })

  it('makes none of the tools of a server more than its operator did', async () => {
    const transport = { type: 'streamable_http', url, bearer: { env: 'ACTUATOR_SHOP_TOKEN' } }
    const tools = { find: { tool: 'find' }, send: { tool: 'send' } }
    const server = (more: object) =>
      ({ name: 'desk', kind: 'mcp', settings: { transport, tools, ...more } }) as RegisteredActuator
    await registered(server({}))
    const { find } = tools
    for (const more of [
      { tools: { ...tools, all: { tool: 'all' } } },
      { tools: { find: { tool: 'send' } } },
      { transport: { ...transport, headers: { 'X-Role': 'root' } } },
      { confirm_ms: 3_600_000 },
    ])
      expect(codes(await put(server(more)))).toEqual(['operator_only'])
    expect((await put(server({ tools: { find }, timeout_ms: 1_000 }))).status).toBe(200)
  })
})
