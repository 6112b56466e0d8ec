import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { actionGate } from '../../../shared/client/index.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { EditResponse } from '../../../shared/contract/action/decision-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { routedTenant } from '../../support/service/routed-tenant.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'
import { rpc } from '../mcp/mcp-client.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant({
    issued: true,
    policy: {
      ...plainPolicy,
      allowed_operations: { crm: ['read', 'pay'] },
      parameter_constraints: { crm: { pay: { amount: { max: 500 } } } },
    },
  })
})
afterAll(() => service.close())

async function held(of = tenant, proposal_id?: string): Promise<string> {
  const named = proposal_id === undefined ? {} : { proposal_id }
  const { body } = await of.submit({ operation: 'pay', risk: 'high', parameters: { amount: 100 }, ...named })
  return body.action_id
}

interface Editing {
  of?: TestTenant
  key?: string
  more?: object
}

async function edit(id: string, parameters: JsonObject, given: Editing = {}) {
  const { of = tenant, key = of.approver, more = {} } = given
  const { verdict } = await of.trace(id)
  const json = { parameters, proposal_hash: verdict.proposal_hash, ...more }
  return service.call<EditResponse & Problem>('POST', `/v1/actions/${id}/edit`, { key, json })
}

const kindsOf = ({ events }: Trace): string[] => events.map(({ kind }) => kind)

describe('an edited action', () => {
  it('is executed as edited, in a new action that the old one names', async () => {
    const id = await held()
    const answer = await edit(id, { amount: 40 }, { more: { note: 'half is enough' } })
    expect(answer).toMatchObject({ status: 200, body: { supersedes: id, action_status: 'executed' } })
    const next = await tenant.trace(answer.body.action_id)
    const old = await tenant.trace(id)
    expect(old).toMatchObject({
      status: 'denied',
      approval: { decision: 'superseded', principal: { kind: 'approver' }, note: 'half is enough' },
      outcome: { code: 'superseded', superseded_by: next.action_id, try_again: false },
      job: null,
    })
    expect(next.proposal).toMatchObject({
      action: { target_system: 'crm', operation: 'pay', parameters: { amount: 40 } },
      supersedes: { action_id: id, editor: { kind: 'approver', id: tenant.approver.split('.')[0] } },
    })
    expect(kindsOf(next).slice(0, 3)).toEqual(['proposal_received', 'verdict', 'approval'])
    expect(next.events[0]?.principal).toEqual(old.events[0]?.principal)
    expect(next.verdict.principal).toEqual(old.verdict.principal)
  })

  it('stays as it was where the gate denies the edited one', async () => {
    const id = await held()
    const denied = await edit(id, { amount: 501 })
    expect(denied).toMatchObject({
      status: 409,
      body: { code: 'edit_denied', errors: [{ path: 'parameters', code: 'parameter_above_max' }] },
    })
    const trace = await tenant.trace(id)
    expect({ status: trace.status, kinds: kindsOf(trace) }).toEqual({
      status: 'pending_approval',
      kinds: ['proposal_received', 'verdict'],
    })
    expect((await tenant.approve(id)).body.action_status).toBe('executed')
  })

  it('takes other parameters than it has, for what the editor saw', async () => {
    const id = await held()
    expect(await edit(id, { amount: 100 })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    const unseen = { proposal_hash: `sha256:${'0'.repeat(64)}` }
    expect(await edit(id, { amount: 1 }, { more: unseen })).toMatchObject({
      body: { code: 'proposal_mismatch' },
    })
    expect((await tenant.trace(id)).status).toBe('pending_approval')
  })

  it('is edited once: of edits and other decisions at once one wins', async () => {
    const id = await held()
    const amounts = Array.from({ length: 8 }, (_, at) => at + 1)
    const answers = await Promise.all([
      ...amounts.map(amount => edit(id, { amount })),
      tenant.approve(id),
      tenant.reject(id),
    ])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const { outcome } = await tenant.trace(id)
    expect(outcome?.code).toMatch(/^(superseded|rejected|executed)$/)
  })

  it('cannot be claimed by an agent, nor edited by one or by other tenants', async () => {
    const supersedes = { action_id: await held(), editor: { id: 'apk_x', kind: 'approver' }, name: 'x' }
    const json = { ...proposal({}), supersedes }
    const { body } = await service.call<Problem>('POST', '/v1/actions', { key: tenant.agent, json })
    expect(body).toMatchObject({ code: 'validation_failed' })
    const id = await held()
    const stranger = await service.tenant({ issued: true })
    expect((await edit(id, { amount: 1 }, { key: stranger.approver })).status).toBe(404)
    expect((await edit(id, { amount: 1 }, { key: tenant.agent })).body.code).toBe('wrong_scope')
  })
})

describe('on a route', () => {
  const routed = async (people: readonly string[]) => {
    const of = await routedTenant(service)
    const [ada, eve] = [await of.person('ada'), await of.person('eve')]
    const group = [ada, eve].filter(({ name }) => people.includes(name))
    await of.putGroup('leads', group)
    await of.putRoute({ required: [{ group: 'leads', approvals: 1 }] })
    return { of, ada, eve, id: await of.hold() }
  }

  it('its people edit, and nobody else', async () => {
    const { of, ada, eve, id } = await routed(['ada'])
    expect(await edit(id, { amount: 1 }, { of, key: eve.key })).toMatchObject({
      status: 403,
      body: { code: 'not_on_route' },
    })
    const { body } = await edit(id, { amount: 1 }, { of, key: ada.key })
    expect(body).toMatchObject({ action_status: 'executed', supersedes: id })
    expect((await of.trace(body.action_id)).verdict).toMatchObject({ route: { name: 'refunds' } })
  })

  it('nobody edits once the route is another', async () => {
    const { of, ada, id } = await routed(['ada', 'eve'])
    await of.putRoute({ required: [{ group: 'leads', approvals: 2 }] })
    expect(await edit(id, { amount: 1 }, { of, key: ada.key })).toMatchObject({
      status: 409,
      body: { code: 'edit_denied', errors: [{ code: 'route_changed' }] },
    })
    expect((await of.trace(id)).status).toBe('pending_approval')
  })
})

describe('where several approvals are required', () => {
  const ofTwo = () => service.tenant({ policy: { ...plainPolicy, approvals_required: 2 }, issued: true })

  it('the editor counts as the first, and not as the last', async () => {
    const two = await ofTwo()
    const id = await held(two)
    const answer = await edit(id, { amount: 40 }, { of: two })
    expect(answer).toMatchObject({
      status: 202,
      body: { action_status: 'pending_approval', approvals: { required: 2, given: 1 } },
    })
    const { action_id } = answer.body
    expect((await two.approve(action_id)).body).toMatchObject({ approvals: { given: 1 } })
    const path = `/v1/tenants/${two.id}/api-keys`
    const { body: minted } = await service.call<{ api_key: string }>('POST', path, {
      admin: service.admin,
      json: { name: 'second lead', scope: 'approver' },
    })
    const last = await service.call<EditResponse>('POST', `/v1/actions/${action_id}/approve`, {
      key: minted.api_key,
      json: {},
    })
    expect(last.body).toMatchObject({ action_status: 'executed', approvals: { given: 2 } })
  })

  it('a later policy does not let the editor decide alone', async () => {
    const two = await ofTwo()
    const id = await held(two)
    const path = `/v1/tenants/${two.id}/policy`
    const replaced = await service.call('PUT', path, { admin: service.admin, json: plainPolicy })
    expect(replaced.status).toBe(200)
    expect(await edit(id, { amount: 40 }, { of: two })).toMatchObject({
      body: { action_status: 'pending_approval', approvals: { required: 2, given: 1 } },
    })
  })
})

describe('an agent', () => {
  it('waits for the action that takes the place of its own', async () => {
    const agent = actionGate({ url: service.url, key: tenant.agent })
    const executed = await agent.run(
      { system: 'crm', operation: 'pay' },
      { amount: 100 },
      {
        risk: 'high',
        proposalId: 'edited-run',
        onHeld: async ({ actionId }) => {
          expect((await edit(actionId, { amount: 30 })).status).toBe(200)
        },
      },
    )
    const again = await agent.run(
      { system: 'crm', operation: 'pay' },
      { amount: 100 },
      { risk: 'high', proposalId: 'edited-run' },
    )
    expect(again.actionId).toBe(executed.actionId)
    const { proposal } = await tenant.trace(executed.actionId)
    expect(proposal).toMatchObject({ action: { parameters: { amount: 30 } } })
  })

  it('has one task for both, under the id of the first', async () => {
    const ask = async (method: string, params: JsonObject, meta?: JsonObject) => {
      const options = { tasks: true, ...(meta ? { meta } : {}) }
      const { body } = await rpc({ url: service.url, key: tenant.agent }, method, params, options)
      return (body.result ?? {}) as JsonObject
    }
    const call = { name: 'crm__pay', arguments: { amount: 100 } }
    const { taskId } = await ask('tools/call', call, { 'io.action-gate/risk': 'high' })
    await edit(String(taskId), { amount: 20 })
    const ended = await ask('tasks/get', { taskId: String(taskId) })
    expect(ended).toMatchObject({ taskId, status: 'completed', result: { isError: false } })
  })
})

it('an edit and what takes its place pass the check of the whole database', async () => {
  const id = await held()
  const { body } = await edit(id, { amount: 12 })
  expect(body.action_status).toBe('executed')
  const waiting =
    'select (select count(*) from log_outbox) + (select count(*) from unsigned_statements) as waiting'
  await vi.waitFor(
    async () => expect(await asReader(service.context.store, waiting)).toEqual([{ waiting: '0' }]),
    { timeout: 10_000 },
  )
  const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
  const { differences, counted } = await checkDatabase({ url: databaseUrl(service.database), ...how })
  expect(differences).toEqual({ found: 0, listed: [] })
  expect(counted.actions).toBeGreaterThan(10)
})
