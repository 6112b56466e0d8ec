import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../../shared/canon/digest.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type {
  ChangedTool,
  ToolProposal,
  ToolView,
} from '../../../shared/contract/configuration/tool-import.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { type McpEndpoint, type Script, serveMcp } from '../../support/fixtures/mcp-server.ts'
import { largeDocument } from '../../support/openapi/published-documents.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let downstream: Downstream
let mcp: McpEndpoint
let served: { status: number; headers?: Record<string, string>; body: string | Buffer }
const script: Script = {
  description: 'Refund a charge.',
  refund: ({ charge }) => `refunded ${charge}`,
  meta: [],
}

const order = {
  type: 'object',
  required: ['sum'],
  properties: { sum: { type: 'number', maximum: 100 }, note: { type: 'string' } },
}

function shop(more: object = {}): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop API', version: '1' },
    servers: [{ url: downstream.url }],
    paths: {
      '/orders': {
        post: {
          operationId: 'order',
          summary: 'Order',
          requestBody: { required: true, content: { 'application/json': { schema: order } } },
        },
        get: {
          operationId: 'list',
          summary: 'List',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        },
      },
      ...more,
    },
  }
}

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => {
    response
      .writeHead(served.status, { 'content-type': 'application/json', ...served.headers })
      .end(served.body)
  })
  mcp = await serveMcp(script)
  service = await startService({ env: { SERVICE_EGRESS_ALLOW: '127.0.0.1' } })
})

beforeEach(async () => {
  served = { status: 200, body: '{"id":7}' }
  downstream.seen.length = 0
  tenant = await service.tenant({
    policy: { allowed_systems: [], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
})

afterAll(async () => {
  await service.close()
  await downstream.close()
  await mcp.close()
})

const path = (rest: string) => `/v1/tenants/${tenant.id}${rest}`

function propose(source: object, more: object = {}) {
  return service.call<ToolProposal & Problem>('POST', path('/tool-imports'), {
    admin: service.admin,
    json: { source, ...more },
  })
}

const asText = (document: object) => ({ kind: 'openapi', text: JSON.stringify(document) })

function put(proposal: ToolProposal, more: object = {}) {
  const { system, actuator, version, operations } = proposal
  const json = {
    actuator,
    operations: operations.map(({ entry }) => entry),
    allowed: operations.filter(({ allowed }) => allowed).map(({ operation }) => operation),
    expected_version: version,
    ...more,
  }
  return service.call<ChangedTool & Problem>('PUT', path(`/tools/${system}`), { admin: service.admin, json })
}

async function imported(document: object): Promise<ToolProposal> {
  const { status, body } = await propose(asText(document))
  expect(status).toBe(200)
  return body
}

const eventsOf = async () =>
  (
    await asReader<{ kind: string }>(
      service.context.store,
      `select kind from config_events where tenant_id = '${tenant.id}'
         and kind not like 'signing_key%' order by sequence`,
    )
  ).map(({ kind }) => kind)

describe('an import', () => {
  it('proposes and stores nothing', async () => {
    const before = await eventsOf()
    const proposal = await imported(shop())
    expect(proposal).toMatchObject({
      system: 'shop',
      gone: [],
      refused: [],
      actuator: { name: 'shop', kind: 'http', settings: { base_url: downstream.url } },
      operations: [
        {
          operation: 'list',
          source: 'GET /orders',
          safe: true,
          access: { answer: 'allowed' },
          changes: [{ code: 'new' }],
        },
        { operation: 'order', source: 'POST /orders', safe: false, access: { answer: 'allowed' } },
      ],
    })
    expect(await eventsOf()).toEqual(before)
    const { body } = await service.call<{ tools: object[] }>('GET', path('/tools'), { admin: service.admin })
    expect(body.tools).toEqual([])
  })

  it('is applied as one revision, and what it admits is executed, held back or denied', async () => {
    const before = await eventsOf()
    const { status, body } = await put(await imported(shop()))
    expect([status, body.policy_revision, body.catalog_revision]).toEqual([200, 2, 1])
    expect((await eventsOf()).slice(before.length)).toEqual([
      'catalog_revision',
      'policy_revision',
      'actuators_revision',
    ])
    const propose = async (sum: number, risk: 'low' | 'high') => {
      const submitted = await tenant.submit({ system: 'shop', operation: 'order', parameters: { sum }, risk })
      return submitted.body
    }
    expect(await propose(5, 'low')).toMatchObject({ decision: 'allow', action_status: 'executed' })
    expect(await propose(5, 'high')).toMatchObject({ decision: 'needs_approval' })
    expect(await propose(500, 'low')).toMatchObject({ decision: 'deny' })
    expect(downstream.seen.map(({ method, url, body: sent }) => [method, url, sent])).toEqual([
      ['POST', '/orders', '{"sum":5}'],
    ])
  })

  it('of a source that did not change changes nothing', async () => {
    await put(await imported(shop()))
    const before = await eventsOf()
    const again = await imported(shop())
    expect(again.operations.flatMap(({ changes }) => changes)).toEqual([])
    expect((await put(again)).body).toMatchObject({
      policy_revision: 2,
      catalog_revision: 1,
      version: again.version,
    })
    expect(await eventsOf()).toEqual(before)
  })

  it('says what drifted, and the next revision is without what is gone', async () => {
    await put(await imported(shop({ '/more': { get: { operationId: 'more' } } })))
    const drifted = structuredClone(shop()) as ReturnType<typeof shop> & {
      paths: { '/orders': { post: { summary: string } } }
    }
    drifted.paths['/orders'].post.summary = 'Order anything'
    const proposal = await imported(drifted)
    expect(proposal.gone).toEqual(['more'])
    expect(
      proposal.operations.map(({ operation, changes }) => [operation, changes.map(({ code }) => code)]),
    ).toEqual([
      ['list', []],
      ['order', ['description']],
    ])
    expect((await put(proposal)).body).toMatchObject({ policy_revision: 3, catalog_revision: 2 })
    const { body } = await service.call<ToolView>('GET', path('/tools/shop'), { admin: service.admin })
    expect(body.operations.map(({ operation, access }) => [operation, access.answer])).toEqual([
      ['list', 'allowed'],
      ['order', 'allowed'],
    ])
  })

  it('of some operations keeps the others', async () => {
    await put(await imported(shop()))
    const { body } = await propose(asText(shop()), { only: ['list'] })
    expect(body.operations.map(({ operation }) => operation)).toEqual(['list', 'order'])
    expect((await propose(asText(shop()), { only: ['nobody'] })).body).toMatchObject({
      code: 'source_refused',
      errors: [{ code: 'operation_unknown' }],
    })
  })

  it('of a thousand operations is read beside everybody else, and applied', async () => {
    const { body } = await propose(asText(largeDocument(1_000)))
    expect(body.operations).toHaveLength(1_000)
    const { status, body: changed } = await put(body)
    expect([status, changed.catalog_revision]).toEqual([200, 1])
  }, 60_000)
})

/** CPU that the thread of the event loop has used, in milliseconds: what others do on the machine is not in it. */
function loopMs(): number {
  const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
  return Number(ns) / 1e6
}

/** The longest that the event loop is kept from its timers while something lasts. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  let [last, longest] = [loopMs(), 0]
  const look = () => {
    const now = loopMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const looking = setInterval(look, 1)
  await work().finally(() => clearInterval(looking))
  look()
  return longest
}

/** What copying so many bytes to a thread and a digest of them take on this machine at this time. */
function copyMs(bytes: Uint8Array): number {
  const begun = loopMs()
  structuredClone(bytes)
  sha256(bytes)
  return loopMs() - begun
}

/** What reading and writing an answer takes on this machine at this time. */
function writingMs(answer: string): number {
  const begun = loopMs()
  JSON.stringify(JSON.parse(answer))
  return loopMs() - begun
}

/**
 * That a stop takes less CPU than some work. A machine that others use adds to a stop and takes nothing from it, so one good
 * round of some shows it.
 */
async function expectShorter(stop: () => Promise<number>, work: () => number): Promise<void> {
  const stops: number[] = []
  const works: number[] = []
  const isSeen = () => Math.min(...stops) < Math.min(...works)
  for (let round = 0; round < 8 && !(round > 0 && isSeen()); round += 1) {
    stops.push(await stop())
    works.push(work())
  }
  expect(Math.min(...stops)).toBeLessThan(Math.min(...works))
}

describe.skipIf(process.platform !== 'linux')('an import stops nobody', () => {
  const importServed = async (): Promise<string> => {
    const answer = await fetch(`${service.url}${path('/tool-imports')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-admin-key': service.admin },
      body: JSON.stringify({ source: { kind: 'openapi_url', url: `${downstream.url}/openapi.json` } }),
    })
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    return text
  }

  it('a document of 13 MB stops nobody while it is imported', async () => {
    const examples = { long: { value: 'x'.repeat(13e6) } }
    served = { status: 200, body: Buffer.from(JSON.stringify({ ...shop(), components: { examples } })) }
    await expectShorter(
      () => longestStop(importServed),
      () => copyMs(served.body as Buffer),
    )
  }, 60_000)

  it('a proposal of two thousand operations stops nobody while it is written', async () => {
    served = { status: 200, body: Buffer.from(JSON.stringify(largeDocument(2_000))) }
    let answer = ''
    await expectShorter(
      () =>
        longestStop(async () => {
          answer = await importServed()
        }),
      () => writingMs(answer),
    )
    expect((JSON.parse(answer) as ToolProposal).operations).toHaveLength(2_000)
  }, 120_000)
})

describe('what is refused leaves everything as it was', () => {
  it.each<[string, (proposal: ToolProposal) => object, number, string]>([
    ['another version', ({ version }) => ({ expected_version: version + 1 }), 412, 'revision_mismatch'],
    [
      'an entry of another system',
      ({ operations }) => ({ operations: [{ ...operations[0]?.entry, system: 'mail' }] }),
      400,
      'validation_failed',
    ],
    [
      'an open schema',
      ({ operations }) => ({
        operations: [{ ...operations[0]?.entry, parameter_schema: { type: 'object' } }],
      }),
      400,
      'validation_failed',
    ],
    ['an allowed name that nobody has', () => ({ allowed: ['nobody'] }), 400, 'validation_failed'],
    [
      'an actuator of another name',
      ({ actuator }) => ({ actuator: { ...actuator, name: 'mail' } }),
      400,
      'validation_failed',
    ],
  ])('%s', async (_what, more, status, code) => {
    const proposal = await imported(shop())
    const before = await eventsOf()
    const answer = await put(proposal, more(proposal))
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await eventsOf()).toEqual(before)
    const { body } = await service.call<{ actuators: object[] }>('GET', path('/actuators'), {
      admin: service.admin,
    })
    expect(body.actuators).toEqual([])
  })

  it('a change that comes between is not overwritten', async () => {
    const proposal = await imported(shop())
    const changed = { policy: { allowed_systems: [], approval_required_at: 'low', review_route: 'leads' } }
    await service.call('PUT', path('/policy'), { admin: service.admin, json: changed })
    expect((await put(proposal)).body.code).toBe('revision_mismatch')
    expect((await put(proposal, { expected_version: undefined })).status).toBe(200)
    const { body } = await service.call<{ policy: object }>('GET', path('/policy'), { admin: service.admin })
    expect(body.policy).toMatchObject({ approval_required_at: 'low', allowed_systems: ['shop'] })
  })

  it('a catalog that breaks what was proved keeps policy and actuators out too', async () => {
    await service.call('PUT', path('/verification-gate'), { admin: service.admin, json: { required: true } })
    const verified = await service.call<{ result: string }>('POST', path('/policy/verify'), {
      admin: service.admin,
      json: { forbidden: [{ name: 'nothing is allowed' }] },
    })
    expect(verified.body.result).toBe('verified')
    const before = await eventsOf()
    expect((await put(await imported(shop()))).body.code).toBe('verification_failed')
    expect(await eventsOf()).toEqual(before)
  })
})

describe('a source that cannot be had', () => {
  const url = (rest = '/openapi.json') => ({ kind: 'openapi_url', url: `${downstream.url}${rest}` })
  const refusal = async (source: object) => {
    const { status, body } = await propose(source)
    return [status, body.code, body.errors?.[0]?.code, body.detail]
  }

  it('is fetched where it may be', async () => {
    served = { status: 200, body: JSON.stringify({ ...shop(), servers: [{ url: '/v1' }] }) }
    const { body } = await propose(url())
    expect(body.actuator.settings).toMatchObject({ base_url: `${downstream.url}/v1` })
  })

  it.each<[string, Partial<typeof served>, string, string]>([
    [
      'moved',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      'document_moved',
      'give the address that it leads to',
    ],
    ['not there', { status: 404 }, 'document_not_there', 'post its text'],
    ['too large', { body: ' '.repeat(16_777_217) }, 'document_too_large', 'leave out what is not needed'],
    ['no document', { body: 'hello' }, 'not_openapi', 'give one'],
    ['Swagger 2', { body: '{"swagger":"2.0"}' }, 'swagger_2', 'convert the document'],
    ['compressed', { headers: { 'content-encoding': 'gzip' } }, 'document_compressed', 'post the text'],
  ])('is refused in one sentence: %s', async (_what, answer, code, way) => {
    served = { ...served, ...answer }
    const [status, problem, issue, detail] = await refusal(url())
    expect([status, problem, issue]).toEqual([422, 'source_refused', code])
    expect(detail).toContain(way)
  })

  it.each([
    ['http://169.254.169.254/openapi.json'],
    ['https://10.0.0.1/openapi.json'],
    ['http://example.org/openapi.json'],
  ])('is not fetched where no rule admits it: %s', async address => {
    expect((await refusal({ kind: 'openapi_url', url: address })).slice(0, 3)).toEqual([
      422,
      'source_refused',
      'egress_refused',
    ])
  })

  it.each([
    [{ type: 'stdio', server: 'nobody' }, 'mcp_server_missing'],
    [{ type: 'streamable_http', url: 'http://127.0.0.1:9/mcp' }, 'mcp_not_ready'],
    [{ type: 'streamable_http', url: 'http://10.0.0.1/mcp' }, 'egress_refused'],
    [
      { type: 'streamable_http', url: 'https://a.example/mcp', bearer: { env: 'ACTUATOR_NOBODY' } },
      'secret_missing',
    ],
  ])('is not listed (%#)', async (transport, code) => {
    expect((await refusal({ kind: 'mcp', transport }))[2]).toBe(code)
  })

  it('may hold a circle of aliases that would fill the memory', async () => {
    const names = 'abcdefghij'.split('')
    const lines = names
      .slice(1)
      .map((name, at) => `${name}: &${name} [${Array(50).fill(`*${names[at]}`).join(', ')}]`)
    const text = `a: &a [x]\n${lines.join('\n')}`
    expect((await refusal({ kind: 'openapi', text }))[2]).toBe('unreadable_document')
  })
})

describe('the tools of a server', () => {
  const source = () => ({ kind: 'mcp', transport: { type: 'streamable_http', url: mcp.url } })

  it('are proposed with their hash, called by it, and told when they changed', async () => {
    script.description = 'Refund a charge.'
    const { body } = await propose(source())
    expect(body).toMatchObject({
      system: 'refunds',
      operations: [
        {
          operation: 'refund',
          source: 'refund',
          entry: { minimum_risk: 'high' },
          access: { answer: 'held' },
        },
      ],
    })
    const entries = body.operations.map(({ entry }) => ({ ...entry, minimum_risk: 'low' }))
    expect((await put(body, { operations: entries })).status).toBe(200)
    const call = () =>
      tenant.submit({ system: 'refunds', operation: 'refund', parameters: { charge: 'ch_1' } })
    expect((await call()).body.action_status).toBe('executed')
    script.description = 'Refund a charge, and all others.'
    expect((await call()).body.action_status).toBe('execution_failed')
    const again = await propose(source())
    expect(again.body.operations[0]?.changes.map(({ code }) => code)).toEqual(['description', 'review'])
    const kept = again.body.operations.map(({ entry }) => ({ ...entry, minimum_risk: 'low' }))
    expect((await put(again.body, { operations: kept })).status).toBe(200)
    expect((await call()).body.action_status).toBe('executed')
  })
})

it('a tool that is removed is gone from everything, and an unknown one is not there', async () => {
  await put(await imported(shop()))
  const remove = () =>
    service.call<ChangedTool & Problem>('DELETE', path('/tools/shop'), { admin: service.admin })
  expect((await remove()).status).toBe(200)
  expect((await remove()).body.code).toBe('tool_not_found')
  expect((await tenant.submit({ system: 'shop', operation: 'list', parameters: {} })).body.decision).toBe(
    'deny',
  )
})
