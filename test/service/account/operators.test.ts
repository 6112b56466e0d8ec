import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import type {
  Operator,
  OperatorInvited,
  OperatorRole,
  OperatorSession,
} from '../../../shared/contract/operator-schema.ts'
import { type HostileIssuer, startHostileIssuer } from '../../support/servers/hostile-issuer.ts'
import { type Cookies, startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { type Browser, newBrowser } from '../../support/service/owner.ts'
import { plantOperator } from '../../support/service/plant-operator.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let issuer: TestIssuer
let hostile: HostileIssuer
let tenant: TestTenant

beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  hostile = await startHostileIssuer(() => '')
  const { example } = JSON.parse(issuer.consoleSetting().SERVICE_OPERATOR_ISSUERS ?? '') as {
    example: object
  }
  const other = { title: 'Hostile', issuer: hostile.url, client_id: 'gate' }
  const down = { ...other, issuer: 'http://127.0.0.1:1' }
  service = await startService({
    env: {
      SERVICE_LOGIN_LIMIT: '100000',
      ...issuer.consoleSetting(),
      SERVICE_OPERATOR_ISSUERS: JSON.stringify({ example, hostile: other, down }),
    },
  })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service?.close()
  await issuer?.close()
  await hostile?.close()
})

async function invite(
  role: OperatorRole = 'operator',
  label = 'Ola',
): Promise<OperatorInvited & { token: string }> {
  const { status, body } = await service.call<OperatorInvited>('POST', '/v1/operators', {
    admin: service.admin,
    json: { label, role },
  })
  expect(status).toBe(201)
  return { ...body, token: new URL(body.invitation_url).hash.slice(1) }
}

const begin = (browser: Browser, json: object) =>
  browser.call<{ authorization_url: string } & Problem>('POST', '/v1/operators/sign-in', { json })
const complete = (browser: Browser, parameters: string, name = 'example') =>
  browser.call<OperatorSession & Problem>('POST', '/v1/operators/sign-in/complete', {
    json: { issuer: name, parameters },
  })

async function signIn(browser: Browser, login: string, invitation?: string, cookies: Cookies = new Map()) {
  const { body } = await begin(browser, { issuer: 'example', ...(invitation ? { invitation } : {}) })
  return complete(browser, await issuer.authorize(body.authorization_url, login, cookies))
}

/** Somebody who was invited and signed in. */
async function joined(login: string, role: OperatorRole = 'operator', cookies: Cookies = new Map()) {
  const { token, operator } = await invite(role, login)
  const browser = newBrowser(service.call)
  const { status, body } = await signIn(browser, login, token, cookies)
  expect({ status, body }).toMatchObject({ status: 200 })
  return { browser, operator_id: operator.operator_id, session: body }
}

const isIn = async (browser: Browser) => (await browser.call('GET', '/v1/operators/session')).status === 200
const told = (message: string) =>
  service
    .logged()
    .split('\n')
    .filter(line => line.includes(message))
    .map(line => JSON.parse(line) as object)

describe('an invited operator', () => {
  it('signs in, does what an admin key may, and events name them', async () => {
    const { browser, operator_id, session } = await joined('ann')
    expect(session.operator).toMatchObject({
      operator_id,
      scope: 'admin',
      identity: { issuer: issuer.url, subject: 'ann' },
    })
    const frozen = await browser.call('POST', `/v1/tenants/${tenant.id}/freeze`, {
      json: { reason: 'of a test', system: 'crm' },
    })
    expect(frozen.status).toBe(200)
    const told = await asSuperuser<{ event: object; payload: object }>(
      service.database,
      `select convert_from(event, 'UTF8')::jsonb as event, convert_from(payload, 'UTF8')::jsonb as payload
       from action_gate.config_events join action_gate.config_payloads using (tenant_id, sequence)
       where kind = 'freeze' and tenant_id = '${tenant.id}'`,
    )
    expect(told).toMatchObject([
      {
        event: { principal: { id: operator_id, kind: 'admin' } },
        payload: { identity: { issuer: issuer.url, subject: 'ann' } },
      },
    ])
    await browser.call('POST', `/v1/tenants/${tenant.id}/unfreeze`, {
      json: { reason: 'done', system: 'crm' },
    })
  })

  it('erases and is named in the payload of the event', async () => {
    const { browser, operator_id } = await joined('abe')
    const { action_id } = (await tenant.submit()).body
    await tenant.settled(action_id)
    const path = `/v1/tenants/${tenant.id}/actions/${action_id}/erase`
    expect((await browser.call('POST', path, { json: { reason: 'asked for' } })).status).toBe(200)
    const place = `/v1/tenants/${tenant.id}/actions/${action_id}/audit-export`
    const { events } = (await browser.call<AuditExport>('GET', place)).body
    const { event = '', payload } = events.at(-1) ?? {}
    expect({ event: JSON.parse(event), payload }).toMatchObject({
      event: { principal: { id: operator_id, kind: 'admin' } },
      payload: { reason: 'asked for', identity: { issuer: issuer.url, subject: 'abe' } },
    })
  })

  it('mints and revokes a key, and the log says who did', async () => {
    const { browser, operator_id } = await joined('bea')
    const { body } = await browser.call<{ key: { key_id: string } }>('POST', '/v1/admin-keys', {
      json: { name: 'by bea' },
    })
    await browser.call('POST', `/v1/admin-keys/${body.key.key_id}/revoke`, { json: {} })
    const who = { by: operator_id, issuer: issuer.url, subject: 'bea' }
    expect(told('"name":"by bea"')).toMatchObject([who, who])
    expect(told('operator joined').at(-1)).toMatchObject(who)
  })

  it('is found again without the link', async () => {
    const { operator_id } = await joined('cy')
    const again = await signIn(newBrowser(service.call), 'cy')
    expect(again).toMatchObject({ status: 200, body: { operator: { operator_id } } })
  })

  it('who is on call reads everything and changes nothing', async () => {
    const { browser } = await joined('dan', 'on_call')
    const rows = Object.values<Endpoint>(endpoints).filter(row => row.access === 'admin')
    for (const { method, path, body } of rows) {
      const place = path.replace('{tenant_id}', tenant.id).replace(/jobs$/, 'jobs?view=due')
      const asked = body ? { json: {} } : {}
      if (method === 'GET') expect((await browser.call(method, place)).status).not.toBe(403)
      else {
        const answer = await browser.call<Problem>(method, place, asked)
        expect({ place, code: answer.body.code }).toEqual({ place, code: 'wrong_role' })
      }
    }
    expect((await browser.call('POST', '/v1/operators/logout', { json: {} })).status).toBe(200)
  })

  it('a role counts from the next request on', async () => {
    const { browser, operator_id } = await joined('eli', 'on_call')
    const mint = async () => (await browser.call('POST', '/v1/admin-keys', { json: { name: 'eli' } })).status
    expect(await mint()).toBe(403)
    const json = { role: 'operator' }
    const path = `/v1/operators/${operator_id}/role`
    expect((await service.call('POST', path, { admin: service.admin, json })).status).toBe(200)
    expect(await mint()).toBe(201)
  })

  it('has no session any more once somebody removed them, and no way back', async () => {
    const { browser, operator_id } = await joined('fay')
    const { browser: other } = await joined('gil')
    const path = `/v1/operators/${operator_id}/remove`
    const removed = await other.call<{ operator: Operator }>('POST', path)
    expect(removed.body.operator).toMatchObject({ status: 'removed', identity: { subject: 'fay' } })
    const answer = await browser.call<Problem>('GET', '/v1/tenants')
    expect(answer).toMatchObject({ status: 401, body: { code: 'session_required' } })
    expect((await signIn(browser, 'fay')).body.code).toBe('identity_unknown')
    expect((await other.call<Problem>('POST', path)).body.code).toBe('operator_not_found')
    expect((await joined('fay')).operator_id).not.toBe(operator_id)
  })
})

describe('an invitation', () => {
  it('is good once', async () => {
    const { token } = await invite()
    expect((await signIn(newBrowser(service.call), 'hal', token)).status).toBe(200)
    const late = await signIn(newBrowser(service.call), 'ida', token)
    expect(late).toMatchObject({ status: 409, body: { code: 'invitation_used' } })
  })

  it('ends with time, or when it is taken back', async () => {
    const [old, taken] = [await invite(), await invite()]
    await asSuperuser(
      service.database,
      `update action_gate.operators set invitation_expires_at = now() - interval '1 ms' where operator_id = '${old.operator.operator_id}'`,
    )
    await service.call('POST', `/v1/operators/${taken.operator.operator_id}/remove`, { admin: service.admin })
    for (const { token } of [old, taken]) {
      const answer = await signIn(newBrowser(service.call), 'jo', token)
      expect(answer).toMatchObject({ status: 409, body: { code: 'invitation_ended' } })
    }
    expect((await signIn(newBrowser(service.call), 'jo')).body.code).toBe('identity_unknown')
  })

  it('gives nobody a second place', async () => {
    await joined('kim')
    const { token } = await invite()
    const answer = await signIn(newBrowser(service.call), 'kim', token)
    expect(answer).toMatchObject({ status: 409, body: { code: 'identity_taken' } })
  })

  it('is in the database as a hash alone', async () => {
    const { token } = await invite()
    const rows = await asSuperuser<{ text: string }>(
      service.database,
      'select o::text as text from action_gate.operators o',
    )
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(service.logged()).not.toContain(token)
  })
})

describe('a sign-in', () => {
  it('of somebody nobody invited is refused, and the log names them', async () => {
    const answer = await signIn(newBrowser(service.call), 'stranger')
    expect(answer).toMatchObject({ status: 403, body: { code: 'identity_unknown' } })
    expect(told('no operator refused').at(-1)).toMatchObject({ issuer: issuer.url, subject: 'stranger' })
  })

  it('counts once, and in the browser that began it', async () => {
    const browser = newBrowser(service.call)
    await joined('lea')
    const { body } = await begin(browser, { issuer: 'example' })
    const binding = browser.cookies.get('service_operator_sign_in') ?? ''
    const parameters = await issuer.authorize(body.authorization_url, 'lea')
    const refused = { status: 403, body: { code: 'sign_in_refused' } }
    expect(await complete(newBrowser(service.call), parameters)).toMatchObject(refused)
    expect((await complete(browser, parameters)).status).toBe(200)
    browser.cookies.set('service_operator_sign_in', binding)
    expect(await complete(browser, parameters)).toMatchObject(refused)
  })

  it('begins nothing while the issuer is down, and sessions go on', async () => {
    const { browser } = await joined('mia')
    const answer = await begin(newBrowser(service.call), { issuer: 'down' })
    expect(answer).toMatchObject({ status: 503, body: { code: 'issuer_unavailable' } })
    expect(await isIn(browser)).toBe(true)
  })

  it('is off where nothing is configured, and the service says so', async () => {
    const off = await startService({ worker: null })
    const { body } = await off.call<{ issuers: object[] }>('GET', '/v1/operators/sign-in')
    expect(body.issuers).toEqual([])
    const begun = await off.call<Problem>('POST', '/v1/operators/sign-in', { json: { issuer: 'example' } })
    expect(begun.body.code).toBe('issuer_not_found')
    await off.close()
  })
})

describe('a session of the console', () => {
  it('shows its token with a write, and comes from our own pages', async () => {
    const { headers } = await plantOperator(service.context)
    const mint = (more: object) =>
      service.call<Problem>('POST', '/v1/admin-keys', {
        json: { name: 'x' },
        headers: { ...headers, ...more },
      })
    expect((await mint({ 'x-service-csrf': 'another' })).body.code).toBe('csrf_refused')
    expect((await mint({ origin: 'https://elsewhere.example' })).body.code).toBe('cross_site_request')
    const both = await service.call<Problem>('GET', '/v1/tenants', { headers, admin: service.admin })
    expect(both.body.code).toBe('conflicting_credentials')
    expect((await mint({})).status).toBe(201)
  })

  it('opens nothing of owners, and theirs opens nothing here', async () => {
    const { console, headers } = await plantOperator(service.context)
    expect((await service.call<Problem>('GET', '/v1/actions', { headers })).status).toBe(401)
    const swapped = { cookie: `service_session=${console}` }
    const answer = await service.call<Problem>('GET', '/v1/tenants', { headers: swapped })
    expect(answer.body.code).toBe('credential_required')
    const own = await service.call<Problem>('GET', '/v1/operators/session', { headers: swapped })
    expect(own).toMatchObject({ status: 401, body: { code: 'session_required' } })
  })

  it('ends by itself, and leaves the database', async () => {
    const { headers, operator_id } = await plantOperator(service.context)
    await asSuperuser(
      service.database,
      `update action_gate.operator_sessions set idle_expires_at = now() - interval '1 ms' where operator_id = '${operator_id}'`,
    )
    expect((await service.call('GET', '/v1/operators/session', { headers })).status).toBe(401)
    const left = () =>
      asSuperuser(
        service.database,
        `select 1 from action_gate.operator_sessions where operator_id = '${operator_id}'`,
      )
    await expect.poll(async () => (await left()).length).toBe(0)
  })

  it('ends with a sign-out, one or all of the operator', async () => {
    const [one, two, three] = [
      (await joined('ned')).browser,
      newBrowser(service.call),
      newBrowser(service.call),
    ]
    await signIn(two, 'ned')
    await signIn(three, 'ned')
    const out = await one.call<{ ended: number; end_session_url: string }>('POST', '/v1/operators/logout', {
      json: {},
    })
    expect(out.body.ended).toBe(1)
    expect(new URL(out.body.end_session_url).origin).toBe(issuer.url)
    expect([await isIn(one), await isIn(two)]).toEqual([false, true])
    await two.call('POST', '/v1/operators/logout', { json: { everywhere: true } })
    expect(await isIn(three)).toBe(false)
  })

  it('ends when the person leaves the issuer, and others go on', async () => {
    const cookies: Cookies = new Map()
    const left = await joined('oli', 'operator', cookies)
    const stays = await joined('pia')
    await issuer.leave(cookies)
    await expect.poll(() => isIn(left.browser)).toBe(false)
    expect(await isIn(stays.browser)).toBe(true)
  })

  it('does not end with a logout token that is not of its issuer', async () => {
    const { body, status } = await service.call<Problem>('POST', '/v1/operators/sign-in/example/logout', {
      json: { logout_token: hostile.logoutToken({ sub: 'pia' }) },
    })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'logout_refused' })
  })
})
