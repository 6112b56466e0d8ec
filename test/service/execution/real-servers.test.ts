import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** What is used here of packages that come without types. */
interface JsonServer {
  create(): RequestListener & { use(...handlers: unknown[]): void }
  bodyParser: unknown
  router(data: object): { db: { get(name: string): { value(): object[] } } }
}
interface Provider {
  callback(): RequestListener
  ClientCredentials: { find(token: string): Promise<{ destroy(): Promise<void> } | undefined> }
}
type ProviderClass = new (issuer: string, configuration: object) => Provider

/** Both through one loader: a schema of another instance of the package is refused. */
const load = createRequire(import.meta.url)
const jsonServer = load('json-server') as JsonServer
const { buildSchema } = load('graphql') as { buildSchema(text: string): unknown }
const { createHandler } = load('graphql-http/lib/use/http') as {
  createHandler(options: object): (...exchange: Parameters<RequestListener>) => Promise<void>
}
const servers: Server[] = []
let service: TestService
let tenant: TestTenant
let provider: Provider
let issuer: string
let api: string
let graphql: string
const tokensAsked: string[] = []
const refunds = jsonServer.router({ refunds: [] })
const made = (): object[] => refunds.db.get('refunds').value()

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serveTokens(): Promise<string> {
  let answer: RequestListener = () => undefined
  const url = await listen((request, response) => {
    if (request.url === '/token') tokensAsked.push(request.url)
    answer(request, response)
  })
  const name = 'oidc-provider'
  const { default: Provider } = (await import(name)) as { default: ProviderClass }
  const client = { client_id: 'gate', client_secret: 'secret-of-the-gate' }
  provider = new Provider(url, {
    clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    scopes: ['refunds'],
  })
  answer = provider.callback()
  return url
}

const tokenOf = ({ headers }: IncomingMessage): string => (headers.authorization ?? '').replace('Bearer ', '')

/** Keeps what it is sent, from whoever has a token of the provider. */
async function serveRefunds(): Promise<string> {
  const app = jsonServer.create()
  app.use(
    async (request: IncomingMessage, response: { sendStatus(code: number): void }, next: () => void) => {
      if (await provider.ClientCredentials.find(tokenOf(request))) next()
      else response.sendStatus(401)
    },
  )
  app.use(jsonServer.bodyParser)
  app.use(refunds)
  return listen(app)
}

const shipped: string[] = []
async function serveShipments(): Promise<string> {
  const schema = buildSchema(`
    type Query { shipped: [String!]! }
    type Mutation { ship(charge: String!): String }
  `)
  const ship = ({ charge }: { charge: string }): string => {
    shipped.push(charge)
    if (charge === 'ch_broken') throw new Error('the label printer is out of paper')
    return `shipped ${charge}`
  }
  const handler = createHandler({ schema, rootValue: { ship, shipped: () => shipped } })
  return listen((request, response) => void handler(request, response))
}

const charge = '{parameters.charge}'
function crm(secret: string): HttpSettings {
  return {
    base_url: api,
    auth: {
      type: 'oauth2_client_credentials',
      token_url: `${issuer}/token`,
      client_id: 'gate',
      client_secret: { env: secret },
      scope: 'refunds',
    },
    operations: {
      refund: { method: 'POST', path: '/refunds', body: { charge, amount: 5 } },
      refund_form: { method: 'POST', path: '/refunds', content: 'form', body: { charge } },
      read: { method: 'GET', path: '/refunds', query: { charge } },
      missing: { method: 'GET', path: '/refunds/{parameters.charge}' },
    },
  }
}

function shipments(): HttpSettings {
  const asking = (query: string) => {
    const body = { query, variables: { charge } }
    return { method: 'POST' as const, path: '/', body }
  }
  return {
    base_url: graphql,
    preset: 'graphql',
    headers: { accept: 'application/json' },
    operations: {
      ship: asking('mutation ($charge: String!) {{ ship(charge: $charge) }}'),
      no_syntax: asking('mutation ('),
      no_field: asking('mutation ($charge: String!) {{ send(charge: $charge) }}'),
    },
  }
}

beforeAll(async () => {
  issuer = await serveTokens()
  api = await serveRefunds()
  graphql = await serveShipments()
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_EXECUTE_WITHIN_MS: '1500',
      SERVICE_RETRY_MS_MAX: '200',
      SERVICE_SWEEP_MS: '100',
      ACTUATOR_CRM_SECRET: 'secret-of-the-gate',
      ACTUATOR_CRM_WRONG: 'secret-of-nobody',
    },
  })
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['crm', 'wrong', 'shop'],
      approval_required_at: 'high',
      review_route: 'leads',
    },
    actuators: [
      { name: 'crm', kind: 'http', settings: crm('ACTUATOR_CRM_SECRET') },
      { name: 'wrong', kind: 'http', settings: crm('ACTUATOR_CRM_WRONG') },
      { name: 'shop', kind: 'http', settings: shipments() },
    ],
  })
})

beforeEach(() => {
  tokensAsked.length = 0
  shipped.length = 0
})

afterAll(async () => {
  await service.close()
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise<void>(resolve => server.close(() => resolve()))
  }
})

async function run(system: string, operation: string, parameters: Record<string, string>) {
  const { body } = await tenant.submit({ system, operation, parameters })
  return tenant.settled(body.action_id)
}

describe('json-server behind oidc-provider', () => {
  it('keeps what an action sends, with one token for all of them', async () => {
    const traces = await Promise.all(['ch_1', 'ch_2', 'ch_3'].map(id => run('crm', 'refund', { charge: id })))
    expect(traces.map(({ status }) => status)).toEqual(['executed', 'executed', 'executed'])
    expect(
      made()
        .map(row => (row as { charge: string }).charge)
        .sort(),
    ).toEqual(['ch_1', 'ch_2', 'ch_3'])
    expect(tokensAsked).toHaveLength(1)
    expect(await run('crm', 'read', { charge: 'ch_2' })).toMatchObject({
      execution: { result: { detail: { status: 200, body: [{ charge: 'ch_2', amount: 5 }] } } },
    })
    expect(JSON.stringify(traces) + service.logged()).not.toContain('secret-of-the-gate')
  })

  it('takes a form, and says what is not there', async () => {
    expect((await run('crm', 'refund_form', { charge: 'a&b=c' })).status).toBe('executed')
    expect(made().at(-1)).toMatchObject({ charge: 'a&b=c' })
    expect(await run('crm', 'missing', { charge: '999' })).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'http_404' } },
    })
  })

  it('refuses a token that was revoked, and the next action has another', async () => {
    const before = made().length
    const revoke = provider.ClientCredentials.find
    provider.ClientCredentials.find = async () => undefined
    expect(await run('crm', 'refund', { charge: 'ch_4' })).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'http_401' } },
    })
    provider.ClientCredentials.find = revoke
    expect((await run('crm', 'refund', { charge: 'ch_5' })).status).toBe('executed')
    expect(tokensAsked).toHaveLength(1)
    expect(made()).toHaveLength(before + 1)
  })

  it('gets nothing from a client that the provider refuses', async () => {
    const before = made().length
    const trace = await run('wrong', 'refund', { charge: 'ch_6' })
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'token_refused', message: expect.stringContaining('invalid_client') } },
    })
    expect(made()).toHaveLength(before)
    expect(JSON.stringify(trace)).not.toContain('secret-of-nobody')
  })
})

describe('graphql-http', () => {
  it('is executed where the answer has data', async () => {
    expect(await run('shop', 'ship', { charge: 'ch_1' })).toMatchObject({
      status: 'executed',
      execution: { result: { detail: { body: { data: { ship: 'shipped ch_1' } } } } },
    })
    expect(shipped).toEqual(['ch_1'])
  })

  it.each(['no_syntax', 'no_field'])('has failed for %s, of which nothing was executed', async operation => {
    expect((await run('shop', operation, { charge: 'ch_2' })).status).toBe('execution_failed')
    expect(shipped).toEqual([])
  })

  it('is unknown where the operation began and then failed', async () => {
    const trace = await run('shop', 'ship', { charge: 'ch_broken' })
    expect(trace.status).toBe('outcome_unknown')
    expect(trace.events.findLast(({ kind }) => kind === 'execution')).toMatchObject({
      body: { rule: 'preset.graphql.success_when' },
    })
    expect(shipped).toEqual(['ch_broken'])
  })
})
