import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { csrfTokenOf } from '../../../shared/runtime/secrets/secret.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type Browser, logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let owner: TestOwner

const idleMs = 2_000
const msMax = 4_000

beforeAll(async () => {
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_LOGIN_ACCOUNT_LIMIT: '100000',
      SERVICE_SESSION_IDLE_MS: String(idleMs),
      SERVICE_SESSION_MS_MAX: String(msMax),
    },
  })
  owner = await signUp(service.call)
})

afterAll(() => service.close())

async function freshSession(): Promise<Browser> {
  const browser = newBrowser(service.call)
  expect((await logIn(browser, owner)).status).toBe(200)
  return browser
}

const ask = (browser: Browser) => browser.call<SessionProfile & Problem>('GET', '/v1/accounts/session')
const statusOf = async (browser: Browser) => (await ask(browser)).status

/** The database's clock, on which sessions end. */
async function now(): Promise<number> {
  const [row] = await asReader<{ ms: number }>(
    service.context.store,
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  return row?.ms ?? 0
}

const untilClock = (ms: number) => expect.poll(now, { timeout: 10_000, interval: 50 }).toBeGreaterThan(ms)

describe('a session', () => {
  it('ends unused after the idle time', async () => {
    const browser = await freshSession()
    const { body } = await ask(browser)
    const end = Date.parse(body.idle_expires_at)
    expect(end - (await now())).toBeLessThanOrEqual(idleMs)
    await untilClock(end)
    expect(await ask(browser)).toMatchObject({ status: 401, body: { code: 'session_required' } })
  })

  it('goes on while it is used, and ends at its longest whatever happens', async () => {
    const browser = await freshSession()
    const first = (await ask(browser)).body
    const ends = Date.parse(first.expires_at)
    const seen: number[] = []
    await expect
      .poll(
        async () => {
          const { status, body } = await ask(browser)
          if (status === 200) seen.push(Date.parse(body.idle_expires_at))
          return status
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBe(401)
    expect(await now()).toBeGreaterThanOrEqual(ends)
    expect(Math.max(...seen)).toBe(ends)
    expect(Math.max(...seen)).toBeGreaterThan(Date.parse(first.idle_expires_at))
    expect(new Set(seen).size, 'its use is not written with every request').toBeLessThan(25)
  })

  it('is not put off by what a page asks by itself', async () => {
    const browser = await freshSession()
    const headers = { 'x-service-unattended': 'true' }
    const unattended = () =>
      browser.call<SessionProfile & Problem>('GET', '/v1/accounts/session', { headers })
    const first = (await unattended()).body
    const seen: string[] = []
    await expect
      .poll(
        async () => {
          const { status, body } = await unattended()
          if (status === 200) seen.push(body.idle_expires_at)
          return status
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBe(401)
    expect(seen.length).toBeGreaterThan(2)
    expect(new Set(seen)).toEqual(new Set([first.idle_expires_at]))
  })

  it('leaves the database once it ended', async () => {
    const browser = await freshSession()
    const { body } = await ask(browser)
    await untilClock(Date.parse(body.idle_expires_at))
    await expect
      .poll(() => asReader(service.context.store, 'select 1 from sessions where idle_expires_at < now()'), {
        timeout: 5_000,
      })
      .toEqual([])
  })
})

describe('log-in', () => {
  it('ends the session that the browser had', async () => {
    const browser = await freshSession()
    const before = { ...browser, cookies: new Map(browser.cookies) }
    const old = newBrowser(service.call)
    for (const [name, value] of before.cookies) old.cookies.set(name, value)
    expect(await statusOf(old)).toBe(200)
    await logIn(browser, owner)
    expect(browser.cookies.get('service_session')).not.toBe(old.cookies.get('service_session'))
    expect(browser.csrf).not.toBe(before.csrf)
    expect(await statusOf(old)).toBe(401)
    expect(await statusOf(browser)).toBe(200)
  })
})

describe('log-out', () => {
  const logOut = (browser: Browser, json: object = {}) =>
    browser.call<{ ended: number }>('POST', '/v1/accounts/logout', { json })

  it('ends this session alone, and clears its cookie', async () => {
    const [here, there] = await Promise.all([freshSession(), freshSession()])
    const token = here.cookies.get('service_session') ?? ''
    const { status, body, headers } = await logOut(here)
    expect({ status, body }).toEqual({ status: 200, body: { ended: 1, end_session_url: null } })
    expect(headers['set-cookie']).toEqual(['service_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'])
    here.cookies.set('service_session', token)
    expect(await statusOf(here)).toBe(401)
    expect(await statusOf(there)).toBe(200)
  })

  it('everywhere ends every session of the account, and no other', async () => {
    const stranger = await signUp(service.call)
    const browsers = await Promise.all([freshSession(), freshSession()])
    const { body } = await logOut(browsers[0], { everywhere: true })
    expect(body.ended).toBeGreaterThanOrEqual(2)
    for (const browser of browsers) expect(await statusOf(browser)).toBe(401)
    expect(await statusOf(stranger.browser)).toBe(200)
  })
})

it('the token against forged requests is the session’s, and neither is stored', async () => {
  const browser = await freshSession()
  const token = browser.cookies.get('service_session') ?? ''
  expect((await ask(browser)).body.csrf_token).toBe(csrfTokenOf(token))
  expect(csrfTokenOf(token)).not.toBe(csrfTokenOf(`${token.slice(0, -1)}_`))
  const rows = await asWriter<{ text: string }>(
    service.context.store,
    'select s::text as text from sessions s',
  )
  for (const secret of [token, csrfTokenOf(token)]) {
    const spellings = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret, 'base64url').toString('hex'),
    ]
    for (const { text } of rows) for (const spelling of spellings) expect(text).not.toContain(spelling)
    expect(service.logged()).not.toContain(secret)
  }
})
