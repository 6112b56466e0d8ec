import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OfferedPasswordReset } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { SignInWays } from '../../../shared/contract/identity.ts'
import { type MailServer, startMailServer } from '../../support/servers/mail-server.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { logIn, newBrowser, signUp } from '../../support/service/owner.ts'
import { plantReset } from '../../support/service/plant-reset.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const base = 'https://gate.example.org'
const hosted = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' }
const fresh = 'one more long phrase'
const refusals: { code: number; message: string }[] = []
let server: MailServer
let service: TestService

beforeAll(async () => {
  const login = { user: 'gate', pass: 's3cret-mail' }
  server = await startMailServer(login, () => refusals.shift() ?? null)
  service = await startService({
    env: {
      ...hosted,
      SERVICE_SMTP_URL: server.url,
      SERVICE_MAIL_FROM: 'gate@example.org',
      SERVICE_BASE_URL: base,
      SERVICE_LOGIN_ACCOUNT_LIMIT: '4',
      SERVICE_WEBHOOK_RETRY_MS: '10,10,10',
    },
  })
})
afterAll(async () => {
  await service.close()
  await server.close()
})
beforeEach(() => {
  server.mails.length = 0
})

const ask = (email: string, of = service) =>
  of.call<Problem>('POST', '/v1/accounts/password-resets', { json: { email } })
const read = (token: string) =>
  service.call<OfferedPasswordReset & Problem>('POST', '/v1/accounts/password-resets/read', {
    json: { token },
  })
const complete = (token: string, account_id: string, password = fresh) =>
  service.call<{ ended: number } & Problem>('POST', '/v1/accounts/password-resets/complete', {
    json: { token, account_id, password },
  })

async function mailedToken(count = 1): Promise<string> {
  const mail = (await server.received(count)).at(-1)
  return mail?.text?.match(/\/app\/reset#([\w-]{43})/)?.[1] ?? ''
}

const rows = () =>
  asSuperuser<{ email: string; row: string }>(
    service.database,
    'select email, r::text as row from action_gate.password_resets r',
  )

describe('a forgotten password', () => {
  it('is chosen anew by the link of an e-mail, once, and ends every session', async () => {
    const owner = await signUp(service.call)
    await logIn(newBrowser(service.call), owner)
    expect(await ask(owner.email.toUpperCase())).toMatchObject({ status: 202, body: { status: 'accepted' } })
    const token = await mailedToken()
    expect(server.mails[0]).toMatchObject({ recipients: [owner.email], subject: 'Choose a new password' })
    expect(server.mails[0]?.text).not.toContain('Example Shop')
    expect((await rows()).map(({ row }) => row).join()).not.toContain(token)

    const { account_id } = owner
    expect((await read(token)).body).toMatchObject({
      email: owner.email,
      accounts: [{ account_id, organization: 'Example Shop' }],
    })
    expect((await complete(token, account_id, 'short')).body.code).toBe('validation_failed')
    expect(await complete(token, account_id)).toMatchObject({ status: 200, body: { ended: 2 } })

    expect((await owner.browser.call('GET', '/v1/accounts/session')).status).toBe(401)
    expect((await logIn(newBrowser(service.call), owner)).status).toBe(401)
    expect((await logIn(newBrowser(service.call), { ...owner, password: fresh })).status).toBe(200)
    expect((await read(token)).body.code).toBe('reset_not_found')
    expect((await complete(token, account_id)).body.code).toBe('reset_not_found')
    const [event] = await asSuperuser<{ event: { principal: { id: string } }; payload: object }>(
      service.database,
      `select convert_from(e.event, 'UTF8')::json as event, convert_from(p.payload, 'UTF8')::json as payload
       from action_gate.config_events e join action_gate.config_payloads p using (tenant_id, sequence)
       where tenant_id = '${owner.tenant_id}' order by sequence desc limit 1`,
    )
    expect(event?.payload).toMatchObject({ account_id, roles: ['owner'], password_reset: true })
    expect(event?.event.principal.id).toBe(account_id)
  })

  it('is one of several accounts of an address, and never equal to another', async () => {
    const email = 'several@example.org'
    const one = await signUp(service.call, { email, password: fresh, organization: 'One' })
    const two = await signUp(service.call, { email, organization: 'Two' })
    const token = await plantReset(service.context, email)
    const second = await plantReset(service.context, email)
    const { accounts } = (await read(token)).body
    expect(accounts.map(({ organization }) => organization)).toEqual(['One', 'Two'])
    const stranger = await signUp(service.call)
    expect((await complete(token, stranger.account_id)).body.code).toBe('reset_not_found')
    expect((await complete(token, two.account_id)).body.code).toBe('account_conflict')
    expect((await complete(token, two.account_id, `${fresh} of two`)).status).toBe(200)
    expect((await read(second)).body.code).toBe('reset_not_found')
    expect((await one.browser.call('GET', '/v1/accounts/session')).status).toBe(200)
  })

  it('is answered alike for an address without an account, which gets no e-mail', async () => {
    const [known, unknown] = [await signUp(service.call), 'nobody@example.org']
    expect((await ask(unknown)).body).toEqual((await ask(known.email)).body)
    await server.received(1)
    await expect.poll(async () => (await rows()).map(({ email }) => email)).not.toContain(unknown)
    expect(server.mails.flatMap(({ recipients }) => recipients)).toEqual([known.email])
  })

  it('is none where an account signs in at an issuer alone: the e-mail says so', async () => {
    const { email, account_id } = await signUp(service.call)
    const text = `update action_gate.accounts set password_hash = null where account_id = '${account_id}'`
    await asSuperuser(service.database, text)
    await ask(email)
    const [mail] = await server.received(1)
    expect(mail?.subject).toBe('You have no password here')
    expect(mail?.text).toContain('you sign in with your identity provider')
    expect(mail?.text).not.toContain('/app/reset')
  })

  it('is over after its time, and for an account that was removed', async () => {
    const { email, account_id } = await signUp(service.call)
    const late = await plantReset(service.context, email, 0)
    expect((await read(late)).body.code).toBe('reset_not_found')
    const token = await plantReset(service.context, email)
    const text = `update action_gate.accounts set membership = 'removed' where account_id = '${account_id}'`
    await asSuperuser(service.database, text)
    expect((await complete(token, account_id)).body.code).toBe('reset_not_found')
  })

  it('is asked for so often at one address, whether or not it has an account', async () => {
    for (const email of [(await signUp(service.call)).email, 'stranger@example.org']) {
      const statuses: number[] = []
      for (let time = 0; time < 5; time += 1) statuses.push((await ask(email)).status)
      expect(statuses).toEqual([202, 202, 202, 202, 429])
    }
    await server.received(4)
  })

  it('is mailed again under the same id where the server refused for a while', async () => {
    refusals.push({ code: 451, message: 'come back later' })
    const { email } = await signUp(service.call)
    await ask(email)
    expect((await read(await mailedToken())).status).toBe(200)
    await expect.poll(async () => (await rows()).find(row => row.email === email)?.row).toMatch(/,2,\)$/)
  })
})

it('is refused where the service sends no e-mail, and the ways to sign in say so', async () => {
  const without = await startService({ env: hosted, worker: null })
  expect((await ask('owner@example.org', without)).body.code).toBe('mail_not_configured')
  const ways = (of: TestService) => of.call<SignInWays>('GET', '/v1/accounts/sign-in')
  expect((await ways(without)).body.password_reset).toBe(false)
  expect((await ways(service)).body.password_reset).toBe(true)
  await without.close()
})
