import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { OrganizationGroup } from '../../../shared/contract/member-schema.ts'
import { groupsOfAccount } from '../../../shared/store/account/group-rows.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { invite, join } from '../../support/service/member.ts'
import { newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let database: FreshDatabase
let service: TestService
let issuer: TestIssuer
let owner: TestOwner
let other: TestOwner

/** The mapping names organizations, which are there before the service that has it. */
beforeAll(async () => {
  database = await freshDatabase()
  issuer = await startIssuer({ serviceUrl: () => service.url })
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' }
  const before = await startService({ env, database, worker: null })
  owner = await signUp(before.call)
  other = await signUp(before.call)
  await before.close()
  const at = ({ signed_up }: TestOwner, group: string) => `${signed_up.organization.organization_id}/${group}`
  const groups = {
    'cn=leads': at(owner, 'payments-leads'),
    'cn=security': at(owner, 'security'),
    'cn=others': at(other, 'payments-leads'),
    'cn=unmade': at(owner, 'never-made'),
  }
  service = await startService({
    env: { ...env, ...issuer.setting({ groups_claim: 'groups', scopes: ['groups'], groups }) },
    database,
    worker: null,
  })
  for (const own of [owner, other]) {
    own.browser.call = rebound(own)
    await make(own, 'payments-leads')
  }
  await make(owner, 'security')
})

afterAll(async () => {
  await service.close()
  await issuer.close()
  await database.drop()
})

/** The same session at the second service. */
function rebound({ browser }: TestOwner): TestOwner['browser']['call'] {
  const again = newBrowser(service.call)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  again.csrf = browser.csrf
  return again.call
}

const path = '/v1/accounts/groups'

function make(own: Pick<TestOwner, 'browser'>, name: string) {
  return own.browser.call<{ group: OrganizationGroup } & Problem>('POST', path, { json: { name } })
}

const put = (own: TestOwner, name: string, accountId: string, method = 'PUT') =>
  own.browser.call<{ group: OrganizationGroup } & Problem>(method, `${path}/${name}/members/${accountId}`)

async function membersOf(own: TestOwner, name: string): Promise<Record<string, readonly string[]>> {
  const { body } = await own.browser.call<{ groups: OrganizationGroup[] }>('GET', path)
  const group = body.groups.find(each => each.name === name)
  return Object.fromEntries((group?.members ?? []).map(({ account_id, sources }) => [account_id, sources]))
}

/** Sign in with the claim `groups` as it is given. */
async function signIn(login: string, groups: unknown, invitation?: string): Promise<string> {
  if (groups === undefined) issuer.groups.delete(login)
  else issuer.groups.set(login, groups)
  const browser = newBrowser(service.call)
  const json = { issuer: 'example', ...(invitation === undefined ? {} : { invitation }) }
  const { body } = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/sign-in', { json })
  const parameters = await issuer.authorize(body.authorization_url, login)
  const back = { issuer: 'example', parameters }
  const signedIn = await browser.call<{ account: { account_id: string } }>(
    'POST',
    '/v1/accounts/sign-in/complete',
    { json: back },
  )
  expect(signedIn.status).toBe(200)
  return signedIn.body.account.account_id
}

describe('a group', () => {
  it('is made once, gets members by hand, and is there when the last has left', async () => {
    expect((await make(owner, 'night-shift')).body.group.members).toEqual([])
    expect((await make(owner, 'night-shift')).body.code).toBe('group_conflict')
    const member = await join(service.call, owner, {})
    await put(owner, 'night-shift', member.account_id)
    await put(owner, 'night-shift', member.account_id)
    expect(await membersOf(owner, 'night-shift')).toEqual({ [member.account_id]: ['hand'] })
    await owner.browser.call('POST', `/v1/accounts/members/${member.account_id}/remove`)
    const { body } = await owner.browser.call<{ groups: OrganizationGroup[] }>('GET', path)
    expect(body.groups).toContainEqual(expect.objectContaining({ name: 'night-shift', members: [] }))
    expect((await owner.browser.call('DELETE', `${path}/night-shift`)).status).toBe(200)
    expect((await owner.browser.call<Problem>('DELETE', `${path}/night-shift`)).body.code).toBe(
      'group_not_found',
    )
  })

  it('takes members of its own organization only', async () => {
    expect((await put(owner, 'security', other.account_id)).body.code).toBe('member_not_found')
    expect((await put(other, 'security', other.account_id)).body.code).toBe('group_not_found')
    expect((await put(owner, 'none', owner.account_id)).body.code).toBe('group_not_found')
  })

  it('is one of a hundred at most', async () => {
    const own = await signUp(service.call)
    const made = await Promise.all(
      Array.from({ length: 101 }, (_, at) => make(own, `group-${at}`).then(({ status }) => status)),
    )
    expect(made.filter(status => status === 201)).toHaveLength(100)
    expect((await make(own, 'one-more')).body.code).toBe('too_many_groups')
  })
})

describe('a claim', () => {
  it('gives the groups that it names, anew with each sign-in', async () => {
    const { token } = await invite(owner, {})
    const account = await signIn('mia', ['cn=leads', 'cn=unknown'], token)
    expect(await membersOf(owner, 'payments-leads')).toEqual({ [account]: ['claim'] })
    await signIn('mia', ['cn=security'])
    expect(await membersOf(owner, 'payments-leads')).toEqual({})
    expect(await membersOf(owner, 'security')).toEqual({ [account]: ['claim'] })
    const names = await service.context.store.look([], query => groupsOfAccount(query, account))
    expect(names).toEqual(['security'])
    await put(owner, 'security', account)
    await signIn('mia', undefined)
    expect(await membersOf(owner, 'security')).toEqual({ [account]: ['hand'] })
    await put(owner, 'security', account, 'DELETE')
  })

  it.each([
    ['missing', undefined],
    ['one text', 'cn=leads'],
    ['a list in a text', 'cn=leads,cn=security'],
    ['a list with something else in it', ['cn=leads', 7]],
    ['a member of an object', { 'cn=leads': true }],
    ['in another case', ['CN=Leads']],
    ['of another organization', ['cn=others']],
    ['of a group that nobody made', ['cn=unmade']],
    ['the name of something that every object has', ['__proto__', 'constructor']],
  ])('that is %s gives no group', async (what, groups) => {
    const { token } = await invite(owner, {})
    const account = await signIn(`nobody-${what.replaceAll(' ', '-')}`, groups, token)
    const names = await service.context.store.look([], query => groupsOfAccount(query, account))
    expect(names).toEqual([])
    expect(await membersOf(other, 'payments-leads')).toEqual({})
  })

  it('gives a group and never a role', async () => {
    const { token } = await invite(owner, {})
    const account = await signIn('olaf', ['cn=leads'], token)
    const { body } = await owner.browser.call<{ members: { account: object; owner: boolean; roles: [] }[] }>(
      'GET',
      '/v1/accounts/members',
    )
    expect(body.members).toContainEqual({
      account: expect.objectContaining({ account_id: account }),
      owner: false,
      roles: [],
    })
  })
})
