import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Adding, addTool } from '../../../api/bin/tools/add-tool.ts'
import { listTools } from '../../../api/bin/tools/show-tool.ts'
import { shown, type Terminal } from '../../../api/bin/tools/terminal.ts'
import { openDesk } from '../../../api/bin/tools/tool-desk.ts'
import { tryTool } from '../../../api/bin/tools/try-tool.ts'
import { accessLabels, accessWords } from '../../../shared/contract/access/access-words.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { Integration } from '../../../shared/contract/configuration/getting-started.ts'
import type { ToolSummary, ToolView } from '../../../shared/contract/configuration/tool-import.ts'
import { readServiceAccess } from '../../../shared/runtime/settings/config.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { sameUser } from '../../support/fixtures/mcp-callers.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { newValue } from '../../support/service/secrets-bed.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { connect } from '../mcp/mcp-client.ts'

// Programs start slowly where other work is going on.
vi.setConfig({ testTimeout: 60_000 })

let service: TestService
let tenant: TestTenant
let mail: Downstream
let place: string

/** The reference servers of the protocol, which nobody here wrote. */
function referenceServers(): object {
  const program = (name: string) =>
    join(repositoryRoot, `test/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
  const server = (name: string, args: string[], env = {}) => ({
    command: process.execPath,
    args: [program(name), ...args],
    env,
    user: sameUser,
  })
  return {
    everything: server('everything', ['stdio']),
    filesystem: server('filesystem', [place]),
    memory: server('memory', [], { MEMORY_FILE_PATH: join(place, 'memory.jsonl') }),
  }
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tools-command-'))
  mail = await startDownstream((_seen, response) => response.end('{"sent":true}'))
  service = await startService({
    env: {
      ...secretsEnvironment,
      SERVICE_EGRESS_ALLOW: new URL(mail.url).host,
      SERVICE_MCP_SERVERS: JSON.stringify(referenceServers()),
    },
  })
})

beforeEach(async () => {
  mail.seen.length = 0
  tenant = await service.tenant({
    policy: { allowed_systems: [], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
})

afterAll(async () => {
  await service.close()
  await mail.close()
  await rm(place, { recursive: true })
})

const desk = () => openDesk({ url: service.url, admin_key: service.admin, tenant: tenant.id })

/** A terminal at which somebody gives these answers, or nobody is. */
function terminalOf(answers: (boolean | string)[] | null = null) {
  const said: string[] = []
  const asked: string[] = []
  const answer = (question: string) => {
    asked.push(question)
    return answers?.shift()
  }
  const terminal: Terminal = {
    say: text => said.push(shown(text)),
    asks: answers !== null,
    confirm: async question => answer(question) === true,
    hidden: async question => String(answer(question) ?? ''),
  }
  return { terminal, asked, text: () => said.join('\n') }
}

async function document(paths: object, more: object = {}): Promise<string> {
  const file = join(place, 'openapi.json')
  const servers = [{ url: mail.url }]
  await writeFile(
    file,
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Mail' }, servers, paths, ...more }),
  )
  return file
}

const schema = (maximum: number) => ({ type: 'object', properties: { to: { type: 'integer', maximum } } })
const send = (maximum: number) => ({
  post: {
    operationId: 'send',
    requestBody: { required: true, content: { 'application/json': { schema: schema(maximum) } } },
  },
})
const list = { get: { operationId: 'list' } }

async function add(adding: Adding, answers: (boolean | string)[] | null = null) {
  const at = terminalOf(answers)
  await addTool(await desk(), at.terminal, adding)
  return at
}

async function attempt(operation: string, more: object = {}, answers: boolean[] | null = null) {
  const at = terminalOf(answers)
  await tryTool(await desk(), at.terminal, { operation, parameters: '{"to":3}', ...more })
  return at
}

const eventsOf = async () =>
  (
    await asReader<{ kind: string }>(
      service.context.store,
      `select kind from config_events where tenant_id = '${tenant.id}'
         and kind not like 'signing_key%' order by sequence`,
    )
  ).map(({ kind }) => kind)

describe('add', () => {
  it('writes nothing where nobody can confirm it, or somebody says no', async () => {
    const source = await document({ '/letters': { ...list, ...send(100) } })
    const before = await eventsOf()
    await expect(add({ source })).rejects.toThrow(
      /^nothing was written: run it on a terminal, or with --yes$/,
    )
    await expect(add({ source }, [false])).rejects.toThrow(/^nothing was written$/)
    expect(await eventsOf()).toEqual(before)
  })

  it('shows what it would make and why some is refused, and applies it as one', async () => {
    const upload = {
      post: { operationId: 'upload', requestBody: { required: true, content: { 'image/png': {} } } },
    }
    const source = await document({ '/letters': { ...list, ...send(100) }, '/files': upload })
    const { asked, text } = await add({ source }, [true])
    expect(asked).toEqual([`\nApply this to ${tenant.id} as one revision?`])
    expect(text()).toMatch(/^\+ {2}list {2}GET \/letters {3}low risk {5}allowed$/m)
    expect(text()).toMatch(/^\+ {2}send {2}POST \/letters {2}medium risk {2}allowed$/m)
    expect(text()).toMatch(/^allowed tools: \d+\.\d kB in tools\/list, about [\d,]+ tokens for a model$/m)
    expect(text()).toMatch(/^not imported:\n upload {2}POST \/files {2}\S.+$/m)
    expect(text()).toContain('applied: policy revision 2, catalog revision 1')
    expect((await eventsOf()).slice(-3)).toEqual([
      'catalog_revision',
      'policy_revision',
      'actuators_revision',
    ])
  })

  it('says what drifted by what it means, and that nothing did', async () => {
    await add({ source: await document({ '/letters': { ...list, ...send(100) } }), yes: true })
    const source = await document({ '/letters': send(50) })
    const { text } = await add({ source, yes: true })
    expect(text()).toMatch(/^~ {2}send .*\n {5}takes other values for to$/m)
    expect(text()).toContain('-  list  is gone from the source')
    const again = await add({ source })
    expect(again.asked).toEqual([])
    expect(again.text()).toContain('nothing changed: mail is as its source says')
  })

  it('stores a secret that is typed, which is then sent and never shown', async () => {
    const more = {
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    }
    const value = newValue('typed')
    const source = await document({ '/letters': list }, more)
    const later = await add({ source, yes: true })
    expect(later.text()).toContain('missing: mail_token, the bearer token: calls wait for it')
    const { asked, text } = await add({ source }, [value])
    expect(asked).toEqual(['mail_token, the bearer token (not shown; empty: later):'])
    expect(text()).toContain('stored: mail_token')
    const tried = await attempt('list', { parameters: '{}' })
    expect(mail.seen.at(-1)?.headers.authorization).toBe(`Bearer ${value}`)
    expect(tried.text()).toContain('authenticates with bearer')
    expect(text() + tried.text()).not.toContain(value)
  })

  it('says where a host of this machine is let be called in platform mode', async () => {
    const source = 'http://127.0.0.1:9/openapi.json'
    await expect(add({ source })).rejects.toThrow(
      /127\.0\.0\.1:9, which is a host of this machine: --local lets them/,
    )
    await expect(add({ source }, [false])).rejects.toThrow(/^nothing was written$/)
    await expect(add({ source }, [true])).rejects.toThrow(
      /add 127\.0\.0\.1:9 to SERVICE_EGRESS_ALLOW of the API and the workers/,
    )
  })

  it.each([
    [{ source: 'nowhere.json' }, /^there is no file nowhere\.json; --mcp says/],
    [{ source: 'nobody', mcp: true }, /nobody is not one of SERVICE_MCP_SERVERS/],
    [{ source: 'nobody', mcp: true, secret: ['a=/nowhere'] }, /^--secret is NAME=FILE/],
    [{ source: 'https://10.0.0.1/openapi.json' }, /post the text of the document/],
  ])('tells in a sentence what is wrong (%#)', async (adding, message) => {
    await expect(add(adding)).rejects.toThrow(message)
  })

  it('shows no control character of a document', async () => {
    const source = await document({ '/letters': list }, { info: { title: 'Ma\u001b[2Jil\u202e' } })
    const { text } = await add({ source, yes: true, system: 'mail' })
    expect(text()).toContain('Ma�[2Jil� as mail')
    const { terminal, text: listed } = terminalOf()
    await listTools(await desk(), terminal)
    expect(listed()).toContain('mail')
  })

  it.each([
    ['everything', 'echo', { message: 'hello' }, 'Echo: hello'],
    ['memory', 'read_graph', {}, 'entities'],
    ['filesystem', 'list_allowed_directories', {}, 'tools-command-'],
  ])(
    'takes the tools of the reference server %s, which then are called',
    async (name, operation, parameters, said) => {
      const { text } = await add({ source: name, mcp: true, system: name, yes: true })
      expect(text()).toContain('applied: policy revision 2')
      const tried = await attempt(operation, { parameters: JSON.stringify(parameters), confirm: true })
      expect(tried.text()).toContain(said)
      expect(tried.text()).toContain('executed by')
      const { text: again } = await add({ source: name, mcp: true, system: name })
      expect(again()).toContain(`nothing changed: ${name}`)
    },
  )
})

describe('try', () => {
  beforeEach(async () => {
    await add({ source: await document({ '/letters': { ...list, ...send(100) } }), yes: true })
  })

  it('calls what only reads, and what may change something once it is confirmed', async () => {
    const { text } = await attempt('list', { parameters: '{}' })
    expect(text()).toMatch(/^GET http.*\/letters\n.*"sent": true.*\nexecuted by \S+: /s)
    expect(text()).toMatch(/recorded as test_\w+, which is no action$/)
    await expect(attempt('send')).rejects.toThrow(
      /^nothing was called: send may change something there; --confirm/,
    )
    await expect(attempt('send', {}, [false])).rejects.toThrow(/^nothing was called$/)
    expect(mail.seen.map(({ method }) => method)).toEqual(['GET'])
    expect((await attempt('send', {}, [true])).asked).toEqual(['\nsend may change something there. Call it?'])
    expect(mail.seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
    const { body } = await service.call<{ actions: object[] }>('GET', '/v1/actions', { key: tenant.agent })
    expect(body.actions).toEqual([])
  })

  it.each([
    ['send', { parameters: '{"to":5000}' }, /outside the schema of the catalog\n {2}to: /],
    ['send', { parameters: '{' }, /^the parameters are no JSON/],
    ['nothing', {}, /^no tool of \S+ has an operation nothing$/],
  ])('%s is not called where it cannot be (%#)', async (operation, more, message) => {
    await expect(attempt(operation, { confirm: true, ...more })).rejects.toThrow(message)
    expect(mail.seen).toEqual([])
  })
})

it('a command without a key, a service or the name of a tenant says what is missing', async () => {
  const at = readServiceAccess({ ACTION_GATE_URL: service.url, ACTION_GATE_ADMIN_KEY: service.admin })
  await expect(openDesk(readServiceAccess({}))).rejects.toThrow(/^export ACTION_GATE_ADMIN_KEY/)
  await expect(openDesk(at)).rejects.toThrow(/^say which tenant with --tenant: /)
  const nowhere = await openDesk({ ...at, url: 'http://127.0.0.1:9', tenant: 'shop' })
  await expect(nowhere.call('GET', '/tools')).rejects.toThrow(
    /^no service answers at http:\/\/127\.0\.0\.1:9: /,
  )
})

const entryOf = (operation: string, more: Partial<CatalogOperation> = {}): CatalogOperation => ({
  system: 'crm',
  operation,
  title: operation,
  parameter_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { n: { type: 'integer', minimum: 1, maximum: 9 } },
  },
  minimum_risk: 'low',
  effects: ['changes data'],
  reversibility: 'reversible',
  actuator: { name: more.system ?? 'crm', kind: 'mock' },
  idempotency: 'none',
  tool_schema_hash: null,
  ...more,
})

/** A tenant with an operation of each answer, and what proposals for it come to. */
async function tenantOfAllAnswers(): Promise<TestTenant> {
  const settings = { base_url: mail.url, operations: { read: { method: 'GET', path: '/' } } }
  const made = await service.tenant({
    policy: {
      allowed_systems: ['crm', 'gone', 'shop'],
      allowed_operations: {
        crm: ['apart', 'erase', 'frozen', 'read', 'unreviewed'],
        gone: ['call'],
        shop: ['lost'],
      },
      parameter_constraints: { crm: { apart: { n: { max: 0 } } } },
      approval_required_at: 'medium',
      review_route: 'leads',
    },
    actuators: [
      { name: 'crm', kind: 'mock', settings: {} },
      { name: 'shop', kind: 'http', settings } as RegisteredActuator,
    ],
  })
  const operations = [
    entryOf('apart'),
    entryOf('erase', { minimum_risk: 'high' }),
    entryOf('frozen'),
    entryOf('read'),
    entryOf('call', { system: 'gone' }),
    entryOf('lost', { system: 'shop', actuator: { name: 'shop', kind: 'http' } }),
  ]
  const at = (path: string) => `/v1/tenants/${made.id}${path}`
  const admin = service.admin
  expect((await service.call('POST', at('/catalog'), { admin, json: { operations } })).status).toBe(201)
  const json = { reason: 'looked at', system: 'crm', operation: 'frozen' }
  expect((await service.call('POST', at('/freeze'), { admin, json })).status).toBe(200)
  return made
}

describe('what is allowed', () => {
  it('is what proposals get, and every surface says it in the same words', async () => {
    tenant = await tenantOfAllAnswers()
    const admin = service.admin
    const { body } = await service.call<{ tools: ToolSummary[] }>('GET', `/v1/tenants/${tenant.id}/tools`, {
      admin,
    })
    const listed = body.tools.flatMap(({ system, access }) => access.map(one => ({ system, ...one })))
    const answers = listed.map(({ system, operation, answer, code, unavailable }) => [
      `${system} ${operation}`,
      answer,
      unavailable?.code ?? code,
    ])
    expect(answers).toEqual([
      ['crm apart', 'denied', 'no_parameters'],
      ['crm erase', 'held', 'approval_required'],
      ['crm frozen', 'denied', 'frozen'],
      ['crm read', 'allowed', null],
      ['crm unreviewed', 'denied', 'operation_not_in_catalog'],
      ['gone call', 'denied', 'actuator_not_registered'],
      ['shop lost', 'allowed', 'not_registered'],
      ['shop read', 'denied', 'operation_not_allowed'],
    ])
    const decisions = { allowed: 'allow', held: 'needs_approval', denied: 'deny', open: null }
    for (const { system, operation, answer } of listed) {
      const submitted = await tenant.submit({ system, operation: operation as string, parameters: { n: 3 } })
      expect([system, operation, submitted.body.decision]).toEqual([system, operation, decisions[answer]])
    }
    const read = await Promise.all(
      body.tools.map(({ system }) =>
        service.call<ToolView>('GET', `/v1/tenants/${tenant.id}/tools/${system}`, { admin }),
      ),
    )
    expect(
      read.flatMap(({ body: tool }) =>
        tool.operations.map(({ operation, access }) => ({ system: tool.system, operation, ...access })),
      ),
    ).toEqual(listed)
    const bundle = await service.call<Integration>('GET', '/v1/integration', { key: tenant.agent })
    expect(bundle.body.operations).toEqual(listed)
    const client = await connect(service.url, tenant.agent)
    const { tools } = await client.listTools()
    await client.close()
    const open = listed.filter(({ answer }) => answer !== 'denied')
    expect(tools.map(({ name }) => name)).toEqual([
      ...open.map(({ system, operation }) => `${system}__${operation}`),
      'action_wait',
      'action_status',
    ])
    for (const [at, access] of open.entries()) expect(tools[at]?.description).toContain(accessWords(access))
    const { terminal, text } = terminalOf()
    await listTools(await desk(), terminal)
    for (const access of listed)
      expect(text()).toContain(`${accessLabels[access.answer]}: ${accessWords(access)}`)
    expect(text()).toContain('1 allowed, 1 held for a person, 3 denied')
  })
})
