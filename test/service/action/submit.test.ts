import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, proposal, type TestTenant } from '../../support/service/tenant.ts'

const slow = { name: 'slow', kind: 'mock', settings: { delay_ms: 60_000 } } as const
const policy = {
  allowed_systems: ['crm', 'slow'],
  approval_required_at: 'medium',
  review_route: 'leads',
} as const

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_SHUTDOWN_MS_MAX: '100' } })
  tenant = await service.tenant({
    policy: { ...policy, allowed_systems: ['crm', 'slow', 'brief'] },
    actuators: [crm, slow, { name: 'brief', kind: 'mock', settings: { delay_ms: 700 } }],
  })
})

afterAll(() => service.close())

describe('a proposal that is allowed', () => {
  it('is executed, and the answer has the result and no more to do', async () => {
    const { status, headers, body } = await tenant.submit({ proposal_id: 'allowed-1' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      proposal_id: 'allowed-1',
      decision: 'allow',
      action_status: 'executed',
      blocking_reasons: [],
      principal: { name: `${tenant.id} agent`, scope: 'agent', tenant_id: tenant.id },
      effective_risk: { level: 'low', claimed: 'low', raised_by: null },
      policy: { revision: 1 },
      catalog: null,
      audit: { event_count: 4, url: `/v1/actions/${body.action_id}/audit-export` },
      result: { ok: true, detail: { executed: 'read', target: 'crm', dry_run: true } },
    })
    expect(body.checks.map(({ outcome }) => outcome)).not.toContain('fail')
    expect([headers.location, headers['retry-after'], body.polling_url, body.review_route]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is answered 202 at once where the caller does not wait', async () => {
    const { status, headers, body } = await tenant.submit({}, { prefer: 'wait=0' })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      action_status: 'execution_pending',
      polling_url: `/v1/actions/${body.action_id}`,
      audit: { event_count: 2 },
    })
    expect(body).not.toHaveProperty('result')
    expect({ location: headers.location, after: headers['retry-after'] }).toEqual({
      location: body.polling_url,
      after: '1',
    })
    expect((await tenant.settled(body.action_id)).status).toBe('executed')
  })

  it('is answered 202 when it takes longer than the caller waits', async () => {
    const { status, body } = await tenant.submit({ system: 'slow' }, { prefer: 'respond-async, wait=1' })
    expect(status).toBe(202)
    expect(body).toMatchObject({ action_status: 'executing', audit: { event_count: 3 } })
  })

  it.each(['wait=31', 'wait=-1', 'wait=x', 'wait=', 'wait=1.5'])('Prefer: %s is refused', async prefer => {
    const { status, body } = await tenant.submit({}, { prefer })
    expect({ status, code: (body as unknown as Problem).code }).toEqual({
      status: 400,
      code: 'invalid_header',
    })
  })

  it('other preferences are none of ours', async () => {
    const { status } = await tenant.submit({}, { prefer: 'return=minimal; foo="wait"' })
    expect(status).toBe(200)
  })
})

describe('a proposal that needs approval', () => {
  it('is held with its review route, and nothing is executed', async () => {
    const { status, body } = await tenant.submit({ risk: 'high' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      decision: 'needs_approval',
      action_status: 'pending_approval',
      review_route: 'leads',
      blocking_reasons: [],
    })
    expect(body).not.toHaveProperty('polling_url')
    const trace = await tenant.trace(body.action_id)
    expect({ job: trace.job, execution: trace.execution }).toEqual({ job: null, execution: null })
  })
})

describe('a proposal that is denied', () => {
  it('says every reason, and nothing is executed', async () => {
    const { status, body } = await tenant.submit({ system: 'erp', risk: 'high' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ decision: 'deny', action_status: 'denied' })
    expect(body.blocking_reasons.map(reason => reason.split(':')[0])).toEqual([
      'system_not_allowed',
      'actuator_not_registered',
    ])
    expect(body).not.toHaveProperty('review_route')
    expect((await tenant.trace(body.action_id)).job).toBeNull()
  })
})

describe('the same proposal again', () => {
  it('is the same action, in whatever state it is', async () => {
    const first = await tenant.submit({ proposal_id: 'again-1' })
    const again = await tenant.submit({ proposal_id: 'again-1' })
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
  })

  it('is the same however it is written', async () => {
    const { actor, ...rest } = proposal({ proposal_id: 'again-2', parameters: { a: 1, b: 'é' } })
    const first = await service.call<Verdict>('POST', '/v1/actions', {
      key: tenant.agent,
      json: { actor, ...rest },
    })
    const written = JSON.stringify({ ...rest, actor }, null, 2)
      .replace('"a": 1', '"a": 1.0e0')
      .replace('é', '\\u00e9')
    const again = await service.call<Verdict>('POST', '/v1/actions', { key: tenant.agent, raw: written })
    expect(again.body.action_id).toBe(first.body.action_id)
  })

  it('of which the first is under way is answered 202', async () => {
    const first = await tenant.submit({ proposal_id: 'again-3', system: 'slow' }, { prefer: 'wait=0' })
    const again = await tenant.submit({ proposal_id: 'again-3', system: 'slow' }, { prefer: 'wait=0' })
    expect(again.status).toBe(202)
    expect(again.body.action_id).toBe(first.body.action_id)
  })

  it('waits for the action as the first would have', async () => {
    const asked = { proposal_id: 'again-5', system: 'brief' }
    const first = await tenant.submit(asked, { prefer: 'wait=0' })
    const again = await tenant.submit(asked, { prefer: 'wait=20' })
    expect([first.status, again.status, again.body.action_status]).toEqual([202, 200, 'executed'])
  })

  it.each([
    ['another operation', { operation: 'write' }],
    ['another summary', { summary: 'Another summary' }],
    ['another risk', { risk: 'high' as const }],
    ['a parameter more', { parameters: { contact: 42, more: null } }],
    ['a text for a number', { parameters: { contact: '42' } }],
  ])('with %s is a conflict and changes nothing', async (_name, change) => {
    const first = await tenant.submit({ proposal_id: 'again-4' })
    const { status, body } = await tenant.submit({ proposal_id: 'again-4', ...change })
    expect({ status, code: (body as unknown as Problem).code }).toEqual({
      status: 409,
      code: 'proposal_conflict',
    })
    expect((await tenant.submit({ proposal_id: 'again-4' })).body).toEqual(first.body)
  })

  it('fifty times at once is one action', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => tenant.submit({ proposal_id: 'crowd-1' })),
    )
    expect([...new Set(answers.map(({ body }) => body.action_id))]).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
    const attempts = (await tenant.settled(answers[0]?.body.action_id ?? '')).events.filter(
      ({ kind }) => kind === 'execution_attempt',
    )
    expect(attempts).toHaveLength(1)
  })

  it('fifty different ones at once under one id are one action and conflicts', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        tenant.submit({ proposal_id: 'crowd-2', summary: `number ${at}` }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 409)])
  })

  it('of another tenant is another action', async () => {
    const other = await service.tenant()
    const ours = await tenant.submit({ proposal_id: 'shared-1' })
    const theirs = await other.submit({ proposal_id: 'shared-1', summary: 'Something else' })
    expect(theirs.status).toBe(200)
    expect(theirs.body.action_id).not.toBe(ours.body.action_id)
  })
})
