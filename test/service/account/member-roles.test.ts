import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { OwnedTenant, SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { keyIssuedSchema } from '../../../shared/contract/configuration/tenant.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { type KeyRole, keyRoles, type MemberRole, memberRoles } from '../../../shared/contract/role-schema.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { join, type TestMember } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

type KeyIssued = z.infer<typeof keyIssuedSchema>

/** Every row of an application, asked by a member and by a key of each role; written down here a second time. */
let service: TestService
let owner: TestOwner
let other: TestOwner
const members = {} as Record<MemberRole, TestMember>
/** A key of each role that a key can carry. */
const keys = {} as Record<KeyRole, string>

beforeAll(async () => {
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' },
    worker: null,
  })
  ;[owner, other] = await Promise.all([signUp(service.call), signUp(service.call)])
  for (const role of memberRoles)
    members[role] = await join(service.call, owner, { roles: [{ tenant_id: owner.tenant_id, role }] })
  for (const role of keyRoles) keys[role] = await keyOf(role)
})

afterAll(() => service.close())

const everybody = [
  'read_owned_action',
  'read_owned_catalog',
  'read_owned_freezes',
  'follow_owned_tenant',
  'list_owned_routes',
  'list_owned_review_groups',
  'list_owned_absences',
  'list_owned_grants',
  'read_slack',
  'unlink_slack',
]
const ofReaders = [
  'export_owned_audit',
  'read_owned_integration',
  'read_owned_policy',
  'list_owned_policy_revisions',
  'list_owned_catalog_revisions',
  'list_owned_actions',
  'search_owned_history',
  'list_owned_tools',
  'read_owned_tool',
  'read_owned_tool_health',
  'read_owned_numbers',
]
const ofNotices = ['list_owned_webhooks', 'list_owned_deliveries']
const ofInbox = ['list_owned_approvals', 'read_owned_approval', 'read_owned_review']

/** What each role may; an owner may all. */
const may: Readonly<Record<Exclude<MemberRole, 'owner'>, readonly string[]>> = {
  approver: [
    ...everybody,
    ...ofInbox,
    'decide_owned_approvals',
    'approve_owned_action',
    'reject_owned_action',
    'edit_owned_action',
    'comment_owned_action',
    'put_owned_absence',
    'read_owned_absences',
    'decline_owned_absence',
    'make_slack_code',
    'read_owned_push',
    'subscribe_owned_push',
    'unsubscribe_owned_push',
  ],
  auditor: [...everybody, ...ofReaders, ...ofInbox, ...ofNotices, 'list_owned_keys', 'list_owned_secrets'],
  policy_author: [
    ...everybody,
    ...ofReaders,
    'replace_owned_policy',
    'revise_owned_catalog',
    'check_owned_policy',
    'diff_owned_policy',
    'validate_owned_policy',
    'make_owned_grant',
    'revoke_owned_grant',
  ],
  operator: [
    ...everybody,
    ...ofReaders,
    ...ofNotices,
    'list_owned_secrets',
    'put_owned_secret',
    'confirm_owned_secret',
    'delete_owned_secret',
    'import_owned_tool',
    'change_owned_tool',
    'remove_owned_tool',
    'test_owned_tool',
    'pause_owned_tenant',
    'resume_owned_tenant',
    'freeze_owned_tenant',
    'unfreeze_owned_tenant',
  ],
}

const rows = Object.entries(endpoints as Record<string, Endpoint>)
  .filter(([, { access }]) => access === 'session' || access === 'member')
  .map(([name, row]) => ({ name, ...row }))
const ofTenant = rows.filter(({ path }) => path.includes('{tenant_id}'))
const ofOrganization = rows.filter(({ path, roles }) => !path.includes('{tenant_id}') && roles)

/** Of an action, a key, a tool and a person that nobody has: whoever is admitted changes nothing. */
function concrete(path: string, tenantId: string): string {
  return path
    .replace('{tenant_id}', tenantId)
    .replace('{action_id}', `act_${'0'.repeat(36)}`)
    .replace('{key_id}', 'agk_aaaaaaaaaaaaaaaa')
    .replace('{account_id}', `acc_${'a'.repeat(16)}`)
    .replace('{grant_id}', 'grt_nothing')
    .replace('{subscription_id}', `wh_${'a'.repeat(16)}`)
    .replace('{webhook_id}', `wh_${'a'.repeat(16)}`)
    .replace('{delivery_id}', `msg_${'a'.repeat(16)}_1`)
    .replace('{invitation_id}', `inv_${'a'.repeat(16)}`)
    .replace('{name}', 'nothing')
    .replace('{system}', 'nothing')
}

function asking(row: Endpoint, tenantId: string) {
  const json = row.body ? { json: { unknown: true } } : {}
  // Without a body: a stream that is admitted does not end by itself.
  const method = row.answers[200]?.type === 'text/event-stream' ? 'HEAD' : row.method
  return { method, path: concrete(row.path, tenantId), json }
}

async function said(member: TestMember, row: Endpoint, tenantId: string): Promise<string> {
  const { method, path, json } = asking(row, tenantId)
  const { status, body } = await member.browser.call<Problem>(method, path, json)
  return `${status} ${body?.code ?? ''}`.trim()
}

async function saidToKey(key: string, row: Endpoint, tenantId: string): Promise<string> {
  const { method, path, json } = asking(row, tenantId)
  const { status, body } = await service.call<Problem>(method, path, { ...json, key })
  return `${status} ${body?.code ?? ''}`.trim()
}

async function keyOf(scope: KeyRole): Promise<string> {
  const json = { name: `of ${scope}`, scope }
  const { status, body } = await owner.browser.call<KeyIssued>('POST', owner.path('/api-keys'), { json })
  expect(status).toBe(201)
  return body.api_key
}

it('every row of an application names roles, and an owner may all of them', () => {
  expect(ofTenant.filter(({ roles }) => !roles?.includes('owner'))).toEqual([])
  expect(ofTenant.length).toBeGreaterThan(30)
  expect(ofOrganization.map(({ roles }) => roles)).toEqual(ofOrganization.map(() => ['owner']))
})

describe.each(ofTenant)('$name', row => {
  it.each(memberRoles)('is for the %s of the application as the table says', async role => {
    const isAdmitted = role === 'owner' || may[role].includes(row.name)
    const answer = await said(members[role], row, owner.tenant_id)
    if (isAdmitted) expect(answer).not.toMatch(/^(401|403)/)
    else expect(answer).toBe('403 wrong_role')
  })

  it.each(keyRoles)('is for a key of the %s as for the member, where it takes keys', async role => {
    const answer = await saidToKey(keys[role], row, owner.tenant_id)
    const refused = row.access === 'member' ? '403 wrong_role' : '401 session_required'
    const asMember = await said(members[role], row, owner.tenant_id)
    const takesKeys = row.access === 'member' && may[role].includes(row.name)
    expect(answer).toBe(takesKeys ? asMember : refused)
  })

  it('is not for an agent key, nor for a key of another application', async () => {
    const refused = (code: string) => (row.access === 'member' ? code : '401 session_required')
    const toAgent = await saidToKey(owner.agent, row, owner.tenant_id)
    expect(refused('403 wrong_scope')).toContain(toAgent)
    expect(toAgent).toMatch(/^40[13]/)
    expect(await saidToKey(keys.operator, row, other.tenant_id)).toMatch(
      row.access === 'member' ? /^404( tenant_not_found)?$/ : /^401/,
    )
  })

  it('a role in one application is none in another organization’s', async () => {
    const answer = await said(members.owner, row, other.tenant_id)
    expect(answer).toMatch(/^404( tenant_not_found)?$/)
  })
})

describe.each(ofOrganization)('$name', row => {
  it('is for owners of the organization, not for the owner of one application', async () => {
    expect(await said(members.owner, row, '')).toBe('403 wrong_role')
  })
})

it('a member sees the applications where they have a role, and which', async () => {
  const json = { name: 'Second', template: 'support' }
  expect((await owner.browser.call('POST', '/v1/accounts/tenants', { json })).status).toBe(201)
  const list = async (browser: TestMember['browser']) =>
    (await browser.call<{ tenants: OwnedTenant[] }>('GET', '/v1/accounts/tenants')).body.tenants
  expect((await list(owner.browser)).map(({ roles }) => roles)).toEqual([['owner'], ['owner']])
  const own = await list(members.auditor.browser)
  expect(own).toMatchObject([{ tenant_id: owner.tenant_id, roles: ['auditor'] }])
  const { body } = await members.auditor.browser.call<SessionProfile>('GET', '/v1/accounts/session')
  expect(body).toMatchObject({ owner: false, roles: [{ tenant_id: owner.tenant_id, role: 'auditor' }] })
  const whole = await owner.browser.call<SessionProfile>('GET', '/v1/accounts/session')
  expect(whole.body).toMatchObject({ owner: true, roles: [] })
})

it('an inbox of all applications is about those whose held actions a member may read', async () => {
  const { agent } = owner
  const proposal = {
    proposal_id: 'held-for-roles',
    actor: { agent_id: 'agent-1' },
    action: { target_system: 'helpdesk', operation: 'refund', parameters: {} },
    summary: 'Refund',
    risk: { level: 'high' },
  }
  await service.call('POST', '/v1/actions', { key: agent, json: proposal })
  const inbox = async ({ browser }: Pick<TestMember, 'browser'>, query = '') =>
    browser.call<{ waiting: number } & Problem>('GET', `/v1/accounts/inbox${query}`)
  const waiting = (await inbox(owner)).body.waiting
  expect((await inbox(members.approver)).body.waiting).toBe(waiting)
  expect((await inbox(members.auditor)).body.waiting).toBe(waiting)
  expect((await inbox(members.operator)).body.waiting).toBe(0)
  expect((await inbox(members.operator, `?tenant_id=${owner.tenant_id}`)).body.code).toBe('tenant_not_found')
})

it('an approver reads what was held, and no other action', async () => {
  const submit = async (risk: string) => {
    const json = {
      proposal_id: `read-${risk}`,
      actor: { agent_id: 'agent-1' },
      action: { target_system: 'helpdesk', operation: 'add_note', parameters: {} },
      summary: 'Note',
      risk: { level: risk },
    }
    const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
      key: owner.agent,
      json,
      headers: { prefer: 'wait=0' },
    })
    return body.action_id
  }
  const read = async (role: MemberRole, id: string) =>
    (await members[role].browser.call('GET', owner.path(`/actions/${id}`))).status
  const [held, allowed] = [await submit('high'), await submit('low')]
  expect([await read('approver', held), await read('approver', allowed)]).toEqual([200, 404])
  expect([await read('auditor', held), await read('auditor', allowed)]).toEqual([200, 200])
})

it('what a key of a role does stands in the events under its own kind', async () => {
  const path = owner.path('/policy')
  const { body } = await service.call<{ policy: object }>('GET', path, { key: keys.policy_author })
  const json = { policy: { ...body.policy, approval_required_at: 'low' }, change_note: 'By a pipeline.' }
  expect((await service.call('PUT', path, { key: keys.policy_author, json })).status).toBe(200)
  const { body: now } = await service.call<{ author: object }>('GET', path, { key: keys.auditor })
  expect(now.author).toMatchObject({ name: 'of policy_author', scope: 'policy_author' })
  expect((await service.call('POST', owner.path('/pause'), { key: keys.operator, json: stop })).status).toBe(
    200,
  )
  const stopped = async (key: string) =>
    (await service.call<{ freezes: { author: object }[] }>('GET', owner.path('/freezes'), { key })).body
      .freezes
  expect(await stopped(keys.auditor)).toMatchObject([{ author: { scope: 'operator' } }])
  expect((await owner.browser.call('POST', owner.path('/resume'), { json: stop })).status).toBe(200)
  expect(await kindsOf(owner.tenant_id)).toEqual(
    expect.arrayContaining(['owner', 'policy_author', 'operator']),
  )
})

it('a key of the operator’s role lifts no stop of whoever runs the service', async () => {
  const stopPath = `/v1/tenants/${owner.tenant_id}`
  expect((await service.call('POST', `${stopPath}/pause`, { admin: service.admin, json: stop })).status).toBe(
    200,
  )
  const lifted = await service.call<Problem>('POST', owner.path('/resume'), {
    key: keys.operator,
    json: stop,
  })
  expect(lifted.body.code).toBe('stopped_by_operator')
  await service.call('POST', `${stopPath}/resume`, { admin: service.admin, json: stop })
})

it('a key ends with the role of whose it is', async () => {
  const second = await join(service.call, owner, { owner: true })
  const json = { name: 'of a second owner', scope: 'auditor' }
  const { body } = await second.browser.call<KeyIssued>('POST', owner.path('/api-keys'), { json })
  const read = () => service.call<Problem>('GET', owner.path('/policy'), { key: body.api_key })
  expect((await read()).status).toBe(200)
  const roles = [{ tenant_id: owner.tenant_id, role: 'approver' }]
  const lowered = { json: { owner: false, roles } }
  await owner.browser.call('PUT', `/v1/accounts/members/${second.account_id}`, lowered)
  expect((await read()).body.code).toBe('key_revoked')
})

it('a service without hosted accounts makes no key of a role', async () => {
  const without = await startService({ worker: null })
  try {
    const { id } = await without.tenant()
    const call = { admin: without.admin, json: { name: 'x', scope: 'auditor' } }
    const { status, body } = await without.call<Problem>('POST', `/v1/tenants/${id}/api-keys`, call)
    expect({ status, issues: body.errors }).toMatchObject({
      status: 400,
      issues: [{ path: 'scope', code: 'no_hosted_accounts' }],
    })
  } finally {
    await without.close()
  }
})

const stop = { system: null, reason: 'of a test' }

async function kindsOf(tenantId: string): Promise<string[]> {
  const rows = await asReader<{ kind: string }>(
    service.context.store,
    `select distinct convert_from(event, 'UTF8')::jsonb #>> '{principal,kind}' as kind from config_events where tenant_id = '${tenantId}'`,
  )
  return rows.map(({ kind }) => kind)
}
