import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import type { ToolProposal, ToolTested } from '../../../shared/contract/configuration/tool-import.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** Systems that do not answer hold a few requests of whoever asks, and none of anybody else. */
let service: TestService
let downstream: Downstream
let owner: TestOwner
let held: ServerResponse[]
const {
  downstream_waits_max: all,
  downstream_waits_per_tenant_max: ofTenant,
  downstream_waits_per_asker_max: ofAsker,
} = limits

const document = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example' }],
  paths: { '/orders': { get: { operationId: 'list', responses: { 200: { description: 'All.' } } } } },
})

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => void held.push(response))
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
    },
  })
})
beforeEach(async () => {
  held = []
  owner = await signUp(service.call)
})
afterAll(async () => {
  await service.close()
  await downstream.close()
})

/** Applications of one owner, each with a tool of a system that does not answer. */
async function applications(count: number): Promise<string[]> {
  const made = [owner.tenant_id]
  while (made.length < count) {
    const json = { name: `shop ${made.length}`, template: 'support' }
    const { body } = await owner.browser.call<{ tenant: { tenant_id: string } }>(
      'POST',
      '/v1/accounts/tenants',
      { json },
    )
    made.push(body.tenant.tenant_id)
  }
  const settings = {
    base_url: downstream.url,
    timeout_ms: 30_000,
    operations: { read: { method: 'GET', path: '/orders' } },
  }
  const operation = {
    system: 'shop',
    operation: 'read',
    title: 'Read',
    parameter_schema: { type: 'object', additionalProperties: false, properties: {} },
    minimum_risk: 'low',
    effects: ['reads data'],
    reversibility: 'reversible',
    actuator: { name: 'shop', kind: 'http' },
    idempotency: 'none',
    tool_schema_hash: null,
  }
  for (const id of made) {
    const json = { actuator: { name: 'shop', kind: 'http', settings }, operations: [operation] }
    const { status } = await service.call('PUT', `/v1/tenants/${id}/tools/shop`, {
      admin: service.admin,
      json,
    })
    expect(status).toBe(200)
  }
  return made
}

const test = (id: string) =>
  owner.browser.call<ToolTested>('POST', `/v1/accounts/tenants/${id}/tools/shop/test`, {
    json: { operation: 'read', parameters: {} },
  })

const importFrom = (of: TestOwner, source: object) =>
  of.browser.call<ToolProposal & Problem>('POST', of.path('/tool-imports'), { json: { source } })

const answerAll = () => {
  for (const response of held.splice(0))
    response.writeHead(200, { 'content-type': 'application/json' }).end(document)
}

it('an owner has a few test calls under way, however many applications there are', async () => {
  const made = await applications(4)
  const asked = made.flatMap(id => Array.from({ length: ofTenant + 1 }, () => test(id)))
  const refused = asked.length - ofAsker
  let tooMany = 0
  for (const one of asked) void one.then(({ body }) => (tooMany += Number(body.sent === 'too_many')))
  await expect.poll(() => [held.length, tooMany], { timeout: 20_000 }).toEqual([ofAsker, refused])
  answerAll()
  const sent = (await Promise.all(asked)).map(({ body }) => body.sent)
  expect(sent.filter(how => how === 'called')).toHaveLength(ofAsker)
  const again = test(owner.tenant_id)
  await expect.poll(() => held.length).toBe(1)
  answerAll()
  expect((await again).body.sent).toBe('called')
})

it('imports that wait are few of a tenant, and keep nobody else\u2019s', async () => {
  const url = `${downstream.url}/openapi.json`
  const owners = [owner, await signUp(service.call), await signUp(service.call), await signUp(service.call)]
  const asked = owners.flatMap(of =>
    Array.from({ length: ofTenant + 2 }, () => importFrom(of, { kind: 'openapi_url', url })),
  )
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(owners.length * ofTenant)
  const other = await signUp(service.call)
  expect((await importFrom(other, { kind: 'openapi', text: document })).status).toBe(200)
  expect((await importFrom(owner, { kind: 'openapi', text: document })).status).toBe(200)
  answerAll()
  const answers = await Promise.all(asked)
  const refusals = answers.filter(({ status }) => status === 422).map(({ body }) => body.errors?.[0]?.code)
  expect(refusals).toEqual(Array.from({ length: owners.length * 2 }, () => 'too_many_imports'))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(owners.length * ofTenant)
}, 60_000)

it('where half of the room is taken, whoever asks waits for one system', async () => {
  const url = `${downstream.url}/openapi.json`
  const asked: ReturnType<typeof importFrom>[] = []
  while (asked.length < all / 2) {
    const of = await signUp(service.call)
    for (let nth = 0; nth < ofTenant; nth++) asked.push(importFrom(of, { kind: 'openapi_url', url }))
  }
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(all / 2)
  asked.push(importFrom(owner, { kind: 'openapi_url', url }))
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(all / 2 + 1)
  expect((await importFrom(owner, { kind: 'openapi_url', url })).body.errors?.[0]?.code).toBe(
    'too_many_imports',
  )
  answerAll()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200))
}, 120_000)
