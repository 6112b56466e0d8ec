import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { goodPassword, type Login, logIn, newBrowser, signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const wrong = 'not the right phrase'

async function withService(
  env: Record<string, string>,
  work: (service: TestService) => Promise<void>,
  platform = false,
) {
  const service = await startService({
    worker: null,
    platform,
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', ...env },
  })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

const said = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Partial<Problem>).code ?? 'ok'}`

describe.each([
  ['in one process', false],
  ['on Redis', true],
])('tries at an address %s', (_where, platform) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({
      worker: null,
      platform,
      env: {
        SERVICE_HOSTED_ACCOUNTS: 'true',
        SERVICE_LOGIN_LIMIT: '100000',
        SERVICE_LOGIN_ACCOUNT_LIMIT: '3',
      },
    })
  })
  afterAll(() => service.close())

  const tryIn = async (login: Login, browser = newBrowser(service.call)) => said(await logIn(browser, login))

  it('are few for strangers, even with the password, and lock out no known browser', async () => {
    const owner = await signUp(service.call)
    const guess = { ...owner, password: wrong }
    expect([await tryIn(guess), await tryIn(guess)]).toEqual(['401 login_refused', '401 login_refused'])
    expect([await tryIn(guess), await tryIn(owner)]).toEqual(['429 rate_limited', '429 rate_limited'])
    const refused = await logIn(newBrowser(service.call), guess)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900)
    for (let times = 0; times < 5; times += 1) expect(await tryIn(owner, owner.browser)).toBe('200 ok')
    expect(await tryIn({ ...owner, email: owner.email.toUpperCase() })).toBe('429 rate_limited')
  })

  it('are counted for an address without account alike', async () => {
    const nobody = { email: 'nobody@example.org', password: wrong }
    const tries = [await tryIn(nobody), await tryIn(nobody), await tryIn(nobody), await tryIn(nobody)]
    expect(tries).toEqual([...Array.from({ length: 3 }, () => '401 login_refused'), '429 rate_limited'])
  })

  it('that were right cost nothing', async () => {
    const owner = await signUp(service.call)
    for (let times = 0; times < 6; times += 1) expect(await tryIn(owner)).toBe('200 ok')
    expect(await tryIn({ ...owner, password: wrong })).toBe('401 login_refused')
  })

  it('are few in a browser that is known, too', async () => {
    const owner = await signUp(service.call, { email: `known-${platform}@example.org` })
    const guess = { ...owner, password: wrong }
    const tries = []
    for (let times = 0; times < 4; times += 1) tries.push(await tryIn(guess, owner.browser))
    expect(tries.slice(0, 2)).toEqual(['401 login_refused', '401 login_refused'])
    expect(tries[3]).toBe('429 rate_limited')
    expect(await tryIn(owner, owner.browser)).toBe('429 rate_limited')
  })

  it('are not bought with an account under somebody else’s address', async () => {
    const victim = await signUp(service.call, { email: `victim-${platform}@example.org` })
    const attacker = await signUp(service.call, {
      email: victim.email,
      password: 'my own phrase for attacks',
    })
    expect(await tryIn(attacker, attacker.browser)).toBe('200 ok')
    expect(await tryIn({ ...victim, password: wrong }, attacker.browser)).toBe('401 login_refused')
    expect(await tryIn(victim, attacker.browser)).toBe('429 rate_limited')
    expect(await tryIn(attacker, attacker.browser)).toBe('200 ok')
    expect(await tryIn(victim, victim.browser)).toBe('200 ok')
  })

  it('cannot be made by signing up either, which would tell a right password', async () => {
    const email = `sign-up-${platform}@example.org`
    const attempt = (password: string) =>
      service.call('POST', '/v1/accounts/signup', { json: { email, password, organization: 'x' } })
    const tries = []
    for (const end of ['one', 'two', 'three', 'four'])
      tries.push(said(await attempt(`${goodPassword} ${end}`)))
    expect(tries).toEqual(['201 ok', '201 ok', '201 ok', '429 rate_limited'])
    expect(said(await attempt(`${goodPassword} one`))).toBe('429 rate_limited')
  })
})

it('log-ins and sign-ups of an address are few a minute, even with the password', async () => {
  await withService({ SERVICE_LOGIN_LIMIT: '4' }, async service => {
    const owner = await signUp(service.call)
    const answers = []
    for (let times = 0; times < 3; times += 1) {
      const email = `other${times}@example.org`
      answers.push(said(await logIn(newBrowser(service.call), { email, password: wrong })))
    }
    expect(answers).toEqual(Array.from({ length: 3 }, () => '401 login_refused'))
    const late = await logIn(owner.browser, owner)
    expect(said(late)).toBe('429 rate_limited')
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    const json = { email: 'late@example.org', password: goodPassword, organization: 'x' }
    expect(said(await service.call('POST', '/v1/accounts/signup', { json }))).toBe('429 rate_limited')
    expect((await owner.browser.call('GET', '/v1/accounts/session')).status).toBe(200)
  })
})

it('log-ins whose password nobody came to look at are no tries', async () => {
  const limit = 80
  const env = { SERVICE_LOGIN_LIMIT: '100000', SERVICE_LOGIN_ACCOUNT_LIMIT: `${limit}` }
  await withService(env, async service => {
    const owner = await signUp(service.call)
    const tryOften = (login: Login) =>
      Promise.all(
        Array.from({ length: limit - 1 }, async () => said(await logIn(newBrowser(service.call), login))),
      )
    expect(new Set(await tryOften(owner))).toEqual(new Set(['200 ok', '429 rate_limited']))
    for (let times = 0; times < limit - 1; times += 1) {
      const guess = { ...owner, password: wrong }
      expect(said(await logIn(newBrowser(service.call), guess))).toBe('401 login_refused')
    }
  })
})

it('an account knows a bounded number of browsers, and forgets the oldest', async () => {
  await withService({ SERVICE_LOGIN_LIMIT: '100000' }, async service => {
    const owner = await signUp(service.call)
    const known = () => asReader<{ hash: string }>(service.context.store, devicesSql)
    const [first] = await known()
    for (let times = 0; times < 51; times += 1) await logIn(newBrowser(service.call), owner)
    const hashes = (await known()).map(({ hash }) => hash)
    expect(hashes).toHaveLength(50)
    expect(hashes).not.toContain(first?.hash)
  })
})

const devicesSql = `select encode(device_hash, 'hex') as hash from devices`

it('requests of a session are counted by its account', async () => {
  await withService({ SERVICE_RATE_LIMIT: '3' }, async service => {
    const [owner, other] = [await signUp(service.call), await signUp(service.call)]
    const ask = async () => said(await owner.browser.call('GET', '/v1/accounts/session'))
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([
      '200 ok',
      '200 ok',
      '200 ok',
      '429 rate_limited',
    ])
    expect(said(await other.browser.call('GET', '/v1/accounts/session'))).toBe('200 ok')
  })
})

it.each([
  ['without its token', '403 csrf_refused', { 'x-service-csrf': '' }],
  ['from another site', '403 cross_site_request', { origin: 'https://elsewhere.example' }],
  ['for another owner’s tenant', '404 tenant_not_found', {}],
])('requests of a session %s are counted by its account too', async (_what, refusal, headers) => {
  await withService({ SERVICE_RATE_LIMIT: '2' }, async service => {
    const owner = await signUp(service.call)
    const path = refusal.startsWith('404') ? '/v1/accounts/tenants/nobody/api-keys' : owner.path('/api-keys')
    const ask = async () => said(await owner.browser.call('POST', path, { json: {}, headers }))
    expect([await ask(), await ask(), await ask()]).toEqual([refusal, refusal, '429 rate_limited'])
  })
})

it('requests without a session are counted by their network address', async () => {
  await withService({ SERVICE_RATE_LIMIT: '2' }, async service => {
    const ask = async () => said(await service.call('GET', '/v1/accounts/session'))
    expect([await ask(), await ask(), await ask()]).toEqual([
      '401 session_required',
      '401 session_required',
      '429 rate_limited',
    ])
  })
})
