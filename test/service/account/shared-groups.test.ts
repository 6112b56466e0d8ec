import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DecisionResponse } from '../../../shared/contract/action/action.ts'
import type { Issue, Problem } from '../../../shared/contract/base/errors.ts'
import type { Group, Route } from '../../../shared/contract/configuration/route-schema.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { invite, join, type TestMember } from '../../support/service/member.ts'
import { newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

/** Groups of an organization are groups of each of its applications: routes ask for whoever a hand or a claim put in. */

let database: FreshDatabase
let service: TestService
let issuer: TestIssuer
let owner: TestOwner

beforeAll(async () => {
  database = await freshDatabase()
  issuer = await startIssuer({ serviceUrl: () => service.url })
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' }
  const before = await startService({ env, database, worker: null })
  owner = await signUp(before.call)
  await before.close()
  const groups = { 'cn=leads': `${owner.signed_up.organization.organization_id}/leads` }
  const setting = issuer.setting({ groups_claim: 'groups', scopes: ['groups'], groups })
  service = await startService({ env: { ...env, ...setting }, database })
  owner.browser.call = again(owner).call
  await made('leads')
  await owned('PUT', '/policy', { ...plainPolicy, allowed_systems: ['helpdesk'] })
})

afterAll(async () => {
  await service.close()
  await issuer.close()
  await database.drop()
})

/** The same session at the second service. */
function again({ browser }: TestOwner) {
  const next = newBrowser(service.call)
  for (const [name, value] of browser.cookies) next.cookies.set(name, value)
  next.csrf = browser.csrf
  return next
}

type Told = Problem & { warnings: Issue[]; groups: Group[]; routes: Route[] }

const asOwner = (method: string, path: string, json?: object) =>
  owner.browser.call<Told>(method, path, json === undefined ? {} : { json })

const owned = (method: string, path: string, json?: object) => asOwner(method, owner.path(path), json)

const made = (name: string) => asOwner('POST', '/v1/accounts/groups', { name })

const member = (method: string, group: string, accountId: string) =>
  asOwner(method, `/v1/accounts/groups/${group}/members/${accountId}`)

const routeOf = (group: string) => ({ required: [{ group, approvals: 1 }] })

/** A member who may decide in the application. */
const approver = () =>
  join(service.call, owner, { roles: [{ tenant_id: owner.tenant_id, role: 'approver' }] })

async function shown(name: string): Promise<Group | undefined> {
  const { body } = await owned('GET', '/groups')
  return body.groups.find(group => group.name === name)
}

async function hold(): Promise<string> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json: proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' }),
  })
  return body.action_id
}

const approve = (id: string, { call }: TestMember['browser']) =>
  call<DecisionResponse & Problem>('POST', owner.path(`/actions/${id}/approve`), { json: {} })

/** Sign in at the issuer, which names these groups. */
async function signIn(login: string, groups: readonly string[], invitation?: string) {
  issuer.groups.set(login, groups)
  const browser = newBrowser(service.call)
  const json = { issuer: 'example', ...(invitation === undefined ? {} : { invitation }) }
  const { body } = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/sign-in', { json })
  const parameters = await issuer.authorize(body.authorization_url, login)
  const back = { json: { issuer: 'example', parameters } }
  const done = await browser.call<{ account: { account_id: string } }>(
    'POST',
    '/v1/accounts/sign-in/complete',
    back,
  )
  expect(done.status).toBe(200)
  return { browser, account_id: done.body.account.account_id }
}

describe('a group of the organization', () => {
  it('that a claim fills is asked by a route, and decides', async () => {
    expect(await owned('PUT', '/routes/leads', routeOf('leads'))).toMatchObject({
      status: 200,
      body: { warnings: [{ code: 'group_without_members' }] },
    })
    const roles = [{ tenant_id: owner.tenant_id, role: 'approver' as const }]
    const { token } = await invite(owner, { roles })
    const mia = await signIn('mia', ['cn=leads'], token)
    expect(await shown('leads')).toMatchObject({
      of_organization: true,
      members: [{ holder: `account:${mia.account_id}`, account_id: mia.account_id, key_id: null }],
    })
    const outside = await approver()
    const [first, second] = [await hold(), await hold()]
    expect(await approve(first, outside.browser)).toMatchObject({
      status: 403,
      body: { code: 'not_on_route' },
    })
    const approved = await approve(first, mia.browser)
    expect(approved.status).toBe(200)
    expect(approved.body.trace.find(({ kind }) => kind === 'approval')?.body).toMatchObject({
      role: 'approver',
    })
    const later = await signIn('mia', [])
    expect(await approve(second, later.browser)).toMatchObject({ body: { code: 'not_on_route' } })
    await member('PUT', 'leads', outside.account_id)
    expect((await approve(second, outside.browser)).status).toBe(200)
  })

  it('that loses its last member says which routes lack people, and is shown empty', async () => {
    const last = await approver()
    await made('night-shift')
    await member('PUT', 'night-shift', last.account_id)
    await owned('PUT', '/routes/nights', routeOf('night-shift'))
    const lacks = { code: 'group_without_members', message: expect.stringContaining('the route nights') }
    expect((await member('DELETE', 'night-shift', last.account_id)).body.warnings).toMatchObject([lacks])
    expect((await member('PUT', 'night-shift', last.account_id)).body.warnings).toEqual([])
    const removed = await asOwner('POST', `/v1/accounts/members/${last.account_id}/remove`)
    expect(removed.body.warnings).toMatchObject([lacks])
    expect(await shown('night-shift')).toMatchObject({ members: [] })
    const { body } = await owned('GET', '/routes')
    expect(body.routes.find(({ name }) => name === 'nights')?.groups_without_members).toEqual(['night-shift'])
  })

  it('stays while a route names it, and is changed nowhere else', async () => {
    await made('kept')
    await owned('PUT', '/routes/kept', routeOf('kept'))
    expect((await asOwner('DELETE', '/v1/accounts/groups/kept')).body.code).toBe('group_in_use')
    const json = { members: [{ account_id: owner.account_id }] }
    expect((await owned('PUT', '/groups/kept', json)).body.code).toBe('group_conflict')
    expect((await owned('DELETE', '/groups/kept')).body.code).toBe('group_conflict')
    await owned('DELETE', '/routes/kept')
    expect((await asOwner('DELETE', '/v1/accounts/groups/kept')).status).toBe(200)
    expect(await shown('kept')).toBeUndefined()
  })

  it('is there in an application that is made later', async () => {
    const { body } = await owner.browser.call<{ tenant: { tenant_id: string } }>(
      'POST',
      '/v1/accounts/tenants',
      { json: { name: 'Later', template: 'support' } },
    )
    const path = `/v1/accounts/tenants/${body.tenant.tenant_id}/groups`
    const names = (await asOwner('GET', path)).body.groups.map(({ name }) => name)
    expect(names).toContain('leads')
  })
})

describe('a route that asks for people of an issuer', () => {
  it('takes decisions of whoever signed in there, and of nobody else in its groups', async () => {
    const roles = [{ tenant_id: owner.tenant_id, role: 'approver' as const }]
    const ida = await signIn('ida', [], (await invite(owner, { roles })).token)
    const second = await approver()
    await made('staff')
    for (const { account_id } of [ida, second]) await member('PUT', 'staff', account_id)
    const route = { ...routeOf('staff'), issuer: issuer.url }
    expect(
      (await owned('PUT', '/routes/leads', { ...route, issuer: 'https://id.example.org' })).body,
    ).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'issuer', code: 'unknown_issuer' }],
    })
    expect((await owned('PUT', '/routes/leads', route)).status).toBe(200)
    const id = await hold()
    expect(await approve(id, second.browser)).toMatchObject({ status: 403, body: { code: 'wrong_issuer' } })
    expect((await approve(id, ida.browser)).status).toBe(200)
    await owned('PUT', '/routes/leads', routeOf('leads'))
  })
})

describe('a group of one application', () => {
  it('loses whoever leaves the organization, and its name is its own', async () => {
    const last = await approver()
    await owned('PUT', '/groups/desk', { members: [{ account_id: last.account_id }] })
    await owned('PUT', '/routes/desk', routeOf('desk'))
    expect((await made('desk')).body.code).toBe('group_conflict')
    const removed = await asOwner('POST', `/v1/accounts/members/${last.account_id}/remove`)
    expect(removed.body.warnings).toMatchObject([{ code: 'group_without_members' }])
    expect(await shown('desk')).toMatchObject({ of_organization: false, members: [] })
  })
})

it('the streams tell who was in a group, and the database agrees', async () => {
  const waiting =
    'select (select count(*) from log_outbox) + (select count(*) from unsigned_statements) as waiting'
  await vi.waitFor(
    async () => expect(await asReader(service.context.store, waiting)).toEqual([{ waiting: '0' }]),
    { timeout: 10_000 },
  )
  const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
  const { differences } = await checkDatabase({ url: databaseUrl(service.database), ...how })
  expect(differences).toEqual({ found: 0, listed: [] })
})
