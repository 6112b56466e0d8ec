import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { LinkedIdentity, SignInWays } from '../../../shared/contract/identity.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { type Browser, newBrowser, signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let issuer: TestIssuer

beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      ...issuer.setting({ acr_values: ['urn:test:password'] }),
    },
  })
})

afterAll(async () => {
  await service?.close()
  await issuer?.close()
})

const begin = (browser: Browser, json: object = { issuer: 'example' }) =>
  browser.call<{ authorization_url: string } & Problem>('POST', '/v1/accounts/sign-in', { json })

const complete = (browser: Browser, parameters: string, name = 'example') =>
  browser.call<SessionProfile & Problem>('POST', '/v1/accounts/sign-in/complete', {
    json: { issuer: name, parameters },
  })

/** Through the issuer as `login`; a new one makes an organization. */
async function signInAs(browser: Browser, login: string, organization?: string) {
  const { body } = await begin(browser, { issuer: 'example', ...(organization ? { organization } : {}) })
  return complete(browser, await issuer.authorize(body.authorization_url, login))
}

describe('sign-in at an issuer', () => {
  it('is offered with the others', async () => {
    const { body } = await service.call<SignInWays>('GET', '/v1/accounts/sign-in')
    expect(body).toEqual({
      local: true,
      password_reset: false,
      issuers: [{ name: 'example', title: 'Example Login', sign_up: true }],
    })
  })

  it('makes an account for who is new and names an organization, and finds it again', async () => {
    const first = newBrowser(service.call)
    const made = await signInAs(first, 'ann', 'Ann & Co')
    expect(made).toMatchObject({
      status: 200,
      body: {
        account: { email: 'ann@example.org' },
        organization: { name: 'Ann & Co' },
        identity: { issuer: issuer.url, subject: 'ann', acr: 'urn:test:password' },
      },
    })
    expect(Date.parse(made.body.identity?.auth_time ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const again = await signInAs(newBrowser(service.call), 'ann', 'Another name')
    expect(again.body).toMatchObject({ account: made.body.account, organization: made.body.organization })
    expect((await first.call('GET', '/v1/accounts/session')).status).toBe(200)
  })

  it('knows nobody who names no organization, and makes nothing', async () => {
    const browser = newBrowser(service.call)
    expect(await signInAs(browser, 'stranger')).toMatchObject({
      status: 403,
      body: { code: 'identity_unknown' },
    })
    expect(browser.cookies.has('service_session')).toBe(false)
    const rows = await asReader(service.context.store, "select 1 from identities where subject = 'stranger'")
    expect(rows).toEqual([])
  })

  it('gives a new session and ends the one that the browser had', async () => {
    const browser = newBrowser(service.call)
    await signInAs(browser, 'bob', 'Bob')
    const before = newBrowser(service.call)
    for (const [name, value] of browser.cookies) before.cookies.set(name, value)
    expect((await signInAs(browser, 'bob')).status).toBe(200)
    expect(browser.cookies.get('service_session')).not.toBe(before.cookies.get('service_session'))
    expect((await before.call('GET', '/v1/accounts/session')).status).toBe(401)
  })

  it('works in two tabs of one browser side by side', async () => {
    const browser = newBrowser(service.call)
    const one = await begin(browser, { issuer: 'example', organization: 'Cy' })
    const other = await begin(browser, { issuer: 'example', organization: 'Cy' })
    const [first, second] = await Promise.all(
      [one, other].map(({ body }) => issuer.authorize(body.authorization_url, 'cy')),
    )
    expect((await complete(browser, first ?? '')).status).toBe(200)
    // The first tab has the session, and its end cleared the binding.
    expect((await complete(browser, second ?? '')).status).toBe(403)
  })

  it('tells where the session at the issuer ends', async () => {
    const browser = newBrowser(service.call)
    await signInAs(browser, 'dan', 'Dan')
    const { body } = await browser.call<{ end_session_url: string }>('POST', '/v1/accounts/logout', {
      json: {},
    })
    const url = new URL(body.end_session_url)
    expect(url.origin).toBe(issuer.url)
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${service.url}/app/login`)
  })
})

describe('an attempt', () => {
  const refused = { status: 403, body: { code: 'sign_in_refused' } }

  it('counts once', async () => {
    const browser = newBrowser(service.call)
    const { body } = await begin(browser, { issuer: 'example', organization: 'Eve' })
    const binding = browser.cookies.get('service_sign_in') ?? ''
    const parameters = await issuer.authorize(body.authorization_url, 'eve')
    expect((await complete(browser, parameters)).status).toBe(200)
    browser.cookies.set('service_sign_in', binding)
    expect(await complete(browser, parameters)).toMatchObject(refused)
  })

  it('is that of the browser which began it', async () => {
    const { body } = await begin(newBrowser(service.call), { issuer: 'example', organization: 'Fay' })
    const parameters = await issuer.authorize(body.authorization_url, 'fay')
    const other = newBrowser(service.call)
    expect(await complete(other, parameters)).toMatchObject(refused)
    await begin(other)
    expect(await complete(other, parameters)).toMatchObject(refused)
  })

  it('is over after its time, and leaves the database', async () => {
    const browser = newBrowser(service.call)
    const { body } = await begin(browser, { issuer: 'example', organization: 'Gil' })
    const parameters = await issuer.authorize(body.authorization_url, 'gil')
    const over = "update action_gate.sign_ins set expires_at = now() - interval '1 second'"
    await asSuperuser(service.database, over)
    expect(await complete(browser, parameters)).toMatchObject(refused)
    await expect
      .poll(() => asReader(service.context.store, 'select 1 from sign_ins where expires_at < now()'), {
        timeout: 10_000,
      })
      .toEqual([])
  })

  it.each([
    ['without a state', 'code=abc'],
    ['with a state that was never given', `code=abc&state=${'A'.repeat(43)}`],
    ['with two states', `code=abc&state=${'A'.repeat(43)}&state=${'B'.repeat(43)}`],
    ['with nothing', ''],
  ])('is refused %s', async (_, parameters) => {
    const browser = newBrowser(service.call)
    await begin(browser)
    expect(await complete(browser, parameters)).toMatchObject(refused)
  })

  it('is refused where the issuer says no', async () => {
    const browser = newBrowser(service.call)
    const { body } = await begin(browser)
    const state = new URL(body.authorization_url).searchParams.get('state') ?? ''
    const parameters = new URLSearchParams({ error: 'access_denied', state, iss: issuer.url })
    expect(await complete(browser, String(parameters))).toMatchObject(refused)
  })

  it('says what the issuer needs to bind it: PKCE, state and nonce', async () => {
    const { body } = await begin(newBrowser(service.call))
    const { searchParams } = new URL(body.authorization_url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'gate',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      redirect_uri: `${service.url}/app/signed-in/example`,
      max_age: '43200',
    })
  })

  it('needs an issuer that is configured', async () => {
    const browser = newBrowser(service.call)
    expect(await begin(browser, { issuer: 'nobody' })).toMatchObject({
      status: 404,
      body: { code: 'issuer_not_found' },
    })
    expect(await complete(browser, 'code=a', 'nobody')).toMatchObject({ status: 404 })
  })

  it('is refused from a page of another site', async () => {
    const browser = newBrowser(service.call)
    const headers = { origin: 'https://elsewhere.example' }
    for (const path of ['/v1/accounts/sign-in', '/v1/accounts/sign-in/complete']) {
      const json = { issuer: 'example' }
      expect(await browser.call('POST', path, { json, headers })).toMatchObject({
        status: 403,
        body: { code: 'cross_site_request' },
      })
    }
  })
})

describe('a link', () => {
  const linksOf = async (browser: Browser) =>
    (await browser.call<{ identities: LinkedIdentity[] }>('GET', '/v1/accounts/identities')).body.identities
  const unlink = (browser: Browser, subject: string) =>
    browser.call('POST', '/v1/accounts/identities/unlink', { json: { issuer: issuer.url, subject } })
  const beginLink = async (browser: Browser): Promise<string> => {
    const json = { issuer: 'example' }
    const { body } = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/identities', {
      json,
    })
    return body.authorization_url
  }
  const link = async (browser: Browser, login: string) =>
    complete(browser, await issuer.authorize(await beginLink(browser), login))

  it('opens the account of a password, which stays one holder', async () => {
    const owner = await signUp(service.call)
    expect(await link(owner.browser, 'linked')).toMatchObject({
      status: 200,
      body: { account: { account_id: owner.account_id }, identity: { subject: 'linked' } },
    })
    const elsewhere = newBrowser(service.call)
    const { body } = await signInAs(elsewhere, 'linked')
    expect(body.account.account_id).toBe(owner.account_id)
    expect(await linksOf(elsewhere)).toMatchObject([{ issuer: issuer.url, subject: 'linked' }])
  })

  it('ends with every session that was begun by it', async () => {
    const owner = await signUp(service.call)
    await link(owner.browser, 'unlinked')
    const elsewhere = newBrowser(service.call)
    await signInAs(elsewhere, 'unlinked')
    expect(await unlink(elsewhere, 'unlinked')).toMatchObject({ status: 200, body: { ended: 2 } })
    expect((await elsewhere.call('GET', '/v1/accounts/session')).status).toBe(401)
    expect((await owner.browser.call('GET', '/v1/accounts/session')).status).toBe(401)
    expect((await signInAs(newBrowser(service.call), 'unlinked')).status).toBe(403)
  })

  it('stays where it is the last way in, also when all go at once', async () => {
    const browser = newBrowser(service.call)
    await signInAs(browser, 'last', 'Last')
    expect(await unlink(browser, 'last')).toMatchObject({ status: 409, body: { code: 'last_identity' } })
    expect(await unlink(browser, 'other')).toMatchObject({
      status: 404,
      body: { code: 'identity_not_found' },
    })
    await link(browser, 'last-but-one')
    const answers = await Promise.all(['last', 'last-but-one'].map(subject => unlink(browser, subject)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('takes no identity of somebody else', async () => {
    await signInAs(newBrowser(service.call), 'theirs', 'Theirs')
    const owner = await signUp(service.call)
    expect(await link(owner.browser, 'theirs')).toMatchObject({
      status: 409,
      body: { code: 'identity_taken' },
    })
    expect(await linksOf(owner.browser)).toEqual([])
  })

  it('is completed in a session of the account that began it alone', async () => {
    const [owner, other] = [await signUp(service.call), await signUp(service.call)]
    const parameters = await issuer.authorize(await beginLink(owner.browser), 'mine')
    owner.browser.cookies.set('service_session', other.browser.cookies.get('service_session') ?? '')
    expect(await complete(owner.browser, parameters)).toMatchObject({ status: 403 })
    expect(await linksOf(other.browser)).toEqual([])
  })
})
