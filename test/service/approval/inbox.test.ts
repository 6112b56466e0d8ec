import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HeldAction } from '../../../shared/contract/action/action.ts'
import type { Inbox, InboxGroups } from '../../../shared/contract/action/inbox-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { plantHeld } from '../../support/service/plant-held.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
/** Ids by name, of what is held in `tenant`. */
const ids: Record<string, string> = {}

const crm = { kind: 'mock', settings: {} } as const
const policy = { ...plainPolicy, allowed_systems: ['crm', 'payments'] }
const held = {
  refund: {
    summary: 'Refund Müller for order 1001',
    system: 'payments',
    operation: 'refund',
    parameters: { amount: 250 },
  },
  large: {
    summary: 'Refund order 1002',
    system: 'payments',
    operation: 'refund',
    parameters: { amount: 2500 },
  },
  read: { summary: 'Read 100% of contacts', operation: 'read', parameters: { contact: { id: 'A_1' } } },
} as const

beforeAll(async () => {
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' }
  service = await startService({ env, worker: null })
  const actuators = ['crm', 'payments'].map(name => ({ name, ...crm }))
  tenant = await service.tenant({ policy, actuators })
  for (const [name, change] of Object.entries(held)) {
    const risk = name === 'large' ? 'high' : 'medium'
    const { action_id } = (await tenant.submit({ ...change, risk })).body
    ids[name] = action_id
  }
})

afterAll(async () => {
  await service.close()
})

async function inbox(query: Record<string, string> = {}, key = tenant.approver): Promise<Inbox> {
  const { status, body } = await service.call<Inbox>('GET', `/v1/inbox?${new URLSearchParams(query)}`, {
    key,
  })
  expect(status).toBe(200)
  return body
}

function groups(query: Record<string, string>, key = tenant.approver) {
  return service.call<InboxGroups & Problem>('GET', `/v1/inbox/groups?${new URLSearchParams(query)}`, { key })
}

async function names(query: Record<string, string>): Promise<string[]> {
  const { approvals } = await inbox(query)
  return approvals.map(({ action_id }) => Object.keys(ids).find(name => ids[name] === action_id) ?? action_id)
}

describe('an inbox', () => {
  it('has what ends soonest first, however late it was asked', async () => {
    const own = await service.tenant()
    const order = []
    for (let count = 0; count < 5; count += 1) order.push((await own.submit({ risk: 'high' })).body.action_id)
    const [, , late = '', soon = ''] = order
    await movedTo(late, '9 days')
    await movedTo(soon, '1 minute')
    const wanted = [soon, ...order.filter(id => id !== soon && id !== late), late]
    const { approvals, waiting } = await inbox({}, own.approver)
    expect(approvals.map(({ action_id }) => action_id)).toEqual(wanted)
    expect(waiting).toBe(5)
    const paged = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Inbox = await inbox({ limit: '2', ...(cursor ? { cursor } : {}) }, own.approver)
      paged.push(page.approvals.map(({ action_id }) => action_id))
      cursor = page.next_cursor
    }
    expect(paged.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(paged.flat()).toEqual(wanted)
  })

  it.each([
    [{ system: 'payments' }, ['refund', 'large']],
    [{ operation: 'read' }, ['read']],
    [{ risk: 'high' }, ['large']],
    [{ risk: 'low' }, []],
    [{ review_route: 'leads' }, ['refund', 'large', 'read']],
    [{ review_route: 'others' }, []],
    [{ agent_id: 'agent-1' }, ['refund', 'large', 'read']],
    [{ agent_id: 'agent' }, []],
    [{ system: 'payments', risk: 'high' }, ['large']],
    [{ search: 'order' }, ['refund', 'large']],
    [{ search: 'MÜLLER refund' }, ['refund']],
    [{ search: 'amount:250' }, ['refund', 'large']],
    [{ search: '"amount":2500' }, ['large']],
    [{ search: 'contact a_1' }, ['read']],
    [{ search: '100%' }, ['read']],
    [{ search: 'a%1' }, []],
    [{ search: '1_0' }, []],
    [{ search: String.raw`\ ` }, []],
    [{ search: '   ' }, ['refund', 'large', 'read']],
    [{ search: "order' or '1'='1" }, []],
  ] as [Record<string, string>, string[]][])('is narrowed by %o', async (query, wanted) => {
    expect(await names(query)).toEqual(wanted)
  })

  it.each([
    ['system', {}, { payments: 2, crm: 1 }],
    ['operation', {}, { refund: 2, read: 1 }],
    ['risk', {}, { medium: 2, high: 1 }],
    ['agent_id', {}, { 'agent-1': 3 }],
    ['review_route', {}, { leads: 3 }],
    ['risk', { system: 'payments' }, { medium: 1, high: 1 }],
    ['operation', { search: 'order' }, { refund: 2 }],
    ['operation', { search: 'nothing has this' }, {}],
  ] as const)('is grouped by %s, narrowed by %o', async (by, query, wanted) => {
    const { status, body } = await groups({ by, ...query })
    expect(status).toBe(200)
    expect(Object.fromEntries(body.groups.map(({ value, count }) => [value, count]))).toEqual(wanted)
    expect(body).toMatchObject({ by, complete: true })
    const counts = body.groups.map(({ count }) => count)
    expect(counts).toEqual(counts.toSorted((one, other) => other - one))
  })

  it('tells an action without its payloads, and first the values that decide', async () => {
    const own = await service.tenant({ policy, actuators: [{ name: 'payments', ...crm }] })
    const parameters = {
      ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`aside_${at}`, at])),
      to: 'ada@example.org',
      note: 'é'.repeat(300),
      ['long'.repeat(40)]: 1,
      empty: {},
    }
    const asked = { system: 'payments', operation: 'refund', risk: 'high', parameters } as const
    const { action_id } = (await own.submit(asked)).body
    const {
      proposal,
      verdict,
      comments: _,
      ...held
    } = (await service.call<HeldAction>('GET', `/v1/approvals/${action_id}`, { key: own.approver })).body
    const [told] = (await inbox({}, own.approver)).approvals
    expect(told).toEqual({
      ...held,
      tenant_id: own.id,
      agent_id: proposal.actor.agent_id,
      key: { key_id: verdict.principal.key_id, name: verdict.principal.name },
      summary: proposal.summary,
      target_system: 'payments',
      operation: 'refund',
      effective_risk: verdict.effective_risk,
      proposal_hash: verdict.proposal_hash,
      request_hash: verdict.request_hash,
      values: expect.any(Array),
      values_more: 4,
    })
    expect(told?.values).toHaveLength(limits.inbox_values_max)
    expect(told?.values[0]).toEqual({ path: ['to'], value: 'ada@example.org' })
    const few = { id: 'é'.repeat(300), list: [], flag: null, deep: { amount: 2.5 } }
    const other = (await own.submit({ ...asked, parameters: few })).body.action_id
    const { approvals } = await inbox({}, own.approver)
    expect(approvals.find(({ action_id: id }) => id === other)).toMatchObject({
      values: [
        { path: ['deep', 'amount'], value: 2.5 },
        { path: ['flag'], value: null },
        { path: ['id'], value: 'é'.repeat(limits.inbox_value_length_max), cut: true },
        { path: ['list'], value: [] },
      ],
      values_more: 0,
    })
  })

  it('counts a group by what ends soonest, and says where it did not look at all', async () => {
    const own = await service.tenant()
    const { action_id } = (await own.submit({ risk: 'high' })).body
    const [first] = (await groups({ by: 'risk' }, own.approver)).body.groups
    const trace = (await inbox({}, own.approver)).approvals[0]
    expect(first).toEqual({ value: 'high', count: 1, ends_first: trace?.expires_at })
    await plantHeld(service, action_id, limits.inbox_looked_max)
    const { body } = await groups({ by: 'risk' }, own.approver)
    expect(body).toMatchObject({
      complete: false,
      groups: [{ value: 'high', count: limits.inbox_looked_max }],
    })
    const none = await groups({ by: 'risk', system: 'nowhere' }, own.approver)
    expect(none.body).toMatchObject({ complete: false, groups: [] })
  }, 60_000)

  it('has no groups of another tenant, and none by what it does not know', async () => {
    const other = await service.tenant()
    expect((await groups({ by: 'risk' }, other.approver)).body.groups).toEqual([])
    expect(await groups({ by: 'searched' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect(await groups({})).toMatchObject({ status: 400 })
    expect((await groups({ by: 'risk' }, tenant.agent)).status).toBe(403)
  })

  it('loses what is decided, and keeps what takes more approvals', async () => {
    const pairs = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
    const { action_id } = (await pairs.submit({ risk: 'high' })).body
    await pairs.approve(action_id)
    const [partly] = (await inbox({}, pairs.approver)).approvals
    expect(partly).toMatchObject({ action_id, tenant_id: pairs.id, approvals: { given: 1, required: 2 } })
    await pairs.reject(action_id)
    expect(await inbox({}, pairs.approver)).toEqual({ approvals: [], waiting: 0, next_cursor: null })
    const left = await asSuperuser(
      service.database,
      `select from action_gate.held_actions where action_id = '${action_id}'`,
    )
    expect(left).toEqual([])
  })

  it('keeps what still waits, whoever asks the database to take it away', async () => {
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    await asSuperuser(service.database, `select action_gate.unlist_decided(array['${action_id}'])`)
    expect((await inbox({}, tenant.approver)).approvals).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ action_id })]),
    )
    await tenant.reject(action_id)
  })

  it('has nothing of another tenant, and no agent reads it', async () => {
    const other = await service.tenant()
    expect(await inbox({}, other.approver)).toMatchObject({ approvals: [], waiting: 0 })
    expect(await service.call('GET', '/v1/inbox', { key: tenant.agent })).toMatchObject({ status: 403 })
  })

  it.each([
    ['cursor', 'act_1'],
    ['limit', '201'],
    ['risk', 'extreme'],
    ['search', 'a'.repeat(201)],
    ['colour', 'red'],
  ])('refuses %s=%.9s', async (name, value) => {
    const answer = await service.call<Problem>('GET', `/v1/inbox?${name}=${value}`, { key: tenant.approver })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('looks no further than a bound where filters leave much out, and goes on', async () => {
    const own = await service.tenant()
    const { action_id } = (await own.submit({ risk: 'high', summary: 'the needle' })).body
    await movedTo(action_id, '6 days')
    await asSuperuser(
      service.database,
      `insert into action_gate.held_actions
         (tenant_id, action_id, held_until, agent_id, target_system, operation, risk, review_route, searched)
       select tenant_id, 'act_' || lpad(n::text, 36, '0'), held_until - interval '1 day', agent_id, target_system, operation, risk, review_route, 'hay'
       from action_gate.held_actions, generate_series(1, 10000) n where action_id = '${action_id}'`,
    )
    const first = await inbox({ search: 'needle' }, own.approver)
    expect(first).toMatchObject({ approvals: [], waiting: 1000 })
    const second = await inbox({ search: 'needle', cursor: first.next_cursor ?? '' }, own.approver)
    expect(second).toMatchObject({ approvals: [{ action_id }], next_cursor: null })
  })
})

async function movedTo(id: string, later: string): Promise<void> {
  for (const table of ['actions', 'held_actions'])
    await asSuperuser(
      service.database,
      `update action_gate.${table} set held_until = date_trunc('milliseconds', now() + interval '${later}') where action_id = '${id}'`,
    )
}

describe('the inbox of an owner', () => {
  const ownInbox = async (owner: TestOwner, query: Record<string, string> = {}) =>
    owner.browser.call<Inbox & Problem>('GET', `/v1/accounts/inbox?${new URLSearchParams(query)}`)

  async function submitTo(key: string, summary: string): Promise<string> {
    const json = proposal({ system: 'helpdesk', risk: 'high', summary })
    return (await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })).body.action_id
  }

  it('has all applications in one order, page by page', async () => {
    const owner = await signUp(service.call)
    const made = await owner.browser.call<{ tenant: { tenant_id: string }; api_key: string }>(
      'POST',
      '/v1/accounts/tenants',
      { json: { name: 'second', template: 'support' } },
    )
    const { api_key, tenant: second } = made.body
    const hold = { ...plainPolicy, allowed_systems: ['helpdesk'] }
    await owner.browser.call('PUT', owner.path('/policy'), { json: hold })
    await owner.browser.call('PUT', `/v1/accounts/tenants/${second.tenant_id}/policy`, { json: hold })
    const asked = []
    for (let count = 0; count < 6; count += 1)
      asked.push(await submitTo(count % 2 === 0 ? owner.agent : api_key, `number ${count}`))
    expect((await ownInbox(owner)).body.approvals.map(({ action_id }) => action_id)).toEqual(asked)
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await ownInbox(owner, { limit: '4', search: 'number', ...(cursor ? { cursor } : {}) })
      paged.push(...body.approvals.map(({ action_id }) => action_id))
      cursor = body.next_cursor
    }
    expect(paged).toEqual(asked)
    const alone = (await ownInbox(owner, { tenant_id: second.tenant_id })).body
    expect([alone.waiting, ...alone.approvals.map(({ tenant_id }) => tenant_id)]).toEqual([
      3,
      ...Array.from({ length: 3 }, () => second.tenant_id),
    ])
  })

  it('has nothing of others, and knows no application of theirs', async () => {
    const [owner, stranger] = [await signUp(service.call), await signUp(service.call)]
    expect((await ownInbox(stranger)).body).toEqual({ approvals: [], waiting: 0, next_cursor: null })
    const named = await ownInbox(stranger, { tenant_id: owner.tenant_id })
    expect(named).toMatchObject({ status: 404, body: { code: 'tenant_not_found' } })
    expect(await service.call('GET', '/v1/accounts/inbox')).toMatchObject({ status: 401 })
  })
})
