import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Issue } from '../../../shared/contract/base/errors.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { SecretList } from '../../../shared/contract/configuration/secret-schema.ts'
import type { ToolHealth } from '../../../shared/contract/configuration/tool-health-schema.ts'
import type { ChangedTool, ToolView } from '../../../shared/contract/configuration/tool-import.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { newValue } from '../../support/service/secrets-bed.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** What a tool proves itself with, and does not have, or is refused with: whoever changes, watches or looks at it is told. */
let service: TestService
let tenant: TestTenant
let shop: Downstream
let issuer: Downstream
let tokens: { status: number; body: object }

beforeAll(async () => {
  shop = await startDownstream((_seen, response) => response.end('{}'))
  issuer = await startDownstream((_seen, response) =>
    response
      .writeHead(tokens.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(tokens.body)),
  )
  service = await startService({ env: secretsEnvironment })
})

beforeEach(async () => {
  tokens = { status: 401, body: { error: 'invalid_client' } }
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
})

afterAll(async () => {
  await service.close()
  await shop.close()
  await issuer.close()
})

const ask = async <Body>(method: string, path: string, json?: object) => {
  const more = { admin: service.admin, ...(json ? { json } : {}) }
  const { status, body } = await service.call<Body>(method, `/v1/tenants/${tenant.id}${path}`, more)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

const secret = (name: string) => ({ secret: name })
const oauth = (client_secret: object, token_url = `${issuer.url}/token`) => ({
  type: 'oauth2_client_credentials',
  token_url,
  client_id: 'gate',
  client_secret,
})

/** A client certificate takes an address with TLS. */
function actuator(auth: { type: string }): RegisteredActuator {
  const base_url = auth.type === 'mtls' ? shop.url.replace('http:', 'https:') : shop.url
  const operations = { list: { method: 'GET', path: '/orders' } }
  return {
    name: 'shop',
    kind: 'http',
    settings: { base_url, auth, operations },
  } as unknown as RegisteredActuator
}

const entry = {
  system: 'shop',
  operation: 'list',
  title: 'List',
  parameter_schema: { type: 'object', additionalProperties: false },
  minimum_risk: 'low',
  effects: ['reads data'],
  reversibility: 'reversible',
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none',
  tool_schema_hash: null,
}

const put = (auth: { type: string }) =>
  ask<ChangedTool>('PUT', '/tools/shop', { actuator: actuator(auth), operations: [entry] })
const told = (issues: readonly Issue[]) => issues.map(({ path, code }) => `${path} ${code}`).sort()

/** Proposes a call, and waits until the queue says why it waits. */
async function waitsFor(code: string): Promise<string> {
  const { body } = await tenant.submit({ system: 'shop', operation: 'list', parameters: {} })
  const queue = `/v1/queue/jobs?view=later&tenant_id=${tenant.id}`
  const verdict = async () => {
    const { body: page } = await service.call<{ jobs: { last_error: string | null }[] }>('GET', queue, {
      admin: service.admin,
    })
    return page.jobs.map(({ last_error }) => last_error)
  }
  await expect.poll(verdict, { timeout: 20_000 }).toEqual([code])
  const waiting = async () => (await ask<ToolHealth>('GET', '/tools/shop/health')).waiting
  await expect.poll(waiting, { timeout: 20_000 }).toMatchObject([{ code, count: 1 }])
  return body.action_id
}

describe('a credential that is missing', () => {
  it.each<[string, () => { type: string }, string[]]>([
    ['of an OAuth client', () => oauth(secret('client')), ['auth.client_secret']],
    ['of Basic', () => ({ type: 'basic', username: 'gate', password: secret('basic') }), ['auth.password']],
    [
      'of mTLS',
      () => ({ type: 'mtls', certificate: secret('cert'), key: secret('key') }),
      ['auth.certificate', 'auth.key'],
    ],
    [
      'of AWS',
      () => ({
        type: 'aws_sigv4',
        access_key_id: 'id',
        secret_access_key: secret('aws'),
        region: 'eu',
        service: 'sqs',
      }),
      ['auth.secret_access_key'],
    ],
  ])('%s is told at PUT, on the page of the tool and by the queue', async (_of, auth, places) => {
    const warned = places.map(place => `actuator.settings.${place}.secret secret_missing`)
    expect(told((await put(auth())).warnings)).toEqual(warned)
    const { warnings } = await ask<{ warnings: Issue[] }>('PUT', '/actuators', {
      actuators: [actuator(auth())],
    })
    expect(told(warnings)).toEqual(warned.map(line => line.replace('actuator.', 'actuators[0].')))
    expect(told((await ask<ToolView>('GET', '/tools/shop')).warnings)).toEqual(warned)
    const { needs } = await ask<SecretList>('GET', '/secrets')
    expect(needs.map(({ path, state }) => `${path} ${state}`).sort()).toEqual(
      places.map(place => `settings.${place}.secret missing`),
    )
    await waitsFor('secret_missing')
    expect(shop.seen).toEqual([])
  })
})

describe('a credential that is refused', () => {
  it('by the token endpoint is told by the queue and the page, until it is mended', async () => {
    await put(oauth(secret('client')))
    await ask('PUT', '/secrets/client', { actuator: 'shop', value: newValue('client') })
    const id = await waitsFor('token_refused')
    expect(shop.seen).toEqual([])
    tokens = { status: 200, body: { access_token: newValue('access'), token_type: 'Bearer', expires_in: 60 } }
    expect((await tenant.settled(id)).status).toBe('executed')
    expect((await ask<ToolHealth>('GET', '/tools/shop/health')).waiting).toEqual([])
    shop.seen.length = 0
  })

  it('since its token endpoint may not be called is told at PUT', async () => {
    const { warnings } = await put(oauth(secret('client'), 'http://10.0.0.1/token'))
    expect(told(warnings)).toContain('actuator.settings.auth.token_url egress_refused')
  })
})
