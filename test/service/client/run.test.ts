import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  actionGate,
  Denied,
  Expired,
  Failed,
  GateError,
  type Held,
  Interrupted,
  OutcomeUnknown,
  Refused,
  Rejected,
  Unreachable,
  Withdrawn,
} from '../../../shared/client/index.ts'
import type { MockSettings } from '../../../shared/contract/configuration/actuator-schema.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_RECONCILE_MS_MIN: '3600000' } })
  tenant = await service.tenant()
})
afterAll(() => service.close())

const agent = (of = tenant) => actionGate({ url: service.url, key: of.agent, agent: 'support' })
const approver = (of = tenant) => actionGate({ url: service.url, key: of.approver })
const playing = (settings: MockSettings) =>
  service.tenant({ actuators: [{ name: 'crm', kind: 'mock', settings }] })

async function failureOf(promise: Promise<unknown>): Promise<GateError> {
  const thrown = await promise.catch((error: unknown) => error)
  if (!(thrown instanceof GateError)) throw new Error(`no failure of the set: ${String(thrown)}`)
  return thrown
}

describe('run', () => {
  test('answers the result of an operation that is allowed', async () => {
    const { actionId, result, auditRoot, outcome } = await agent().run('crm.read', { contact: 42 })
    expect(result).toEqual({ ok: true, detail: { executed: 'read', target: 'crm', dry_run: true } })
    const trace = await tenant.trace(actionId)
    expect({ auditRoot, outcome }).toEqual({ auditRoot: trace.audit_root, outcome: trace.outcome })
    expect(trace.proposal).toMatchObject({
      actor: { agent_id: 'support' },
      summary: 'crm.read {"contact":42}',
      risk: { level: 'low' },
    })
  })

  test('throws Denied with the reasons', async () => {
    const failure = await failureOf(agent().run('mail.send', {}))
    expect(failure).toBeInstanceOf(Denied)
    expect(failure).toMatchObject({
      name: 'Denied',
      code: 'system_not_allowed',
      actionId: expect.stringMatching(/^act_/),
      verdict: { decision: 'deny' },
      next: expect.stringContaining('Stop'),
      reasons: expect.arrayContaining(['system_not_allowed: system "mail" is not allowed']),
      message: expect.stringMatching(/^system_not_allowed: system "mail" is not allowed/),
    })
  })

  test('waits for a person, says so once and answers the result', async () => {
    const told: Held[] = []
    const { actionId } = await agent().run(
      'crm.read',
      { contact: 1 },
      {
        risk: 'medium',
        async onHeld(held) {
          told.push(held)
          await approver().approvals.approve(held.actionId, { note: 'checked' })
        },
      },
    )
    expect(told).toEqual([
      {
        actionId,
        proposalId: expect.any(String),
        reviewRoute: 'leads',
        review_url: `${service.url}/approve/${tenant.id}/${actionId}`,
        approvalsRequired: 1,
      },
    ])
    expect((await tenant.trace(actionId)).approval).toMatchObject({ decision: 'approved', note: 'checked' })
  })

  test('throws Rejected with the note of the person', async () => {
    const held = agent().run(
      'crm.read',
      {},
      {
        risk: 'high',
        onHeld: async ({ actionId }) => {
          await approver().approvals.reject(actionId, { note: 'not this one' })
        },
      },
    )
    const failure = await failureOf(held)
    expect(failure).toBeInstanceOf(Rejected)
    expect(failure).toMatchObject({ code: 'rejected', outcome: { message: 'not this one' } })
  })

  test('throws Withdrawn where another program of the agent withdrew', async () => {
    const held = agent().run(
      'crm.read',
      {},
      {
        risk: 'high',
        onHeld: async ({ actionId }) => {
          await agent().cancel(actionId, { note: 'not wanted' })
        },
      },
    )
    const failure = await failureOf(held)
    expect(failure).toBeInstanceOf(Withdrawn)
    expect(failure.outcome).toMatchObject({ message: 'not wanted', try_again: true })
  })

  test('throws Expired where nobody decided in time', async () => {
    const json = { tenant_id: 'hasty', policy: plainPolicy, mock_actuators: ['crm'], approval_ttl_ms: 1_000 }
    const { body } = await service.call<{ api_key: string }>('POST', '/v1/tenants', {
      admin: service.admin,
      json,
    })
    const hasty = actionGate({ url: service.url, key: body.api_key })
    const failure = await failureOf(hasty.run('crm.read', {}, { risk: 'high' }))
    expect(failure).toBeInstanceOf(Expired)
    expect(failure.code).toBe('approval_expired')
  })

  test('throws Failed where nothing happened', async () => {
    const failure = await failureOf(agent(await playing({ outcome: 'failed' })).run('crm.read', {}))
    expect(failure).toBeInstanceOf(Failed)
    expect(failure).toMatchObject({ tryAgain: false, outcome: { status: 'execution_failed' } })
  })

  test('throws OutcomeUnknown, and settled answers what an operator found out', async () => {
    const unsure = await playing({ outcome: 'unknown', idempotency: 'none' })
    const failure = await failureOf(agent(unsure).run('crm.read', {}))
    expect(failure).toBeInstanceOf(OutcomeUnknown)
    expect(failure.next).toContain('Stop all automation')
    const actionId = failure.actionId ?? ''
    const resolved = await service.call('POST', `/v1/tenants/${unsure.id}/actions/${actionId}/resolve`, {
      admin: service.admin,
      json: { outcome: 'executed', note: 'seen in the ledger', detail: { booking: 7 } },
    })
    expect(resolved.status).toBe(200)
    const found = await agent(unsure).settled(actionId)
    expect(found).toMatchObject({
      outcome: { code: 'resolved_by_operator' },
      result: { ok: true, detail: { booking: 7 } },
    })
  })
})

describe('a call that is not accepted', () => {
  test('is Refused with the code of the problem', async () => {
    const wrong = actionGate({ url: service.url, key: `${tenant.agent}x` })
    const [key, scope, shape] = await Promise.all([
      failureOf(wrong.run('crm.read', {})),
      failureOf(approver().run('crm.read', {})),
      failureOf(agent().run('crm.read', {}, { proposalId: 'no good id' })),
    ])
    expect([key, scope, shape].map(({ name, code }) => [name, code])).toEqual([
      ['Refused', 'invalid_key'],
      ['Refused', 'wrong_scope'],
      ['Refused', 'validation_failed'],
    ])
    expect(shape).toMatchObject({ status: 400, problem: { errors: [{ path: 'proposal_id' }] } })
  })

  test('is Refused where the proposal id has other content', async () => {
    const proposalId = 'order-17'
    await agent().run('crm.read', { contact: 1 }, { proposalId })
    const failure = await failureOf(agent().run('crm.read', { contact: 2 }, { proposalId }))
    expect(failure).toBeInstanceOf(Refused)
    expect(failure).toMatchObject({ code: 'proposal_conflict', proposalId })
    expect(failure.next).toContain('new proposal id')
  })

  test('is Unreachable where nobody listens, with the id to go on with', async () => {
    const nobody = actionGate({ url: 'http://127.0.0.1:9', key: tenant.agent, unreachableAfterMs: 300 })
    const failure = await failureOf(nobody.run('crm.read', {}, { proposalId: 'order-18' }))
    expect(failure).toBeInstanceOf(Unreachable)
    expect(failure).toMatchObject({ code: 'network_error', proposalId: 'order-18', actionId: null })
    expect(failure.next).toContain("'order-18'")
  })

  test('is a TypeError where the program is wrong', async () => {
    expect(() => actionGate({ url: 'nowhere', key: 'k' })).toThrow(TypeError)
    expect(() => actionGate({ url: service.url, key: '' })).toThrow(TypeError)
    await expect(agent().run('read', {})).rejects.toThrow(TypeError)
    await expect(agent().run('crm.read', { amount: 1n })).rejects.toThrow(TypeError)
  })
})

describe('a signal', () => {
  test('ends the wait, and the action goes on', async () => {
    const aborter = new AbortController()
    const waiting = agent().run(
      'crm.read',
      {},
      { risk: 'high', signal: aborter.signal, onHeld: () => aborter.abort('enough') },
    )
    const failure = await failureOf(waiting)
    expect(failure).toBeInstanceOf(Interrupted)
    expect(failure).toMatchObject({ cause: 'enough', next: expect.stringContaining('was not cancelled') })
    const actionId = failure.actionId ?? ''
    expect((await tenant.trace(actionId)).status).toBe('pending_approval')
    const settled = agent().settled(actionId)
    await approver().approvals.approve(actionId)
    expect((await settled).result.ok).toBe(true)
  })

  test('that has fired before sends nothing', async () => {
    const proposalId = 'never-sent'
    const failure = await failureOf(
      agent().run('crm.read', {}, { proposalId, signal: AbortSignal.abort('late') }),
    )
    expect(failure).toMatchObject({ name: 'Interrupted', actionId: null })
    const { items } = await agent().actions()
    expect(items.map(({ proposal_id }) => proposal_id)).not.toContain(proposalId)
  })
})

describe('the other calls', () => {
  test('submit answers the verdict without waiting', async () => {
    const slow = await playing({ delay_ms: 2_000 })
    const verdict = await agent(slow).submit('crm.read', {})
    expect(verdict).toMatchObject({ decision: 'allow', action_status: 'execution_pending' })
    expect(await agent(slow).settled(verdict.action_id)).toMatchObject({ result: { ok: true } })
  })

  test('an operation of a system with a dot is named by its parts', async () => {
    const dotted = await service.tenant({
      policy: { ...plainPolicy, allowed_systems: ['crm.eu'] },
      actuators: [{ name: 'crm.eu', kind: 'mock', settings: {} }],
    })
    const { result } = await agent(dotted).run({ system: 'crm.eu', operation: 'read.one' }, {})
    expect(result.detail).toMatchObject({ executed: 'read.one', target: 'crm.eu' })
  })

  test('approvals are listed page by page, read one by one', async () => {
    const busy = await service.tenant()
    const ids = []
    for (let count = 0; count < 5; count += 1)
      ids.unshift((await agent(busy).submit('crm.read', { count }, { risk: 'high' })).action_id)
    const { approvals } = approver(busy)
    const first = await approvals.list({ limit: 2 })
    expect(first.items.map(({ action_id }) => action_id)).toEqual(ids.slice(0, 2))
    const all = []
    for await (const { action_id } of approvals.each({ limit: 2 })) all.push(action_id)
    expect(all).toEqual(ids)
    const held = await approvals.get(ids[0] ?? '')
    expect(held.proposal.action.parameters).toEqual({ count: 4 })
    const failure = await failureOf(
      approvals.approve(held.action_id, { proposalHash: `sha256:${'0'.repeat(64)}` }),
    )
    expect(failure).toMatchObject({ name: 'Refused', code: 'proposal_mismatch' })
  })

  test('cancel says where it is too late', async () => {
    const { actionId } = await agent().run('crm.read', {})
    const failure = await failureOf(agent().cancel(actionId))
    expect(failure).toMatchObject({ name: 'Refused', code: 'action_not_approvable', actionId })
  })
})
