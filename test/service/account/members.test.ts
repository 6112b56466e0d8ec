import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Member } from '../../../shared/contract/member-schema.ts'
import type { Grants } from '../../../shared/contract/role-schema.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { invite, join, type TestMember } from '../../support/service/member.ts'
import { logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_LOGIN_ACCOUNT_LIMIT: '100000',
    },
    worker: null,
  })
})
afterAll(() => service.close())

const rolesPath = (accountId: string) => `/v1/accounts/members/${accountId}`
const nothing: Grants = { owner: false, roles: [] }

function change(by: Pick<TestMember, 'browser'>, accountId: string, json: Grants) {
  return by.browser.call<{ member: Member; ended: number } & Problem>('PUT', rolesPath(accountId), { json })
}

function remove(by: Pick<TestMember, 'browser'>, accountId: string) {
  return by.browser.call<{ ended: number } & Problem>('POST', `${rolesPath(accountId)}/remove`)
}

const session = ({ browser }: Pick<TestMember, 'browser'>) =>
  browser.call<SessionProfile & Problem>('GET', '/v1/accounts/session')

/** What the configuration stream of a tenant says of members and keys, with who caused it. */
async function stream(tenantId: string) {
  return asReader<{ kind: string; by: string; payload: string }>(
    service.context.store,
    `select e.kind, convert_from(e.event, 'UTF8')::json #>> '{principal,id}' as by,
       convert_from(p.payload, 'UTF8') as payload
     from config_events e join config_payloads p using (tenant_id, sequence)
     where e.tenant_id = '${tenantId}' and e.kind in ('member_changed', 'key_revoked') order by e.sequence`,
  )
}

describe('roles of a member', () => {
  it('are replaced as a whole, with an event in each application where they change', async () => {
    owner = await signUp(service.call)
    const { tenant_id } = owner
    const member = await join(service.call, owner, { roles: [{ tenant_id, role: 'auditor' }] })
    const roles = [
      { tenant_id, role: 'policy_author' as const },
      { tenant_id, role: 'auditor' as const },
      { tenant_id, role: 'auditor' as const },
    ]
    const changed = await change(owner, member.account_id, { owner: false, roles })
    expect(changed.body).toMatchObject({ ended: 0, member: { owner: false } })
    expect(changed.body.member.roles.map(({ role }) => role)).toEqual(['auditor', 'policy_author'])
    await change(owner, member.account_id, { owner: false, roles })
    const [joined, given, ...more] = await stream(tenant_id)
    expect(more).toEqual([])
    expect(joined).toMatchObject({ kind: 'member_changed', by: owner.account_id })
    expect(JSON.parse(joined?.payload ?? '')).toEqual({
      account_id: member.account_id,
      roles: ['auditor'],
      invitation_id: expect.stringMatching(/^inv_/),
    })
    expect(JSON.parse(given?.payload ?? '')).toEqual({
      account_id: member.account_id,
      roles: ['auditor', 'policy_author'],
    })
  })

  it('that are lost end the sessions, and the next one has what is left', async () => {
    const own = await signUp(service.call)
    const roles = [{ tenant_id: own.tenant_id, role: 'approver' as const }]
    const member = await join(service.call, own, { roles })
    expect((await change(own, member.account_id, nothing)).body.ended).toBe(1)
    expect((await session(member)).body.code).toBe('session_required')
    await logIn(member.browser, member)
    expect((await session(member)).body).toMatchObject({ owner: false, roles: [] })
    const asked = await member.browser.call<Problem>('GET', own.path('/approvals'))
    expect(asked.body.code).toBe('tenant_not_found')
  })

  it.each([
    ['of another organization’s application', () => signUp(service.call).then(own => own.tenant_id)],
    ['of no application', async () => 'nobody'],
  ])('%s are refused', async (_what, foreign) => {
    const own = await signUp(service.call)
    const member = await join(service.call, own, {})
    const roles = [{ tenant_id: await foreign(), role: 'owner' as const }]
    const refused = await change(own, member.account_id, { owner: false, roles })
    expect(refused.body.code).toBe('tenant_not_found')
    expect((await session(member)).body.roles).toEqual([])
  })

  it('of somebody in another organization are nobody’s', async () => {
    const [own, other] = await Promise.all([signUp(service.call), signUp(service.call)])
    expect((await change(own, other.account_id, nothing)).body.code).toBe('member_not_found')
    expect((await remove(own, other.account_id)).body.code).toBe('member_not_found')
    expect((await session(other)).status).toBe(200)
  })
})

describe('the last owner', () => {
  it('can neither be lowered nor removed, not even by themself', async () => {
    const own = await signUp(service.call)
    await join(service.call, own, { roles: [{ tenant_id: own.tenant_id, role: 'owner' }] })
    expect((await change(own, own.account_id, nothing)).body.code).toBe('last_owner')
    expect((await remove(own, own.account_id)).body.code).toBe('last_owner')
    expect((await session(own)).body.owner).toBe(true)
  })

  it('is one of two who lower each other at the same time', async () => {
    const own = await signUp(service.call)
    const second = await join(service.call, own, { owner: true })
    const answers = await Promise.all([
      change(own, second.account_id, nothing),
      change(second, own.account_id, nothing),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const owners = [(await logIn(own.browser, own)).body, (await logIn(second.browser, second)).body]
    expect(owners.filter(profile => profile.owner)).toHaveLength(1)
  })

  it('may lower themself once there is another', async () => {
    const own = await signUp(service.call)
    await join(service.call, own, { owner: true })
    const roles = [{ tenant_id: own.tenant_id, role: 'auditor' as const }]
    expect((await change(own, own.account_id, { owner: false, roles })).status).toBe(200)
    expect((await session(own)).status).toBe(401)
    await logIn(own.browser, own)
    expect((await own.browser.call<Problem>('GET', '/v1/accounts/members')).body.code).toBe('wrong_role')
    expect((await own.browser.call('GET', own.path('/policy'))).status).toBe(200)
  })
})

describe('a member who is removed', () => {
  it('has no session, no way in, and no approver key from that moment on', async () => {
    const own = await signUp(service.call)
    const member = await join(service.call, own, { owner: true })
    const json = { name: 'phone', scope: 'approver' }
    const minted = await member.browser.call<{ api_key: string }>('POST', own.path('/api-keys'), { json })
    const key = minted.body.api_key
    expect((await service.call('GET', '/v1/approvals', { key })).status).toBe(200)
    expect((await remove(own, member.account_id)).body.ended).toBe(1)
    expect((await session(member)).status).toBe(401)
    expect((await logIn(newBrowser(service.call), member)).status).toBe(401)
    expect((await service.call<Problem>('GET', '/v1/approvals', { key })).body.code).toBe('key_revoked')
    const kinds = (await stream(own.tenant_id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['member_changed', 'key_revoked', 'member_changed'])
    const { body } = await own.browser.call<{ members: Member[] }>('GET', '/v1/accounts/members')
    expect(body.members.map(({ account }) => account.account_id)).toEqual([own.account_id])
    expect((await remove(own, member.account_id)).body.code).toBe('member_not_found')
  })

  it('may be invited anew, as another account', async () => {
    const own = await signUp(service.call)
    const first = await join(service.call, own, {})
    await remove(own, first.account_id)
    const { token } = await invite(own, {})
    const { email, password } = first
    const again = await newBrowser(service.call).call<SessionProfile>(
      'POST',
      '/v1/accounts/invitations/accept',
      { json: { token, email, password } },
    )
    expect(again.status).toBe(201)
    expect(again.body.account.account_id).not.toBe(first.account_id)
  })
})
