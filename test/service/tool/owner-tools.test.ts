import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ToolTested } from '../../../shared/contract/configuration/tool-import.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** An API alone, as in platform mode, and a worker beside it that has the secrets. */
let service: TestService
let beside: TestService
let shop: Downstream
let owner: TestOwner
const token = 'token-of-the-operator'

beforeAll(async () => {
  shop = await startDownstream((_seen, response) => response.end('{"id":7}'))
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_EGRESS_ALLOW: new URL(shop.url).host }
  service = await startService({ env, worker: null, platform: true })
  beside = await startService({
    env: { ...env, ACTUATOR_SHOP_TOKEN: token },
    database: service.database,
    platform: true,
  })
})

beforeEach(async () => {
  shop.seen.length = 0
  owner = await signUp(service.call)
})

afterAll(async () => {
  await beside.close()
  await service.close()
  await shop.close()
})

const oauth = (token_url: string): object => ({
  type: 'oauth2_client_credentials',
  token_url,
  client_id: 'shop',
  client_secret: { env: 'ACTUATOR_SHOP_TOKEN' },
})

const shopActuator = (more: object = {}, operations: object = { list: { method: 'GET', path: '/orders' } }) =>
  ({
    name: 'shop',
    kind: 'http',
    settings: {
      base_url: shop.url,
      auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
      operations,
      ...more,
    },
  }) as RegisteredActuator

const toolBody = (actuator: object) => ({ actuator, operations: [] })

/** What an operator registers for the tenant of the owner. */
async function registered(actuator: RegisteredActuator): Promise<void> {
  const path = `/v1/tenants/${owner.tenant_id}/tools/shop`
  const { status } = await service.call('PUT', path, { admin: service.admin, json: toolBody(actuator) })
  expect(status).toBe(200)
}

const put = (actuator: object, system = 'shop') =>
  owner.browser.call<Problem>('PUT', owner.path(`/tools/${system}`), { json: toolBody(actuator) })

const codes = ({ body }: { body: Problem }) => (body.errors ?? []).map(({ code }) => code)

describe('an owner', () => {
  it.each<[string, () => object]>([
    ['a variable of the workers', () => shopActuator()],
    ['a module', () => ({ name: 'shop', kind: 'module', settings: {} })],
    [
      'a program',
      () => ({
        name: 'shop',
        kind: 'mcp',
        settings: { transport: { type: 'stdio', server: 'everything' }, tools: {} },
      }),
    ],
  ])('may not name %s', async (_what, actuator) => {
    const refused = await put(actuator())
    expect([refused.status, codes(refused)]).toEqual([400, ['operator_only']])
  })

  it('keeps what an operator named and gave away while it goes to the same places', async () => {
    const given = { owner_may_change: true }
    await registered(shopActuator(given))
    const more = { list: { method: 'GET', path: '/orders' }, order: { method: 'POST', path: '/orders' } }
    expect((await put(shopActuator(given, more))).status).toBe(200)
    const elsewhere = shopActuator({ ...given, base_url: 'https://elsewhere.example' })
    expect(codes(await put(elsewhere))).toEqual(['operator_only'])
  })

  it('sends no secret of an operator to another token endpoint', async () => {
    for (const given of [{}, { owner_may_change: true }]) {
      const asking = (token_url: string) => shopActuator({ ...given, auth: oauth(token_url) })
      await registered(asking('https://id.example/token'))
      expect((await put(asking('https://id.example/token'))).status).toBe(200)
      expect(codes(await put(asking('https://elsewhere.example/token')))).toEqual(['operator_only'])
    }
  })
})

describe('in platform mode', () => {
  it('a tool is called by the workers as soon as it is registered', async () => {
    await registered(shopActuator())
    const json = { actuator: shopActuator(), operations: [listEntry] }
    const { status: changed } = await owner.browser.call('PUT', owner.path('/tools/shop'), { json })
    expect(changed).toBe(200)
    const proposal = {
      proposal_id: 'list-1',
      actor: { agent_id: 'agent' },
      summary: 'List orders',
      action: { target_system: 'shop', operation: 'list', parameters: {} },
      risk: { level: 'low' },
    }
    const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
      key: owner.agent,
      json: proposal,
    })
    const status = async () =>
      (await service.call<{ status: string }>('GET', `/v1/actions/${body.action_id}`, { key: owner.agent }))
        .body.status
    await expect.poll(status, { timeout: 20_000 }).toBe('executed')
    expect(shop.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`])
  })

  it('a test call that needs no secret is made by the API itself', async () => {
    await registered(shopActuator({ auth: undefined }))
    const json = { operation: 'list', parameters: {}, confirm: true }
    const { body } = await owner.browser.call<ToolTested>('POST', owner.path('/tools/shop/test'), { json })
    expect(body).toMatchObject({ sent: 'called', verdict: { outcome: 'executed' } })
  })

  it('a test call that needs a secret of the workers is made by one of them', async () => {
    await registered(shopActuator())
    const json = { operation: 'list', parameters: {}, confirm: true }
    const { body } = await owner.browser.call<ToolTested>('POST', owner.path('/tools/shop/test'), { json })
    expect(body).toMatchObject({ sent: 'called', verdict: { outcome: 'executed' }, answer: { status: 200 } })
    expect(shop.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`])
  })

  it('a test call that needs what no worker has sends nothing and says what', async () => {
    const absent = { type: 'bearer', token: { env: 'ACTUATOR_ABSENT' } } as const
    await registered(shopActuator({ auth: absent }))
    const json = { operation: 'list', parameters: {}, confirm: true }
    const { body } = await owner.browser.call<ToolTested>('POST', owner.path('/tools/shop/test'), { json })
    expect(body).toMatchObject({ test_id: null, sent: 'no_worker', verdict: null, answer: null })
    expect(body.problems.map(({ message }) => message).join()).toContain('ACTUATOR_ABSENT')
    expect(shop.seen).toEqual([])
  })

  it('no host of its machine is opened', async () => {
    const json = { host: 'localhost:3000' }
    const { status, body } = await service.call<Problem>('POST', '/v1/local-hosts', {
      admin: service.admin,
      json,
    })
    expect([status, body.code]).toEqual([409, 'not_embedded'])
    expect((await owner.browser.call('POST', '/v1/local-hosts', { json })).status).toBeGreaterThanOrEqual(401)
  })
})

const listEntry = {
  system: 'shop',
  operation: 'list',
  title: 'List orders',
  parameter_schema: { type: 'object', additionalProperties: false },
  minimum_risk: 'low',
  effects: ['reads data'],
  reversibility: 'reversible',
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none',
  tool_schema_hash: null,
}
