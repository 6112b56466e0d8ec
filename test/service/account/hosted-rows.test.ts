import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { startHostileIssuer } from '../../support/servers/hostile-issuer.ts'
import { goodPassword, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** Every row that needs a session, asked as its owner, as another one, as nobody, and from another site. */
let service: TestService
let without: TestService
let owner: TestOwner
let other: TestOwner

beforeAll(async () => {
  const hosted = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' }
  ;[service, without] = await Promise.all([
    startService({ env: hosted, worker: null }),
    startService({ worker: null }),
  ])
  ;[owner, other] = await Promise.all([signUp(service.call), signUp(service.call)])
})

afterAll(() => Promise.all([service.close(), without.close()]))

const rows = Object.values(endpoints as Record<string, Endpoint>).filter(({ hosted }) => hosted)
const ofSession = rows.filter(({ access }) => access === 'session' || access === 'member')
const named = (table: readonly Endpoint[]) =>
  table.map(row => ({ ...row, route: `${row.method} ${row.path}` }))
const ofTenant = ofSession.filter(({ path }) => path.includes('{tenant_id}'))
/** Rows that begin a session, or the way to one; how people may sign in is for anybody to read. */
const ofVisitors = rows.filter(({ access, method, form }) => access === 'none' && method !== 'GET' && !form)
const writes = ofSession.filter(({ method }) => method !== 'GET')

/** Of an action and a key that nobody has, so that whoever is admitted changes nothing. */
function concrete(path: string, tenantId: string): string {
  return path
    .replace('{tenant_id}', tenantId)
    .replace('{action_id}', `act_${'0'.repeat(36)}`)
    .replace('{key_id}', 'agk_aaaaaaaaaaaaaaaa')
    .replace('{issuer}', 'example')
}

const jsonOf = ({ body }: Endpoint) => (body ? { json: { unknown: true } } : {})
const said = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Problem | null)?.code}`

it('the table has the rows of the specification', () => {
  expect(ofTenant.length).toBeGreaterThanOrEqual(18)
  expect(rows.length - ofSession.length).toBe(13)
  expect(ofVisitors.map(({ method }) => method)).toEqual(Array.from({ length: 9 }, () => 'POST'))
})

describe.each(named(rows))('$route', row => {
  it('is not there where hosted accounts are off', async () => {
    const path = concrete(row.path, owner.tenant_id)
    const there = await without.call<Problem>(row.method, path, jsonOf(row))
    const unknown = await without.call<Problem>(row.method, '/v1/nothing', jsonOf(row))
    expect(said(there)).toBe('404 not_found')
    expect(there.body).toEqual({ ...unknown.body, request_id: there.body.request_id })
  })
})

describe.each(named(ofSession))('$route', row => {
  const path = () => concrete(row.path, owner.tenant_id)

  it.each([
    ['no session', {}],
    ['an unknown session', { cookie: `service_session=${'A'.repeat(43)}` }],
    ['no session but a key', { 'x-service-admin-key': 'the admin key' }],
    ['two sessions', { cookie: 'service_session=a; service_session=b' }],
  ])('asks who it is of %s', async (_what, given) => {
    const headers = {
      ...given,
      ...('x-service-admin-key' in given ? { 'x-service-admin-key': service.admin } : {}),
    }
    const answer = await service.call(row.method, path(), { ...jsonOf(row), headers })
    expect(said(answer)).toBe('401 session_required')
    expect(answer.headers['www-authenticate']).toBe('Session')
  })

  it.each([
    ['Authorization: Bearer', () => ({ authorization: `Bearer ${owner.agent}` })],
    ['X-Service-API-Key', () => ({ 'x-service-api-key': owner.agent })],
    ['X-Service-Admin-Key', () => ({ 'x-service-admin-key': service.admin })],
  ])('refuses %s beside a session', async (_what, headers) => {
    const answer = await owner.browser.call(row.method, path(), { ...jsonOf(row), headers: headers() })
    expect(said(answer)).toBe('400 conflicting_credentials')
  })
})

describe.each(named(writes))('$route', row => {
  const path = () => concrete(row.path, owner.tenant_id)

  it.each([
    ['no token', () => ''],
    ['a token of another session', () => other.browser.csrf ?? ''],
    ['a token that is longer', () => `${owner.browser.csrf}x`],
  ])('refuses %s against forged requests', async (_what, token) => {
    const headers = { 'x-service-csrf': token() }
    const answer = await owner.browser.call(row.method, path(), { ...jsonOf(row), headers })
    expect(said(answer)).toBe('403 csrf_refused')
  })

  it.each([
    [{ origin: 'https://elsewhere.example' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('refuses %o', async headers => {
    const answer = await owner.browser.call(row.method, path(), { ...jsonOf(row), headers })
    expect(said(answer)).toBe('403 cross_site_request')
  })
})

describe.each(named(ofTenant))('$route', row => {
  it('knows another owner’s application as little as one that never was', async () => {
    const ask = (tenantId: string) =>
      owner.browser.call<Problem>(row.method, concrete(row.path, tenantId), jsonOf(row))
    const theirs = await ask(other.tenant_id)
    const nobodys = await ask('example-shop-22222222')
    expect(said(theirs)).toBe('404 tenant_not_found')
    expect({ ...theirs.body, detail: theirs.body.detail.replace(other.tenant_id, 'it') }).toEqual({
      ...nobodys.body,
      detail: nobodys.body.detail.replace('example-shop-22222222', 'it'),
      request_id: theirs.body.request_id,
    })
    const shown = ({ headers }: typeof theirs) =>
      Object.keys(headers)
        .filter(name => name !== 'date')
        .sort()
    expect(shown(theirs)).toEqual(shown(nobodys))
  })
})

describe.each(named(ofVisitors))('$route', row => {
  const json = { email: 'visitor@example.org', password: goodPassword, organization: 'x' }

  it.each([[{ origin: 'https://elsewhere.example' }], [{ 'sec-fetch-site': 'cross-site' }]])(
    'refuses %o',
    async headers => {
      expect(said(await service.call(row.method, row.path, { json, headers }))).toBe('403 cross_site_request')
    },
  )
})

it('the service’s own pages are its own, by their address and by SERVICE_BASE_URL', async () => {
  const own = { origin: service.url, 'sec-fetch-site': 'same-origin' }
  const { status } = await owner.browser.call('POST', owner.path('/api-keys'), {
    json: { name: 'x' },
    headers: own,
  })
  expect(status).toBe(201)
  const issuer = await startHostileIssuer(() => '')
  const other = { title: 'Other', issuer: issuer.url, client_id: 'gate' }
  const behind = await startService({
    worker: null,
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_BASE_URL: 'https://gate.example/base',
      SERVICE_OIDC_ISSUERS: JSON.stringify({ other }),
    },
  })
  try {
    const json = { email: 'x@example.org', password: goodPassword, organization: 'x' }
    const headers = { origin: 'https://gate.example' }
    const made = await behind.call('POST', '/v1/accounts/signup', { json, headers })
    expect(made.status).toBe(201)
    expect(made.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^service_session=[\w-]{43}; Path=\/base; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/,
      ),
      expect.stringMatching(
        /^service_device=[\w-]{43}; Path=\/base; HttpOnly; SameSite=Lax; Secure; Max-Age=15552000$/,
      ),
    ])
    const begun = { issuer: 'other', organization: 'x' }
    const bound = await behind.call('POST', '/v1/accounts/sign-in', { json: begun, headers })
    expect(bound.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-service_sign_in=[^;]{43,}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
      ),
    ])
  } finally {
    await behind.close()
    await issuer.close()
  }
})
