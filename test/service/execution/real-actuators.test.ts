import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import type { Outcome, RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { type Downstream, type Seen, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { type McpEndpoint, type Script, serveMcp } from '../../support/fixtures/mcp-server.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let downstream: Downstream
let mcp: McpEndpoint
let answer: (response: ServerResponse, seen: Seen) => void
const script: Script = {
  description: 'Refund a charge.',
  refund: ({ charge }) => `refunded ${charge}`,
  meta: [],
}
const definition = {
  name: 'refund',
  description: 'Refund a charge.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { charge: { type: 'string' } },
    required: ['charge'],
  },
}

/** Answers what no actuator may. */
const oddities: Record<string, () => unknown> = {
  nonsense: () => 'done',
  text: () => Promise.reject('a text'),
  never: () => new Promise(() => undefined),
  huge: () => ({ class: 'ok', detail: { body: 'x'.repeat(10_000_000) } }),
  unsayable: () => ({ class: 'ok', detail: { id: 1n } }),
}
const odd: Actuator = {
  name: 'odd',
  idempotency: 'none',
  invoke: async ({ operation }) => (await oddities[operation]?.()) as Outcome,
}

function http(name: string, base_url: string): RegisteredActuator {
  return {
    name,
    kind: 'http',
    settings: {
      base_url,
      timeout_ms: 500,
      auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
      operations: { refund: { method: 'POST', path: '/refunds/{parameters.charge}' } },
    },
  }
}

const actuators = (): RegisteredActuator[] => [
  http('shop', downstream.url),
  http('metadata', 'https://169.254.169.254/latest'),
  { name: 'odd', kind: 'module', settings: {} },
  {
    name: 'refunds',
    kind: 'mcp',
    settings: { transport: { type: 'streamable_http', url: mcp.url }, tools: { refund: {} } },
  },
]

beforeAll(async () => {
  downstream = await startDownstream((seen, response) => answer(response, seen))
  mcp = await serveMcp(script)
  service = await startService({
    modules: [odd],
    env: {
      SERVICE_EXECUTION_MS_MAX: '1000',
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      ACTUATOR_SHOP_TOKEN: 'token-of-the-shop',
    },
  })
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['shop', 'metadata', 'odd', 'refunds'],
      approval_required_at: 'high',
      review_route: 'leads',
    },
    actuators: actuators(),
  })
  const operations = [operation('shop', 'http', null), operation('refunds', 'mcp', toolHash(definition))]
  const odds = ['nonsense', 'text', 'never', 'huge', 'unsayable'].map(name => ({
    ...operation('odd', 'module', null),
    operation: name,
  }))
  const catalog = { operations: [...operations, operation('metadata', 'http', null), ...odds] }
  const { status } = await service.call('POST', `/v1/tenants/${tenant.id}/catalog`, {
    admin: service.admin,
    json: catalog,
  })
  expect(status).toBe(201)
})

beforeEach(() => {
  downstream.seen.length = 0
  script.meta.length = 0
  script.description = definition.description
  answer = response => response.end('{"id":7}')
})

afterAll(async () => {
  await service.close()
  await downstream.close()
  await mcp.close()
})

function operation(system: string, kind: string, tool_schema_hash: string | null): CatalogOperation {
  return {
    system,
    operation: 'refund',
    title: 'Refund a charge',
    parameter_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { charge: { type: 'string' } },
    },
    minimum_risk: 'low',
    effects: ['moves money'],
    reversibility: 'irreversible',
    actuator: { name: system, kind },
    idempotency: 'none',
    tool_schema_hash,
  }
}

async function run(system: string, name = 'refund') {
  const submitted = await tenant.submit({ system, operation: name, parameters: { charge: 'ch_1' } })
  return tenant.settled(submitted.body.action_id)
}

describe('an action of an http actuator', () => {
  it('is the request that was registered, with its key and its secret', async () => {
    const trace = await run('shop')
    expect(trace).toMatchObject({
      status: 'executed',
      execution: { result: { ok: true, detail: { status: 200, body: { id: 7 } } } },
    })
    expect(trace.events.at(-1)).toMatchObject({ kind: 'execution', body: { rule: 'status.done' } })
    const [attempt] = trace.events.filter(({ kind }) => kind === 'execution_attempt')
    expect(downstream.seen).toHaveLength(1)
    expect(downstream.seen[0]).toMatchObject({
      url: '/refunds/ch_1',
      headers: {
        authorization: 'Bearer token-of-the-shop',
        'idempotency-key': attempt?.body?.idempotency_key,
      },
    })
    expect(JSON.stringify(trace) + service.logged()).not.toContain('token-of-the-shop')
  })

  it.each<[string, string, (response: ServerResponse) => void]>([
    ['execution_failed', 'http_422', response => response.writeHead(422).end()],
    ['outcome_unknown', 'http_500', response => response.writeHead(500).end()],
    ['outcome_unknown', 'no_complete_answer', response => response.destroy()],
    ['outcome_unknown', 'no_complete_answer', () => undefined],
    ['outcome_unknown', 'http_307', response => response.writeHead(307, { location: '/' }).end()],
  ])('is %s after %s', async (status, code, next) => {
    answer = next
    const trace = await run('shop')
    expect(trace).toMatchObject({ status, execution: { error: { code } } })
    expect(downstream.seen).toHaveLength(1)
  })

  it('that may not be called fails before anything is sent, and the trail says so', async () => {
    const trace = await run('metadata')
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'egress_refused' } },
    })
    expect(trace.events.at(-1)).toMatchObject({ kind: 'execution', body: { outcome: 'failed' } })
  })
})

describe('an action of an mcp actuator', () => {
  it('is one call of the tool that was committed to', async () => {
    expect(await run('refunds')).toMatchObject({
      status: 'executed',
      execution: { result: { detail: { content: [{ text: 'refunded ch_1' }] } } },
    })
    expect(script.meta).toHaveLength(1)
  })

  it('is refused when the server has swapped the tool', async () => {
    script.description = 'Refund a charge, and one more.'
    expect(await run('refunds')).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'tool_schema_mismatch' } },
    })
    expect(script.meta).toEqual([])
  })
})

describe('an actuator that', () => {
  it.each<[string, string, object]>([
    ['nonsense', 'outcome_unknown', { error: { code: 'invalid_outcome' } }],
    ['unsayable', 'executed', { result: { ok: true, detail: { omitted: 'not_json' } } }],
    ['text', 'outcome_unknown', { error: { code: 'actuator_threw', message: 'a text' } }],
    ['never', 'outcome_unknown', { error: { code: 'no_answer_in_time' } }],
    ['huge', 'executed', { result: { detail: { omitted: 'too_large', length: 10_000_011 } } }],
  ])('answers %s ends in %s and disturbs nobody', async (name, status, execution) => {
    const [trace, other] = await Promise.all([run('odd', name), run('shop')])
    expect(trace).toMatchObject({ status, execution })
    expect(other.status).toBe('executed')
  })

  it('is unregistered between decision and execution ends in execution_failed', async () => {
    const say = (method: string, verb: string, json: object) =>
      service.call(method, `/v1/tenants/${tenant.id}/${verb}`, { admin: service.admin, json })
    const selector = { reason: 'it is unregistered', system: 'shop' }
    expect((await say('POST', 'pause', selector)).status).toBe(200)
    const parameters = { charge: 'ch_1' }
    const { body } = await tenant.submit(
      { system: 'shop', operation: 'refund', parameters },
      { prefer: 'wait=0' },
    )
    const without = actuators().filter(({ name }) => name !== 'shop')
    expect((await say('PUT', 'actuators', { actuators: without })).status).toBe(200)
    expect((await say('POST', 'resume', selector)).status).toBe(200)
    expect(await tenant.settled(body.action_id)).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'actuator_not_registered' } },
    })
    expect(downstream.seen).toEqual([])
  })
})
