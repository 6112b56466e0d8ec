import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnedTenantCreated, SessionProfile } from '../../../shared/contract/account.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type HostileIssuer, startHostileIssuer } from '../../support/servers/hostile-issuer.ts'
import { type Browser, newBrowser } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

let service: TestService
let issuer: HostileIssuer
let nonce = ''

beforeAll(async () => {
  issuer = await startHostileIssuer(() => nonce)
  const setting = { title: 'Example', issuer: issuer.url, client_id: 'gate' }
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOCAL_ACCOUNTS: 'false',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_OIDC_ISSUERS: JSON.stringify({
        example: setting,
        other: { ...setting, issuer: 'http://127.0.0.1:1' },
        closed: { ...setting, issuer: 'http://localhost:1', sign_up: false },
      }),
    },
  })
})

afterAll(async () => {
  await service?.close()
  await issuer?.close()
})

interface Begun {
  authorization_url: string
}

async function begin(browser: Browser): Promise<URLSearchParams> {
  const json = { issuer: 'example', organization: 'Example Shop' }
  const { body } = await browser.call<Begun>('POST', '/v1/accounts/sign-in', { json })
  const { searchParams } = new URL(body.authorization_url)
  nonce = searchParams.get('nonce') ?? ''
  return new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '', iss: issuer.url })
}

const complete = (browser: Browser, parameters: URLSearchParams, name = 'example') =>
  browser.call<SessionProfile & Problem>('POST', '/v1/accounts/sign-in/complete', {
    json: { issuer: name, parameters: String(parameters) },
  })

async function signIn(claims: object): Promise<{ browser: Browser; profile: SessionProfile }> {
  issuer.claims = claims
  const browser = newBrowser(service.call)
  const { status, body } = await complete(browser, await begin(browser))
  expect({ status, body }).toMatchObject({ status: 200 })
  return { browser, profile: body }
}

describe('a session of an issuer', () => {
  it('ends no later than the issuer says', async () => {
    const session_expiry = Math.floor(Date.now() / 1_000) + 90
    const { profile } = await signIn({ sub: 'short', session_expiry })
    const end = new Date(session_expiry * 1_000).toISOString()
    expect(profile).toMatchObject({ expires_at: end, idle_expires_at: end })
  })

  it('ends no later than the service says', async () => {
    const session_expiry = Math.floor(Date.now() / 1_000) + 864_000
    const { profile } = await signIn({ sub: 'long', session_expiry })
    expect(Date.parse(profile.expires_at)).toBeLessThanOrEqual(Date.now() + 43_200_000)
  })

  it('goes on while the issuer is down, and may end; no new one begins', async () => {
    const { browser } = await signIn({ sub: 'stays' })
    const parameters = await begin(browser)
    const answers = ['/.well-known/openid-configuration', '/token', '/jwks'] as const
    for (const path of answers) issuer.answers.set(path, response => response.destroy())
    const unavailable = { status: 503, body: { code: 'issuer_unavailable' } }
    expect(await complete(browser, parameters)).toMatchObject(unavailable)
    const json = { issuer: 'other' }
    expect(await browser.call('POST', '/v1/accounts/sign-in', { json })).toMatchObject(unavailable)
    expect((await browser.call('GET', '/v1/accounts/session')).status).toBe(200)
    expect(await browser.call('POST', '/v1/accounts/logout', { json: {} })).toMatchObject({ status: 200 })
    issuer.answers.clear()
  })

  it('is known by issuer and subject, never by the address', async () => {
    const one = await signIn({ sub: 'first', email: 'shared@example.org' })
    const other = await signIn({ sub: 'second', email: 'shared@example.org' })
    expect(other.profile.account.account_id).not.toBe(one.profile.account.account_id)
    const renamed = await signIn({ sub: 'first', email: 'renamed@example.org' })
    expect(renamed.profile.account.account_id).toBe(one.profile.account.account_id)
  })

  it('tells the log why it was refused, and the caller only that it was', async () => {
    issuer.claims = { aud: 'somebody-else' }
    const browser = newBrowser(service.call)
    const { body } = await complete(browser, await begin(browser))
    expect(body).toMatchObject({ code: 'sign_in_refused', detail: 'The sign-in at the issuer does not hold' })
    expect(service.logged()).toMatch(/sign-in at an issuer failed/)
  })
})

describe('an attempt at one issuer', () => {
  it('is not taken to the page of another one', async () => {
    issuer.claims = { sub: 'mixed' }
    const browser = newBrowser(service.call)
    const parameters = await begin(browser)
    const before = issuer.asked('/token')
    const refused = { status: 403, body: { code: 'sign_in_refused' } }
    expect(await complete(browser, parameters, 'other')).toMatchObject(refused)
    expect(await complete(browser, parameters)).toMatchObject(refused)
    expect(issuer.asked('/token')).toBe(before)
  })

  it('counts once, however many come at the same time', async () => {
    issuer.claims = { sub: 'racing' }
    const browser = newBrowser(service.call)
    const parameters = await begin(browser)
    const cookies = [...browser.cookies]
    const tabs = Array.from({ length: 8 }, () => {
      const tab = newBrowser(service.call)
      for (const [name, value] of cookies) tab.cookies.set(name, value)
      return tab
    })
    const answers = await Promise.all(tabs.map(tab => complete(tab, parameters)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7)
  })

  it('stores nothing that would open it', async () => {
    const browser = newBrowser(service.call)
    const parameters = await begin(browser)
    const rows = await asReader<{ text: string }>(
      service.context.store,
      'select t::text as text from sign_ins t',
    )
    const secrets = [parameters.get('state'), nonce, browser.cookies.get('service_sign_in')]
    for (const { text } of rows) for (const secret of secrets) expect(text).not.toContain(secret)
  })
})

describe('a decision', () => {
  it('records who signed in at which issuer, when and how well', async () => {
    const auth_time = Math.floor(Date.now() / 1_000) - 100
    const { browser, profile } = await signIn({ sub: 'approver', auth_time, acr: 'hardware' })
    const json = { name: 'Shop', template: 'support' }
    const { body: made } = await browser.call<OwnedTenantCreated>('POST', '/v1/accounts/tenants', { json })
    const asked = proposal({ risk: 'medium', system: 'payments', operation: 'refund' })
    const parameters = { amount: 30, currency: 'EUR', order: { id: 'A-1' } }
    const { body: verdict } = await service.call<{ action_id: string; decision: string }>(
      'POST',
      '/v1/actions',
      {
        key: made.api_key,
        json: { ...asked, action: { ...asked.action, parameters } },
      },
    )
    expect(verdict.decision).toBe('needs_approval')
    const path = `/v1/accounts/tenants/${made.tenant.tenant_id}/actions/${verdict.action_id}`
    expect((await browser.call('POST', `${path}/approve`, { json: {} })).status).toBe(200)
    const { body } = await browser.call<AuditExport>('GET', `${path}/audit-export`)
    const approval = body.events.find(({ event }) => event.includes('"kind":"approval"'))
    expect(approval?.payload).toMatchObject({
      name: profile.account.email,
      identity: {
        issuer: issuer.url,
        subject: 'approver',
        auth_time: new Date(auth_time * 1_000).toISOString(),
        acr: 'hardware',
      },
    })
  })
})

describe('local accounts', () => {
  it.each(['signup', 'login'])('are not there where they are turned off (%s)', async name => {
    const json = { email: 'ann@example.org', password: 'a long phrase nobody guesses', organization: 'Shop' }
    expect((await service.call('POST', `/v1/accounts/${name}`, { json })).status).toBe(404)
  })
})
