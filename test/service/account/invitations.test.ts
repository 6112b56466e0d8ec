import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Invitation, OfferedInvitation } from '../../../shared/contract/member-schema.ts'
import { hashSecret } from '../../../shared/runtime/secrets/secret.ts'
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { invite, join } from '../../support/service/member.ts'
import {
  type Browser,
  goodPassword,
  newBrowser,
  signUp,
  type TestOwner,
} from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let issuer: TestIssuer
let owner: TestOwner
let people = 0

beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000', ...issuer.setting() },
    worker: null,
  })
  owner = await signUp(service.call)
})

afterAll(async () => {
  await service.close()
  await issuer.close()
})

function accept(token: string, browser = newBrowser(service.call), traits: object = {}) {
  const json = { token, email: `new${people++}@example.org`, password: goodPassword, ...traits }
  return browser.call<SessionProfile & Problem>('POST', '/v1/accounts/invitations/accept', { json })
}

const read = (token: string) =>
  service.call<OfferedInvitation & Problem>('POST', '/v1/accounts/invitations/read', { json: { token } })

const revoke = (by: TestOwner, { invitation_id }: Invitation) =>
  by.browser.call<{ invitation: Invitation } & Problem>(
    'POST',
    `/v1/accounts/invitations/${invitation_id}/revoke`,
  )

async function list(by: TestOwner): Promise<Invitation[]> {
  const { body } = await by.browser.call<{ invitations: Invitation[] }>('GET', '/v1/accounts/invitations')
  return body.invitations
}

/** Through the issuer as `login`, with the invitation. */
async function acceptAtIssuer(token: string, login: string, browser: Browser = newBrowser(service.call)) {
  const begun = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/sign-in', {
    json: { issuer: 'example', invitation: token },
  })
  const parameters = await issuer.authorize(begun.body.authorization_url, login)
  return browser.call<SessionProfile & Problem>('POST', '/v1/accounts/sign-in/complete', {
    json: { issuer: 'example', parameters },
  })
}

describe('an invitation', () => {
  it('says what it offers, and makes one member with exactly that', async () => {
    const roles = [{ tenant_id: owner.tenant_id, role: 'approver' as const }]
    const { token, invitation } = await invite(owner, { roles })
    expect((await read(token)).body).toMatchObject({
      organization: 'Example Shop',
      label: 'Somebody',
      owner: false,
      roles: [{ application: 'Example Shop', role: 'approver' }],
    })
    const browser = newBrowser(service.call)
    const accepted = await accept(token, browser)
    expect(accepted).toMatchObject({
      status: 201,
      body: { owner: false, roles, organization: owner.signed_up.organization },
    })
    expect((await browser.call('GET', owner.path('/approvals'))).status).toBe(200)
    const listed = (await list(owner)).find(each => each.invitation_id === invitation.invitation_id)
    expect(listed).toMatchObject({ status: 'accepted', accepted_by: accepted.body.account.account_id })
  })

  it('is stored as a digest, and its link keeps the token from servers', async () => {
    const { token, invitation, invitation_url } = await invite(owner, {})
    expect(new URL(invitation_url)).toMatchObject({ pathname: '/app/invitation', search: '' })
    const [row] = await asSuperuser<{ hash: string; text: string }>(
      service.database,
      `select encode(token_hash, 'hex') as hash, i::text as text from action_gate.invitations i
       where invitation_id = '${invitation.invitation_id}'`,
    )
    expect(row?.hash).toBe(hashSecret(token).toString('hex'))
    expect(row?.text).not.toContain(token)
    expect(service.logged()).not.toContain(token)
    const hours = (Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)) / 3_600_000
    expect(hours).toBeCloseTo(72, 1)
  })

  it('makes nobody who is called like a member, or nearly so', async () => {
    const { email } = owner.signed_up.account
    const { token } = await invite(owner, {})
    for (const taken of [email, email.toUpperCase(), email.replace('o', '\u043e')])
      expect((await accept(token, newBrowser(service.call), { email: taken })).body.code).toBe(
        'account_conflict',
      )
    expect((await accept(token)).status).toBe(201)
  })

  it('is good once, also for two at the same time', async () => {
    const { token } = await invite(owner, {})
    const answers = await Promise.all([accept(token), accept(token), accept(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect((await accept(token)).body.code).toBe('invitation_used')
    expect((await read(token)).body.code).toBe('invitation_used')
  })

  it.each([
    ['was revoked', async (own: TestOwner, made: Invitation) => void (await revoke(own, made))],
    [
      'has expired',
      async (_: TestOwner, { invitation_id }: Invitation) =>
        void (await asSuperuser(
          service.database,
          `update action_gate.invitations set expires_at = now() - interval '1 ms' where invitation_id = '${invitation_id}'`,
        )),
    ],
    [
      'is of an owner who was lowered',
      async (own: TestOwner) => {
        await join(service.call, own, { owner: true })
        const json = { owner: false, roles: [] }
        await own.browser.call('PUT', `/v1/accounts/members/${own.account_id}`, { json })
      },
    ],
  ])('that %s makes nobody a member', async (_what, end) => {
    const own = await signUp(service.call)
    const { token, invitation } = await invite(own, { owner: true })
    await end(own, invitation)
    expect((await accept(token)).body.code).toBe('invitation_ended')
    expect((await read(token)).body.code).toBe('invitation_ended')
  })

  it('of another organization cannot be revoked, and roles there cannot be offered', async () => {
    const other = await signUp(service.call)
    const { token, invitation } = await invite(owner, {})
    expect((await revoke(other, invitation)).body.code).toBe('invitation_not_found')
    expect((await read(token)).status).toBe(200)
    expect((await list(other)).map(each => each.invitation_id)).toEqual([])
    const roles = [{ tenant_id: owner.tenant_id, role: 'owner' }]
    const json = { label: 'x', owner: false, roles }
    const refused = await other.browser.call<Problem>('POST', '/v1/accounts/invitations', { json })
    expect(refused.body.code).toBe('tenant_not_found')
  })

  it.each([['A'.repeat(43)], ['short'], ['']])('with the token %j is nobody’s', async token => {
    expect((await read(token)).body.code).toBe('invitation_not_found')
    expect((await accept(token)).body.code).toBe('invitation_not_found')
  })

  it('is not for a browser that is signed in: an account has one organization', async () => {
    const other = await signUp(service.call)
    const { token } = await invite(owner, {})
    const refused = await accept(token, other.browser)
    expect(refused).toMatchObject({ status: 409, body: { code: 'already_member' } })
    expect((await read(token)).status).toBe(200)
  })

  it('takes no weak password, and no address with the password of an account', async () => {
    const { token } = await invite(owner, {})
    const weak = await accept(token, newBrowser(service.call), { password: 'password1234' })
    expect(weak.body.code).toBe('validation_failed')
    const { email, password } = owner
    expect((await accept(token, newBrowser(service.call), { email, password })).body.code).toBe(
      'account_conflict',
    )
    expect((await read(token)).status).toBe(200)
  })

  it('counts as a member while it is open', async () => {
    const own = await signUp(service.call)
    await asSuperuser(
      service.database,
      `insert into action_gate.accounts (account_id, organization_id, email, membership)
       select 'acc_' || lpad(i::text, 16, 'a'), organization_id, 'x', 'member'
       from action_gate.accounts, generate_series(1, 198) i where account_id = '${own.account_id}'`,
    )
    const { invitation } = await invite(own, {})
    const json = { label: 'x', owner: false, roles: [] }
    const refused = await own.browser.call<Problem>('POST', '/v1/accounts/invitations', { json })
    expect(refused.body.code).toBe('too_many_members')
    await revoke(own, invitation)
    expect((await own.browser.call('POST', '/v1/accounts/invitations', { json })).status).toBe(201)
  })
})

describe('an invitation at an issuer', () => {
  it('makes the identity an account of that organization', async () => {
    const roles = [{ tenant_id: owner.tenant_id, role: 'auditor' as const }]
    const { token } = await invite(owner, { roles })
    const browser = newBrowser(service.call)
    const joined = await acceptAtIssuer(token, 'ida', browser)
    expect(joined.body).toMatchObject({
      organization: owner.signed_up.organization,
      account: { email: 'ida@example.org' },
      identity: { issuer: issuer.url, subject: 'ida' },
      owner: false,
      roles,
    })
    expect((await browser.call('GET', owner.path('/policy'))).status).toBe(200)
    expect((await acceptAtIssuer(token, 'jon')).body.code).toBe('invitation_used')
  })

  it('is refused to an identity that opens an account already', async () => {
    const first = await invite(owner, {})
    await acceptAtIssuer(first.token, 'kim')
    const other = await signUp(service.call)
    const { token } = await invite(other, {})
    expect((await acceptAtIssuer(token, 'kim')).body.code).toBe('already_member')
    expect((await read(token)).status).toBe(200)
  })

  it('is looked at when the browser comes back', async () => {
    const { token, invitation } = await invite(owner, {})
    const browser = newBrowser(service.call)
    const begun = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/sign-in', {
      json: { issuer: 'example', invitation: token },
    })
    const parameters = await issuer.authorize(begun.body.authorization_url, 'lea')
    await revoke(owner, invitation)
    const json = { issuer: 'example', parameters }
    const refused = await browser.call<Problem>('POST', '/v1/accounts/sign-in/complete', { json })
    expect(refused.body.code).toBe('invitation_ended')
  })
})
