import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnedTenant, SessionProfile } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { type MemberRole, memberRoles } from '../../../shared/contract/role-schema.ts'
import { join, type TestMember } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** Every row of an application, asked by a member of each role; written down here a second time. */
let service: TestService
let owner: TestOwner
let other: TestOwner
const members = {} as Record<MemberRole, TestMember>

beforeAll(async () => {
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' },
    worker: null,
  })
  ;[owner, other] = await Promise.all([signUp(service.call), signUp(service.call)])
  for (const role of memberRoles)
    members[role] = await join(service.call, owner, { roles: [{ tenant_id: owner.tenant_id, role }] })
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
  ],
  auditor: [...everybody, ...ofReaders, ...ofInbox, 'list_owned_keys', 'list_owned_secrets'],
  policy_author: [
    ...everybody,
    ...ofReaders,
    'replace_owned_policy',
    'revise_owned_catalog',
    'check_owned_policy',
    'diff_owned_policy',
    'validate_owned_policy',
  ],
  operator: [
    ...everybody,
    ...ofReaders,
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
  .filter(([, { access }]) => access === 'session')
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
    .replace('{invitation_id}', `inv_${'a'.repeat(16)}`)
    .replace('{name}', 'nothing')
    .replace('{system}', 'nothing')
}

async function said(member: TestMember, row: Endpoint, tenantId: string): Promise<string> {
  const json = row.body ? { json: { unknown: true } } : {}
  // Without a body: a stream that is admitted does not end by itself.
  const method = row.answers[200]?.type === 'text/event-stream' ? 'HEAD' : row.method
  const { status, body } = await member.browser.call<Problem>(method, concrete(row.path, tenantId), json)
  return `${status} ${body?.code ?? ''}`.trim()
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
