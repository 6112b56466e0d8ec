import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnedTenantCreated, SignedUp } from '../../../shared/contract/account.ts'
import type { AuditEvent } from '../../../shared/contract/action/audit.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { goodPassword, logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' } })
  owner = await signUp(service.call)
})

afterAll(() => service.close())

const signUpRequest = (change: object = {}) => ({
  email: 'somebody@example.org',
  password: goodPassword,
  organization: 'Some Shop',
  ...change,
})

const attempt = (change: object, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/accounts/signup', { json: signUpRequest(change), headers })

/** Everything that identifies is left out. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
}

describe('sign-up', () => {
  it('makes account, organization, application and agent key, and begins a session', async () => {
    const { signed_up, tenant_id } = owner
    expect(tenant_id).toMatch(/^example-shop-[a-z2-7]{8}$/)
    expect(signed_up).toMatchObject({
      account: { email: owner.email, account_id: expect.stringMatching(/^acc_[a-z2-7]{16}$/) },
      organization: { name: 'Example Shop' },
      tenant: { tenant_id, name: 'Example Shop' },
      key: { scope: 'agent', tenant_id, revoked: false },
    })
    const proposed = await service.call('POST', '/v1/actions', {
      key: owner.agent,
      json: signed_up.integration.example_proposal,
    })
    expect(proposed.body).toMatchObject({ decision: 'allow', action_status: 'executed' })
    const { body } = await owner.browser.call('GET', '/v1/accounts/session')
    const { tenant, api_key, key, integration, ...profile } = signed_up
    expect(body).toEqual(profile)
  })

  it('records the owner as who made it', async () => {
    const events = await asReader<{ event: string }>(
      service.context.store,
      `select convert_from(event, 'UTF8') as event from config_events where tenant_id = '${owner.tenant_id}' and sequence < 3 order by sequence`,
    )
    const told = events.map(({ event }) => JSON.parse(event) as AuditEvent)
    expect(told.map(({ kind }) => kind)).toEqual(['policy_revision', 'actuators_revision', 'key_issued'])
    for (const { principal } of told) expect(principal).toEqual({ id: owner.account_id, kind: 'owner' })
    const { body } = await owner.browser.call('GET', owner.path('/policy'))
    expect(body).toMatchObject({
      author: { account_id: owner.account_id, name: owner.email, scope: 'owner' },
    })
  })

  it('answers an address that has an account like any other', async () => {
    const first = await attempt({ email: 'twice@example.org' })
    const second = await attempt({ email: 'Twice@Example.org', password: 'another phrase nobody guesses' })
    const other = await attempt({ email: 'fresh@example.org' })
    for (const { status, body, headers } of [second, other]) {
      expect(status).toBe(201)
      expect(shapeOf(body)).toEqual(shapeOf(first.body))
      expect(Object.keys(headers).sort()).toEqual(Object.keys(first.headers).sort())
    }
    const [one, two] = [first, second].map(({ body }) => body as unknown as SignedUp)
    expect(two?.account.email).toBe(one?.account.email)
    expect(two?.account.account_id).not.toBe(one?.account.account_id)
    expect(two?.organization.organization_id).not.toBe(one?.organization.organization_id)
  })

  it('refuses the address and password of an account, and leaves nothing behind', async () => {
    expect((await attempt({ email: 'same@example.org' })).status).toBe(201)
    const count = () =>
      asReader(
        service.context.store,
        'select (select count(*) from organizations) as organizations, (select count(*) from accounts) as accounts, (select count(*) from tenants) as tenants, (select count(*) from api_keys) as keys, (select count(*) from sessions) as sessions',
      )
    const before = await count()
    const again = await attempt({ email: 'same@example.org' })
    expect(again).toMatchObject({ status: 409, body: { code: 'account_conflict' } })
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(await count()).toEqual(before)
  })

  it.each([
    ['a common password', { password: 'password1234' }, 'weak_password'],
    ['its own address', { password: 'somebody@example.org1' }, 'weak_password'],
    ['a sequence', { password: 'qwertyuiop1234567890' }, 'weak_password'],
    ['a short password', { password: 'kQ9!vz#2mL4' }, 'too_small'],
    ['a long password', { password: 'kQ9!vz#2mL4 '.repeat(17) }, 'too_big'],
    ['no address', { email: 'nobody' }, 'invalid_format'],
    ['a blank organization', { organization: '  ' }, 'invalid_format'],
    ['an unknown template', { template: 'none' }, 'unknown_template'],
  ])('refuses %s', async (_what, change, code) => {
    const { status, body } = await attempt(change)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ code }] },
    })
    if ('password' in change) expect(JSON.stringify(body)).not.toContain(change.password)
  })

  it('says of an unknown template what POST /v1/tenants says', async () => {
    const json = { tenant_id: 'x', template: 'none' }
    const made = await service.call<Problem>('POST', '/v1/tenants', { admin: service.admin, json })
    const { body } = await attempt({ template: 'none' })
    expect(body).toEqual({ ...made.body, request_id: body.request_id })
  })
})

describe('log-in', () => {
  it('begins a session under a new token', async () => {
    const browser = newBrowser(service.call)
    const { status, body } = await logIn(browser, owner)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      account: owner.signed_up.account,
      organization: owner.signed_up.organization,
    })
    expect(browser.cookies.get('service_session')).not.toBe(owner.browser.cookies.get('service_session'))
  })

  it('tells wrong passwords, unknown addresses and impossible passwords alike', async () => {
    const wrong = await logIn(newBrowser(service.call), { ...owner, password: 'not the right phrase' })
    expect(wrong).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Session' } })
    for (const login of [
      { email: 'unknown@example.org', password: goodPassword },
      { email: owner.email, password: '' },
    ]) {
      const { status, headers, body } = await logIn(newBrowser(service.call), login)
      expect({ status, body }).toEqual({
        status: 401,
        body: { ...wrong.body, request_id: headers['x-request-id'] },
      })
      expect(Object.keys(headers).sort()).toEqual(Object.keys(wrong.headers).sort())
    }
  })

  it('does the same work for an address without account', async () => {
    const hashed: string[] = []
    const { context } = service
    const { hashPassword } = context
    context.hashPassword = credentials => {
      hashed.push(credentials.email)
      return hashPassword(credentials)
    }
    try {
      await logIn(newBrowser(service.call), { email: 'unknown@example.org', password: goodPassword })
      await logIn(newBrowser(service.call), { ...owner, password: 'not the right phrase' })
      await attempt({ email: owner.email, password: 'yet another phrase to remember' })
    } finally {
      context.hashPassword = hashPassword
    }
    expect(hashed).toEqual(['unknown@example.org', owner.email, owner.email])
  })
})

it('an account has fifty sessions at most: the oldest ends for a new one', async () => {
  const mine = await signUp(service.call, { email: 'many@example.org' })
  const later = newBrowser(service.call)
  await logIn(later, mine)
  for (let times = 0; times < 48; times += 1) await logIn(newBrowser(service.call), mine)
  const statuses = () =>
    Promise.all(
      [mine.browser, later].map(async ({ call }) => (await call('GET', '/v1/accounts/session')).status),
    )
  expect(await statuses()).toEqual([200, 200])
  await logIn(newBrowser(service.call), mine)
  expect(await statuses()).toEqual([401, 200])
})

describe('applications of an organization', () => {
  it('are made from a template, each with its first key, and listed newest first', async () => {
    const mine = await signUp(service.call, { email: 'lists@example.org' })
    const json = { name: 'Zweite Anwendung Ü', template: 'support' }
    const made = await mine.browser.call<OwnedTenantCreated>('POST', '/v1/accounts/tenants', { json })
    expect(made).toMatchObject({
      status: 201,
      body: { tenant: { name: json.name }, key: { scope: 'agent' } },
    })
    expect(made.body.tenant.tenant_id).toMatch(/^zweite-anwendung-u-[a-z2-7]{8}$/)
    const ids = [made.body.tenant.tenant_id, mine.tenant_id]
    const whole = await mine.browser.call<{ tenants: { tenant_id: string }[] }>('GET', '/v1/accounts/tenants')
    expect(whole.body.tenants.map(({ tenant_id }) => tenant_id)).toEqual(ids)
    const page = (cursor: string) =>
      mine.browser.call<typeof whole.body & { next_cursor: string | null }>(
        'GET',
        `/v1/accounts/tenants?limit=1${cursor}`,
      )
    const first = await page('')
    const second = await page(`&cursor=${first.body.next_cursor}`)
    expect([first, second].flatMap(({ body }) => body.tenants.map(({ tenant_id }) => tenant_id))).toEqual(ids)
    expect(second.body.next_cursor).toBeNull()
  })

  it('are a hundred at most, also when asked for at once', async () => {
    const mine = await signUp(service.call, { email: 'hundred@example.org' })
    const { organization_id } = mine.signed_up.organization
    await service.context.store.write([], writer =>
      writer.query('', 'update organizations set tenant_count = 98 where organization_id = $1', [
        organization_id,
      ]),
    )
    const json = { name: 'One more', template: 'support' }
    const made = await Promise.all(
      Array.from({ length: 5 }, () => mine.browser.call<Problem>('POST', '/v1/accounts/tenants', { json })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400])
    expect(made.find(({ status }) => status === 400)?.body.errors).toMatchObject([
      { code: 'too_many_tenants' },
    ])
  })
})
