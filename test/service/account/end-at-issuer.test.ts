import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type HostileIssuer, startHostileIssuer } from '../../support/servers/hostile-issuer.ts'
import { type Cookies, startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { type Browser, newBrowser } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let real: TestIssuer
let hostile: HostileIssuer
let nonce = ''

beforeAll(async () => {
  real = await startIssuer({ serviceUrl: () => service.url })
  hostile = await startHostileIssuer(() => nonce)
  const { example } = JSON.parse(real.setting().SERVICE_OIDC_ISSUERS ?? '') as { example: object }
  const other = { title: 'Hostile', issuer: hostile.url, client_id: 'gate' }
  const down = { ...other, issuer: 'http://127.0.0.1:1' }
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_OIDC_ISSUERS: JSON.stringify({ example, hostile: other, down }),
    },
    worker: null,
  })
})

afterAll(async () => {
  await service.close()
  await real.close()
  await hostile.close()
})

const isIn = async (browser: Browser) => (await browser.call('GET', '/v1/accounts/session')).status === 200

/** As an issuer sends it. */
async function sendForm(token: string, issuer = 'hostile', more = ''): Promise<string> {
  const answer = await fetch(`${service.url}/v1/accounts/sign-in/${issuer}/logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `logout_token=${encodeURIComponent(token)}${more}`,
  })
  const { code = '' } = (await answer.json()) as Partial<Problem>
  return `${answer.status} ${code}`.trim()
}

async function begin(browser: Browser, json: object): Promise<string> {
  const path = '/v1/accounts/sign-in'
  return (await browser.call<{ authorization_url: string }>('POST', path, { json })).body.authorization_url
}

async function complete(browser: Browser, issuer: string, parameters: string): Promise<Browser> {
  const path = '/v1/accounts/sign-in/complete'
  const { status } = await browser.call('POST', path, { json: { issuer, parameters } })
  expect(status).toBe(200)
  return browser
}

async function atReal(login: string, cookies: Cookies): Promise<Browser> {
  const browser = newBrowser(service.call)
  const url = await begin(browser, { issuer: 'example', organization: 'Shop' })
  return complete(browser, 'example', await real.authorize(url, login, cookies))
}

async function atHostile(sub: string, claims: object = {}): Promise<Browser> {
  const browser = newBrowser(service.call)
  const { searchParams } = new URL(await begin(browser, { issuer: 'hostile', organization: 'Shop' }))
  nonce = searchParams.get('nonce') ?? ''
  hostile.claims = { sub, ...claims }
  const state = searchParams.get('state') ?? ''
  return complete(browser, 'hostile', String(new URLSearchParams({ code: 'c', state, iss: hostile.url })))
}

it('who leaves a real issuer is out here, and their other sessions go on', async () => {
  const [one, two]: [Cookies, Cookies] = [new Map(), new Map()]
  const left = await atReal('ann', one)
  const stays = await atReal('ann', two)
  const bob = await atReal('bob', new Map())
  await real.leave(one)
  await expect.poll(() => isIn(left)).toBe(false)
  expect([await isIn(stays), await isIn(bob)]).toEqual([true, true])
})

describe('a logout token', () => {
  it('with a subject alone ends every session that the person began there', async () => {
    const sessions = [await atHostile('cleo', { sid: 's1' }), await atHostile('cleo')]
    const other = await atHostile('dora')
    expect(await sendForm(hostile.logoutToken({ sub: 'cleo' }))).toBe('200')
    expect(await Promise.all([...sessions, other].map(isIn))).toEqual([false, false, true])
  })

  it('with a session ends that one, and those of the person whose session has no name', async () => {
    const named = await atHostile('emil', { sid: 'e1' })
    const another = await atHostile('emil', { sid: 'e2' })
    const nameless = await atHostile('emil')
    expect(await sendForm(hostile.logoutToken({ sub: 'emil', sid: 'e1' }))).toBe('200')
    expect(await Promise.all([named, another, nameless].map(isIn))).toEqual([false, true, false])
    expect(await sendForm(hostile.logoutToken({ sub: undefined, sid: 'e2' }))).toBe('200')
    expect(await isIn(another)).toBe(false)
  })

  it('is good once, so that a later session goes on', async () => {
    const token = hostile.logoutToken({ sub: 'fritz' })
    const before = await atHostile('fritz')
    expect(await sendForm(token)).toBe('200')
    expect(await isIn(before)).toBe(false)
    const later = await atHostile('fritz')
    expect(await sendForm(token)).toBe('400 logout_refused')
    expect(await isIn(later)).toBe(true)
    const rows = await asReader<{ jti: string }>(
      service.context.store,
      "select encode(jti_hash, 'hex') as jti from logout_tokens",
    )
    expect(rows.every(({ jti }) => /^[0-9a-f]{64}$/.test(jti))).toBe(true)
  })

  const now = () => Math.floor(Date.now() / 1_000)
  it.each<[string, () => string]>([
    ['of another issuer', () => hostile.logoutToken({ sub: 'gil', iss: real.url })],
    ['for another client', () => hostile.logoutToken({ sub: 'gil', aud: 'another' })],
    ['that has expired', () => hostile.logoutToken({ sub: 'gil', iat: now() - 300, exp: now() - 120 })],
    ['of eleven minutes ago', () => hostile.logoutToken({ sub: 'gil', iat: now() - 700, exp: now() + 300 })],
    ['of tomorrow', () => hostile.logoutToken({ sub: 'gil', iat: now() + 86_400, exp: now() + 90_000 })],
    ['without an end', () => hostile.logoutToken({ sub: 'gil', exp: undefined })],
    ['without a name', () => hostile.logoutToken({ sub: 'gil', jti: undefined })],
    ['with a nonce', () => hostile.logoutToken({ sub: 'gil', nonce: 'n' })],
    ['without the event', () => hostile.logoutToken({ sub: 'gil', events: { 'https://else.example': {} } })],
    [
      'whose event is no object',
      () =>
        hostile.logoutToken({
          sub: 'gil',
          events: { 'http://schemas.openid.net/event/backchannel-logout': true },
        }),
    ],
    ['about nobody', () => hostile.logoutToken({ sub: undefined })],
    ['of another type', () => hostile.logoutToken({ sub: 'gil' }, { typ: 'at+jwt' })],
    ['that is not signed', () => hostile.logoutToken({ sub: 'gil' }, { alg: 'none' }).replace(/[^.]*$/, '')],
    ['with another signature', () => `${hostile.logoutToken({ sub: 'gil' }).slice(0, -8)}AAAAAAAA`],
    ['that is no token', () => 'nonsense'],
    ['that is empty', () => ''],
  ])('%s ends nothing', async (_what, token) => {
    const browser = await atHostile('gil')
    expect(await sendForm(token())).toBe('400 logout_refused')
    expect(await isIn(browser)).toBe(true)
  })

  it('that is signed with a key nobody published ends nothing', async () => {
    const browser = await atHostile('hans')
    hostile.signWithAnother()
    expect(await sendForm(hostile.logoutToken({ sub: 'hans' }))).toBe('400 logout_refused')
    hostile.rotate()
    expect(await isIn(browser)).toBe(true)
    const token = hostile.logoutToken({ sub: 'hans' })
    await expect.poll(() => sendForm(token)).toBe('200')
    expect(await isIn(browser)).toBe(false)
  })

  it('makes no number of requests at the issuer, however much nonsense comes', async () => {
    hostile.signWithAnother()
    const junk = Array.from({ length: 100 }, () => hostile.logoutToken({ sub: 'kim' }))
    hostile.rotate()
    const foreign = Array.from({ length: 100 }, () => hostile.logoutToken({ sub: 'kim', aud: 'another' }))
    const before = hostile.asked('/jwks')
    const begun = Date.now()
    for (const token of [...junk, ...foreign]) expect(await sendForm(token)).toBe('400 logout_refused')
    const seconds = (Date.now() - begun) / 1_000
    expect(hostile.asked('/jwks') - before).toBeLessThanOrEqual(2 + seconds)
    const browser = await atHostile('kim')
    const token = hostile.logoutToken({ sub: 'kim' })
    await expect.poll(() => sendForm(token)).toBe('200')
    expect(await isIn(browser)).toBe(false)
  })

  it('counts for the issuer whose page it comes to', async () => {
    const browser = await atHostile('ida')
    expect(await sendForm(hostile.logoutToken({ sub: 'ida' }), 'example')).toBe('400 logout_refused')
    expect(await sendForm(hostile.logoutToken({ sub: 'ida' }), 'nobody')).toBe('404 issuer_not_found')
    const ofDown = hostile.logoutToken({ sub: 'ida', iss: 'http://127.0.0.1:1' })
    expect(await sendForm(ofDown, 'down')).toBe('503 issuer_unavailable')
    expect(await isIn(browser)).toBe(true)
  })

  it('comes once in its form, beside what nobody knows', async () => {
    const token = hostile.logoutToken({ sub: 'jan' })
    expect(await sendForm(token, 'hostile', '&logout_token=x')).toBe('400 validation_failed')
    expect(await sendForm(token, 'hostile', '&else=x')).toBe('200')
  })
})
