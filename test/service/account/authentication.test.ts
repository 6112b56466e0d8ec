import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyAccess } from '../../../api/http/authenticate.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { newSecret } from '../../../shared/runtime/secrets/secret.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let keys: Record<Credential, string>

const credentials = [
  'none',
  'agent',
  'approver',
  'admin',
  'agent of another tenant',
  'approver of another tenant',
  'revoked agent',
  'revoked approver',
  'revoked admin',
  'expired agent',
  'expired approver',
  'unknown agent',
  'wrong secret',
  'malformed',
] as const
type Credential = (typeof credentials)[number]

beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_SUBMIT_WAIT_MS: '0' } })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'low', review_route: 'leads' },
    actuators: [crm],
  })
  const other = await service.tenant()
  keys = {
    none: '',
    agent: tenant.agent,
    approver: tenant.approver,
    admin: service.admin,
    'agent of another tenant': other.agent,
    'approver of another tenant': other.approver,
    'revoked agent': await revoked('agent'),
    'revoked approver': await revoked('approver'),
    'revoked admin': await revoked('admin'),
    'expired agent': await expired('agent'),
    'expired approver': await expired('approver'),
    'unknown agent': `agk_aaaaaaaaaaaaaaaa.${newSecret()}`,
    'wrong secret': `${tenant.agent.split('.')[0]}.${newSecret()}`,
    malformed: 'agk_nonsense',
  }
})

afterAll(() => service.close())

async function expired(scope: ApiKey['scope']): Promise<string> {
  const key = { name: 'old', scope, tenant_id: tenant.id, expires_at: '2020-01-01T00:00:00Z' }
  return (await plantKey(service.context, key)).api_key
}

async function revoked(scope: ApiKey['scope']): Promise<string> {
  const tenant_id = scope === 'admin' ? null : tenant.id
  const { api_key, key } = await plantKey(service.context, {
    name: 'gone',
    scope,
    tenant_id,
    expires_at: null,
  })
  await asWriter(
    service.context.keys,
    `update api_keys set revoked_at = now() where key_id = '${key.key_id}'`,
  )
  return api_key
}

/** The answer to each credential on a route (specification.md#authentication), where not `ok`. */
function refusalOf(credential: Credential, access: KeyAccess): string {
  if (credential === 'none') return '401 credential_required'
  if (credential.startsWith('revoked')) return '403 key_revoked'
  if (credential.startsWith('expired')) return '403 key_expired'
  if (['unknown agent', 'wrong secret', 'malformed'].includes(credential)) return '403 invalid_key'
  const scope = credential.split(' ')[0]
  return access.split('_or_').includes(scope ?? '') ? 'admitted' : '403 wrong_scope'
}

const guarded = Object.values(endpoints as Record<string, Endpoint>).flatMap(
  ({ method, path, access, answers }) => {
    if (['none', 'session', 'member', 'operator'].includes(access)) return []
    const endless = Object.values(answers).some(({ type }) => type === 'text/event-stream')
    return [{ method, path, access: access as KeyAccess, endless, route: `${method} ${path}` }]
  },
)

async function present(method: string, path: string, headers: Record<string, string>): Promise<string> {
  const { status, body } = await service.call<Problem | null>(method, path, { headers })
  const code = body && 'code' in body ? body.code : ''
  return status === 401 || status === 403 ? `${status} ${code}` : 'admitted'
}

/** An id that is in no database, so that whoever is admitted changes nothing. */
function concrete(path: string): string {
  return path
    .replace('{action_id}', `act_${'0'.repeat(36)}`)
    .replace('{tenant_id}', 'nobody')
    .replace('{key_id}', 'agk_aaaaaaaaaaaaaaaa')
}

/** Whom a stream admits is told without an end: its own tests hear that. */
describe.each(guarded)('$route', ({ method, path, access, endless }) => {
  it.each(credentials.filter(credential => !endless || refusalOf(credential, access) !== 'admitted'))(
    'with the key: %s',
    async credential => {
      const header = access === 'admin' ? 'x-service-admin-key' : 'x-service-api-key'
      const headers: Record<string, string> = credential === 'none' ? {} : { [header]: keys[credential] }
      expect(await present(method, concrete(path), headers)).toBe(refusalOf(credential, access))
    },
  )
})

describe('the headers of a tenant key', () => {
  it.each([
    ['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['in any case', (key: string) => ({ authorization: `bearer ${key}` })],
    ['X-Service-API-Key', (key: string) => ({ 'x-service-api-key': key })],
    ['both, alike', (key: string) => ({ authorization: `Bearer ${key}`, 'x-service-api-key': key })],
  ])('%s are read', async (_name, headers) => {
    expect(await present('GET', '/v1/actions', headers(tenant.agent))).toBe('admitted')
  })

  it.each([
    [
      'Bearer and X-Service-API-Key',
      () => ({ authorization: `Bearer ${keys.agent}`, 'x-service-api-key': keys.approver }),
    ],
    [
      'a tenant key and an admin key',
      () => ({ authorization: `Bearer ${keys.agent}`, 'x-service-admin-key': keys.admin }),
    ],
    ['two of Bearer', () => ({ authorization: [`Bearer ${keys.agent}`, `Bearer ${keys.approver}`] })],
    [
      'a good and a malformed one',
      () => ({ authorization: `Bearer ${keys.agent}`, 'x-service-api-key': 'x' }),
    ],
  ])('two different credentials are refused: %s', async (_name, headers) => {
    for (const [method, path] of [
      ['GET', '/v1/actions'],
      ['GET', '/v1/tenants'],
    ] as const) {
      const { status, body } = await service.call<Problem>(method, path, { headers: headers() })
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'conflicting_credentials' })
    }
  })

  it('of Authorization, alike twice, are one credential', async () => {
    const authorization = [`Bearer ${keys.agent}`, `Bearer ${keys.agent}`]
    const { status } = await service.call('GET', '/v1/actions', { headers: { authorization } })
    expect(status).toBe(200)
  })

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b', 'Digest x=y'])(
    'Authorization: %s is refused',
    async text => {
      const { status, body } = await service.call<Problem>('GET', '/v1/actions', {
        headers: { authorization: text },
      })
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_header' })
    },
  )

  it('an admin key is no bearer, and a key in the URL is none at all', async () => {
    expect(await present('GET', '/v1/tenants', { authorization: `Bearer ${keys.admin}` })).toBe(
      '401 credential_required',
    )
    expect(await present('GET', '/v1/actions', { 'x-service-admin-key': keys.admin })).toBe(
      '401 credential_required',
    )
    expect(await present('GET', `/v1/tenants?api_key=${keys.admin}`, {})).toBe('401 credential_required')
  })

  it('401 says how to authenticate', async () => {
    const { headers } = await service.call('GET', '/v1/actions')
    expect(headers['www-authenticate']).toBe('Bearer')
  })
})

it('unknown key, wrong secret and malformed key get one answer but for request ids', async () => {
  const texts = []
  for (const credential of ['unknown agent', 'wrong secret', 'malformed'] as const) {
    const { text, headers } = await service.call('GET', '/v1/actions', { key: keys[credential] })
    texts.push(text.replace(String(headers['x-request-id']), ''))
  }
  expect(new Set(texts).size).toBe(1)
})

it('who is refused is refused before the body is read', async () => {
  const { status } = await service.call('POST', '/v1/actions', { key: keys.approver, raw: '{"broken' })
  expect(status).toBe(403)
})

it('no key and no secret is ever logged', () => {
  const log = service.logged()
  expect(log).toContain('"route":"/v1/actions"')
  for (const key of Object.values(keys).filter(text => text.includes('.'))) {
    expect(log).not.toContain(key.split('.')[1])
  }
})
