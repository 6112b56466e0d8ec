import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Inbox } from '../../../shared/contract/action/inbox-schema.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Route } from '../../../shared/contract/configuration/route-schema.ts'
import { changeActions } from '../../../shared/flow/core/change-action.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import type { ActionState, RouteTerms } from '../../../shared/lifecycle/change.ts'
import { approve, comment, escalate, reject, supersede } from '../../../shared/lifecycle/decide.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { type Person, type RoutedTenant, routedTenant } from '../../support/service/routed-tenant.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { SERVICE_SWEEP_MS: '100000000' } })
})
afterAll(() => service.close())

const twoAndOne = {
  required: [
    { group: 'leads', approvals: 2 },
    { group: 'security', approvals: 1 },
  ],
}

interface Bed {
  tenant: RoutedTenant
  ada: Person
  bob: Person
  sam: Person
  eve: Person
}

/** Two leads, one of security, and somebody outside. */
async function bed(): Promise<Bed> {
  const tenant = await routedTenant(service)
  const [ada, bob, sam, eve] = await Promise.all([
    tenant.person('ada'),
    tenant.person('bob'),
    tenant.person('sam'),
    tenant.person('eve'),
  ])
  await tenant.putGroup('leads', [ada, bob])
  await tenant.putGroup('security', [sam])
  expect(await tenant.putRoute(twoAndOne)).toMatchObject({ status: 200, body: { warnings: [] } })
  return { tenant, ada, bob, sam, eve }
}

const traceOf = async ({ agent }: RoutedTenant, id: string): Promise<Trace> =>
  (await service.call<Trace>('GET', `/v1/actions/${id}`, { key: agent })).body

describe('a route', () => {
  it('is frozen into the verdict, and takes its approvals of its groups', async () => {
    const { tenant, ada, bob, sam, eve } = await bed()
    const id = await tenant.hold()
    const { verdict } = await traceOf(tenant, id)
    const listed = await service.call<{ routes: Route[] }>('GET', `/v1/tenants/${tenant.id}/routes`, {
      admin: service.admin,
    })
    expect(verdict).toMatchObject({
      review_route: 'refunds',
      approvals_required: 3,
      route: { name: 'refunds', ...twoAndOne },
      route_hash: listed.body.routes[0]?.hash,
    })
    const outside = { status: 403, body: { code: 'not_on_route' } }
    expect(await tenant.decide('approve', id, eve)).toMatchObject(outside)
    expect(await tenant.decide('reject', id, eve)).toMatchObject(outside)
    expect(await tenant.decide('approve', id, ada)).toMatchObject({
      status: 202,
      body: { approvals: { given: 1, by: [{ name: 'ada', group: 'leads' }] } },
    })
    expect((await tenant.decide('approve', id, sam)).status).toBe(202)
    expect(await tenant.decide('approve', id, bob)).toMatchObject({ body: { action_status: 'executed' } })
    expect(await verified(tenant, id)).toBe('verified')
  })

  it('is not changed for what is held, and its people are who they are now', async () => {
    const { tenant, ada, bob, sam, eve } = await bed()
    const id = await tenant.hold()
    await tenant.putRoute({ required: [{ group: 'security', approvals: 1 }] })
    expect(await tenant.decide('approve', id, sam)).toMatchObject({ status: 202 })
    await tenant.putGroup('leads', [ada, eve])
    expect(await tenant.decide('approve', id, bob)).toMatchObject({ body: { code: 'not_on_route' } })
    expect((await tenant.decide('approve', id, ada)).status).toBe(202)
    expect(await tenant.decide('approve', id, eve)).toMatchObject({ body: { action_status: 'executed' } })
    const next = await tenant.hold()
    expect(await tenant.decide('approve', next, sam)).toMatchObject({ body: { action_status: 'executed' } })
    expect(await verified(tenant, next)).toBe('verified')
  })

  it('takes no more of a group than it can use', async () => {
    const { tenant, ada, bob, sam, eve } = await bed()
    await tenant.putGroup('leads', [ada, bob, eve])
    const id = await tenant.hold()
    await tenant.decide('approve', id, ada)
    await tenant.decide('approve', id, bob)
    expect(await tenant.decide('approve', id, eve)).toMatchObject({
      status: 409,
      body: { code: 'group_complete' },
    })
    expect(await tenant.decide('reject', id, sam)).toMatchObject({ body: { action_status: 'denied' } })
    expect(await verified(tenant, id)).toBe('verified')
  })

  it('that is not defined lets any approver decide', async () => {
    const tenant = await routedTenant(service)
    const id = await tenant.hold()
    expect((await traceOf(tenant, id)).verdict).not.toHaveProperty('route')
    expect(await tenant.approve(id)).toMatchObject({ body: { action_status: 'executed' } })
  })

  it('has its own time to decide, and silence never approves', async () => {
    const { tenant, sam } = await bed()
    await tenant.putRoute({ required: [{ group: 'security', approvals: 1 }], decide_within_ms: 1_000 })
    const id = await tenant.hold()
    expect((await traceOf(tenant, id)).verdict).toMatchObject({ decide_within_ms: 1_000 })
    await expect.poll(() => expired(id), { timeout: 10_000 }).toBe(true)
    expect(await tenant.decide('approve', id, sam)).toMatchObject({ body: { code: 'action_not_approvable' } })
    await sweep(service.context)
    expect(await traceOf(tenant, id)).toMatchObject({
      status: 'denied',
      outcome: { code: 'approval_expired' },
    })
  })

  it('keeps the proposer out, also where one approval is enough', async () => {
    const { tenant, sam } = await bed()
    await tenant.putRoute({ required: [{ group: 'security', approvals: 1 }] })
    const { body } = await service.call<{ api_key: string }>('POST', `/v1/tenants/${tenant.id}/api-keys`, {
      admin: service.admin,
      json: { name: 'sam', scope: 'agent' },
    })
    const json = proposal({ risk: 'high' })
    const held = await service.call<Verdict>('POST', '/v1/actions', { key: body.api_key, json })
    expect(await tenant.decide('approve', held.body.action_id, sam)).toMatchObject({
      body: { code: 'own_proposal' },
    })
  })

  it('with the policy’s minimum takes the rest of anybody on it', async () => {
    const tenant = await routedTenant(service, 2)
    const [sam, kim] = [await tenant.person('sam'), await tenant.person('kim')]
    await tenant.putGroup('security', [sam, kim])
    await tenant.putRoute({ required: [{ group: 'security', approvals: 1 }] })
    const id = await tenant.hold()
    expect(await tenant.decide('approve', id, sam)).toMatchObject({ status: 202 })
    expect(await tenant.decide('approve', id, kim)).toMatchObject({ body: { action_status: 'executed' } })
    expect(await verified(tenant, id)).toBe('verified')
  })
})

describe('a group without people', () => {
  it('is told, and is never skipped', async () => {
    const { tenant, ada, bob } = await bed()
    expect(await tenant.putGroup('security', [])).toMatchObject({
      status: 200,
      body: { warnings: [{ code: 'group_without_members' }] },
    })
    expect(await tenant.putRoute(twoAndOne)).toMatchObject({
      body: { groups_without_members: ['security'], warnings: [{ code: 'group_without_members' }] },
    })
    const id = await tenant.hold()
    const { verdict } = await traceOf(tenant, id)
    expect(verdict.route?.groups_without_members).toEqual(['security'])
    await tenant.decide('approve', id, ada)
    expect(await tenant.decide('approve', id, bob)).toMatchObject({
      status: 202,
      body: { action_status: 'pending_approval', approvals: { given: 2, required: 3 } },
    })
    const { body } = await service.call<Inbox>('GET', '/v1/inbox', { key: ada.key })
    expect(body.approvals[0]?.route).toEqual({
      missing: [{ group: 'security', approvals: 1 }],
      groups_without_members: ['security'],
      names_you: true,
    })
  })
})

describe('a group that helps', () => {
  it('is asked once when nobody decided, and then counts for any group', async () => {
    const { tenant, ada, sam, eve } = await bed()
    await tenant.putGroup('duty', [eve])
    await tenant.putRoute({ ...twoAndOne, escalate: { after_ms: 1_000, group: 'duty' } })
    const id = await tenant.hold()
    await sweep(service.context)
    expect(await tenant.decide('approve', id, eve)).toMatchObject({ body: { code: 'not_on_route' } })
    await expect.poll(() => escalationDue(id), { timeout: 10_000 }).toBe(true)
    await sweep(service.context)
    await sweep(service.context)
    expect((await traceOf(tenant, id)).events.map(({ kind }) => kind)).toEqual([
      'proposal_received',
      'verdict',
      'escalation',
    ])
    expect(await tenant.decide('approve', id, eve)).toMatchObject({
      body: { approvals: { by: [{ name: 'eve', group: 'leads' }] } },
    })
    await tenant.decide('approve', id, ada)
    expect(await tenant.decide('approve', id, sam)).toMatchObject({ body: { action_status: 'executed' } })
    expect(await verified(tenant, id)).toBe('verified')
  })
})

describe('a delegate', () => {
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

  it('decides in the place of who is absent, never beside them', async () => {
    const { tenant, ada, bob, sam, eve } = await bed()
    const put = (json: object) => service.call('PUT', '/v1/absence', { key: bob.key, json })
    const asked = { delegate: { key_id: eve.key_id }, until: tomorrow() }
    expect(await put(asked)).toMatchObject({
      status: 200,
      body: { absences: [{ absent: 'name:bob', delegate: 'name:eve' }] },
    })
    const id = await tenant.hold()
    expect(await tenant.decide('approve', id, eve)).toMatchObject({
      body: { approvals: { by: [{ name: 'eve', group: 'leads', on_behalf_of: 'name:bob' }] } },
    })
    expect(await tenant.decide('approve', id, bob)).toMatchObject({
      body: { code: 'approval_already_counted' },
    })
    await tenant.decide('approve', id, ada)
    expect(await tenant.decide('approve', id, sam)).toMatchObject({ body: { action_status: 'executed' } })
    expect(await verified(tenant, id)).toBe('verified')
    expect(await put({ ...asked, until: '2020-01-01T00:00:00.000Z' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'until', code: 'already_over' }] },
    })
    expect(await put({ ...asked, until: null })).toMatchObject({ body: { absences: [] } })
    const next = await tenant.hold()
    expect(await tenant.decide('approve', next, eve)).toMatchObject({ body: { code: 'not_on_route' } })
  })

  it('reads in whose place they decide, and may decline', async () => {
    const { tenant, bob, eve } = await bed()
    const json = { delegate: { key_id: eve.key_id }, until: tomorrow() }
    await service.call('PUT', '/v1/absence', { key: bob.key, json })
    const read = (key: string) => service.call('GET', '/v1/absence', { key })
    const told = { absent: 'name:bob', absent_name: 'bob', delegate: 'name:eve', delegate_name: 'eve' }
    expect(await read(eve.key)).toMatchObject({ body: { own: null, acts_for: [told] } })
    expect(await read(bob.key)).toMatchObject({ body: { own: told, acts_for: [] } })
    const decline = (key: string) =>
      service.call('POST', '/v1/absence/decline', { key, json: { absent: 'name:bob' } })
    const id = await tenant.hold()
    expect(await decline(bob.key)).toMatchObject({ status: 200, body: { own: told } })
    expect(await decline(eve.key)).toMatchObject({ status: 200, body: { own: null, acts_for: [] } })
    expect(await tenant.decide('approve', id, eve)).toMatchObject({ body: { code: 'not_on_route' } })
    expect((await decline(eve.key)).status).toBe(200)
    expect((await check()).differences).toEqual({ found: 0, listed: [] })
  })
})

describe('the database', () => {
  /** Writes a decision with other people or another demand than there are, as no process of ours would. */
  async function forged(decide: (state: ActionState) => ReturnType<Decide>, id: string): Promise<void> {
    const [changed] = await changeActions(service.context, [{ action_id: id, tenant_id: null, decide }])
    expect(changed?.ok).toBe(true)
  }

  const by = (name: string) =>
    approve({
      approver: { id: `apk_${name}`, kind: 'approver' },
      payload: { note: null, name },
      attempts_max: 5,
      proposal_hash: null,
      request_hash: null,
    })

  const asIf = (change: Partial<RouteTerms>, decide: Decide, name: string) => (state: ActionState) => {
    const { quorum } = state
    if (!quorum?.route) throw new Error('the action has no route')
    return decide({ ...state, quorum: { ...quorum, route: { ...quorum.route, ...change } } }, `name:${name}`)
  }

  const leads = (...names: string[]) => ({
    people: new Map([['leads', names.map(name => `name:${name}`)]]),
  })

  it('refuses whom no group has, whoever writes it', async () => {
    const { tenant } = await bed()
    const id = await tenant.hold()
    const refused = /has nobody who gives this/
    await expect(forged(asIf(leads('eve'), by('eve'), 'eve'), id)).rejects.toThrow(refused)
    const rejection = reject({ id: 'apk_eve', kind: 'approver' }, { note: null, name: 'eve' })
    await expect(forged(asIf(leads('eve'), rejection, 'eve'), id)).rejects.toThrow(refused)
    const helped = { helping: 'duty', people: new Map([['duty', ['name:eve']]]) }
    await expect(forged(asIf(helped, by('eve'), 'eve'), id)).rejects.toThrow(refused)
    const absences = [{ absent: 'name:ada', delegate: 'name:eve' }]
    await expect(forged(asIf({ absences }, by('eve'), 'eve'), id)).rejects.toThrow(refused)
  })

  it('refuses more of a group than the route can use, and an end without all groups', async () => {
    const { tenant, ada, bob, eve } = await bed()
    await tenant.putGroup('leads', [ada, bob, eve])
    const id = await tenant.hold()
    await tenant.decide('approve', id, ada)
    await tenant.decide('approve', id, bob)
    const more = { required: [{ group: 'leads', approvals: 3 }] }
    await expect(forged(asIf(more, by('eve'), 'eve'), id)).rejects.toThrow(/takes no approval for leads/)
  })

  it('finds what was made to pass, and tells an auditor the same', async () => {
    const { tenant, ada, bob, eve } = await bed()
    await tenant.putGroup('leads', [ada, bob, eve])
    const id = await tenant.hold()
    await tenant.decide('approve', id, ada)
    await tenant.decide('approve', id, bob)
    expect((await check()).differences).toEqual({ found: 0, listed: [] })
    await trigger('disable')
    await forged(asIf({ required: [{ group: 'leads', approvals: 3 }] }, by('eve'), 'eve'), id)
    await trigger('enable always')
    expect((await check()).differences.listed).toEqual([
      { where: `action/${id}`, problem: expect.stringMatching(/one of leads more than it takes/) },
      { where: `action/${id}`, problem: expect.stringMatching(/apk_eve, a key that nobody had minted/) },
    ])
    expect(await verified(tenant, id)).toBe('invalid')
  })

  it('refuses an edit by whom no group has, whoever writes it', async () => {
    const { tenant } = await bed()
    const id = await tenant.hold()
    const edit: Decide = (state, holder) =>
      supersede(
        { id: 'apk_eve', kind: 'approver' },
        { superseded_by: 'act_2' },
        state.proposal_hash,
      )(state, holder)
    const refused = /has nobody who makes this edit/
    await expect(forged(asIf(leads('eve'), edit, 'eve'), id)).rejects.toThrow(refused)
    const absences = [{ absent: 'name:ada', delegate: 'name:eve' }]
    await expect(forged(asIf({ absences }, edit, 'eve'), id)).rejects.toThrow(refused)
    const helped = { helping: 'duty', people: new Map([['duty', ['name:eve']]]) }
    await expect(forged(asIf(helped, edit, 'eve'), id)).rejects.toThrow(refused)
    await forged(asIf({}, edit, 'ada'), id)
  })

  it('refuses help before the route asks for it, and twice', async () => {
    const { tenant, eve } = await bed()
    await tenant.putGroup('duty', [eve])
    await tenant.putRoute({ ...twoAndOne, escalate: { after_ms: 3_600_000, group: 'duty' } })
    const id = await tenant.hold()
    const asks = asIf({ asked_next: 'duty' }, escalate(), '')
    await expect(forged(asks, id)).rejects.toThrow(/asks for no help before/)
    await asSuperuser(
      service.database,
      `update action_gate.held_actions set escalates_at = clock_timestamp() where action_id = '${id}'`,
    )
    await forged(asks, id)
    await expect(forged(asks, id)).rejects.toThrow(/asks for no help before infinity/)
  })

  it('frees nothing whose hold was over, and lets it be denied', async () => {
    const { tenant } = await bed()
    await tenant.putRoute({ required: [{ group: 'leads', approvals: 1 }] })
    const id = await tenant.hold()
    const held = (until: string) =>
      asSuperuser(
        service.database,
        `update action_gate.actions set held_until = ${until} where action_id = '${id}'`,
      )
    const late = (decide: Decide) => (state: ActionState) =>
      asIf({}, decide, 'ada')({ ...state, hold_expired: false })
    const said = comment('comment', { id: 'apk_ada', kind: 'approver' }, { note: 'who pays?' })
    await held(`clock_timestamp() - interval '61 seconds'`)
    await expect(forged(late(by('ada')), id)).rejects.toThrow(/the hold of an action was over at/)
    await expect(forged(late(said), id)).rejects.toThrow(/the hold of an action was over at/)
    await sweep(service.context)
    expect(await traceOf(tenant, id)).toMatchObject({ status: 'denied' })
  })

  const trigger = (state: string) =>
    asSuperuser(
      service.database,
      `alter table action_gate.action_events ${state} trigger action_events_decided`,
    )
})

async function check() {
  const waiting =
    'select (select count(*) from log_outbox) + (select count(*) from unsigned_statements) as waiting'
  await vi.waitFor(
    async () => expect(await asReader(service.context.store, waiting)).toEqual([{ waiting: '0' }]),
    { timeout: 10_000 },
  )
  const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
  return checkDatabase({ url: databaseUrl(service.database), ...how })
}

async function verified({ agent }: RoutedTenant, id: string): Promise<string> {
  const settled = await service.call<Trace>('GET', `/v1/actions/${id}?wait=10`, { key: agent })
  expect(settled.status).toBe(200)
  const { text } = await service.call('GET', `/v1/actions/${id}/audit-export`, { key: agent })
  return verifyExport(Buffer.from(text), { trusted: [testVerifierKey()] }).outcome
}

async function expired(id: string): Promise<boolean> {
  return isSo(`select held_until <= clock_timestamp() as so from actions where action_id = '${id}'`)
}

async function escalationDue(id: string): Promise<boolean> {
  return isSo(`select escalates_at <= clock_timestamp() as so from held_actions where action_id = '${id}'`)
}

async function isSo(text: string): Promise<boolean> {
  const [row] = await asReader<{ so: boolean }>(service.context.store, text)
  return row?.so === true
}
