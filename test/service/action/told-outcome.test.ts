import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { type ProposalChange, plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

let shop: Downstream
let service: TestService
let tenant: TestTenant
/** What the downstream answers. */
let answer: { status: number; body: string }

beforeAll(async () => {
  shop = await startDownstream((_, response) => response.writeHead(answer.status).end(answer.body))
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_EXECUTE_WITHIN_MS: '1000',
      ACTUATOR_SHOP: 'a-secret-of-the-shop',
    },
  })
  const operations = { refund: { method: 'POST', path: '/refunds' } } as const
  const headers = { 'X-Token': { env: 'ACTUATOR_SHOP' } }
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['shop', 'lost', 'unreachable'],
      approval_required_at: 'high',
      review_route: 'leads',
    },
    actuators: [
      { name: 'shop', kind: 'http', settings: { base_url: shop.url, headers, operations } },
      { name: 'unreachable', kind: 'mock', settings: { outcome: 'retry' } },
      { name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } },
    ],
  })
})

afterAll(async () => {
  await Promise.all([service.close(), shop.close()])
})

/** How an action ended, as its trace and as its verdict say to whoever submits the proposal again. */
async function ended(change: ProposalChange, end?: (actionId: string) => Promise<unknown>) {
  const json = proposal({ operation: 'refund', ...change })
  const submit = () => service.call<Verdict>('POST', '/v1/actions', { key: tenant.agent, json })
  const { body } = await submit()
  await end?.(body.action_id)
  const trace = await tenant.settled(body.action_id)
  expect((await submit()).body.outcome).toEqual(trace.outcome)
  return trace
}

const withdraw = (id: string) =>
  service.call('POST', `/v1/actions/${id}/cancel`, { key: tenant.agent, json: { note: 'wrong order' } })
const resolve = (outcome: string) => (id: string) =>
  service.call('POST', `/v1/tenants/${tenant.id}/actions/${id}/resolve`, {
    admin: service.admin,
    json: { outcome, note: 'seen in the shop' },
  })
const approver = () => ({
  id: tenant.approver.split('.')[0],
  kind: 'approver',
  name: `${tenant.id} approver`,
})

describe('an agent is told how its action ended', () => {
  it('where the downstream refused it, with what that said', async () => {
    answer = { status: 422, body: '{"error":{"field":"amount","limit":50,"seen":"a-secret-of-the-shop"}}' }
    const { outcome, execution } = await ended({ system: 'shop' })
    const body = { error: { field: 'amount', limit: 50, seen: '[redacted]' } }
    expect(outcome).toEqual({
      status: 'execution_failed',
      code: 'http_422',
      message: expect.stringContaining('status 422'),
      by: { id: expect.any(String), kind: 'worker', name: null },
      body,
      try_again: false,
    })
    expect(execution?.error).toMatchObject({ code: 'http_422', body })
  })

  it('without what the downstream said where that is large or no JSON', async () => {
    for (const body of [JSON.stringify({ error: 'x'.repeat(5_000) }), 'no refund']) {
      answer = { status: 422, body }
      const { outcome } = await ended({ system: 'shop' })
      expect(outcome).toMatchObject({ code: 'http_422' })
      expect(outcome).not.toHaveProperty('body')
    }
  })

  it('where nothing could be reached, that a new try makes sense', async () => {
    const { outcome } = await ended({ system: 'unreachable' })
    expect(outcome).toMatchObject({ status: 'execution_failed', code: 'mock_retry', try_again: true })
  })

  it('where it was executed, by whom', async () => {
    answer = { status: 200, body: '{"id":7}' }
    expect((await ended({ system: 'shop' })).outcome).toMatchObject({
      ...{ status: 'executed', code: 'executed', try_again: false },
      by: { kind: 'worker' },
    })
  })

  it('where the gate denied it, at once', async () => {
    const json = { system: 'elsewhere' }
    const { body } = await tenant.submit(json)
    expect(body.outcome).toEqual({
      status: 'denied',
      code: 'system_not_allowed',
      message: body.blocking_reasons.join('; '),
      by: { id: 'gate', kind: 'gate', name: null },
      try_again: false,
      mendable: false,
      next: 'Stop and show the reasons; do not try another way.',
    })
    expect((await tenant.trace(body.action_id)).outcome).toEqual(body.outcome)
  })

  it('where it was rejected, by whom and why', async () => {
    const { outcome } = await ended({ system: 'shop', risk: 'high' }, id =>
      tenant.reject(id, { note: 'no photo' }),
    )
    expect(outcome).toEqual({
      ...{ status: 'denied', code: 'rejected', message: 'no photo', try_again: false },
      by: approver(),
    })
  })

  it('where it was withdrawn, and that a new try makes sense', async () => {
    const { outcome } = await ended({ system: 'shop', risk: 'high' }, withdraw)
    expect(outcome).toMatchObject({ code: 'withdrawn', message: 'wrong order', try_again: true })
  })

  it('where nobody decided in time, and that a new try makes sense', async () => {
    const json = { tenant_id: 'hasty', policy: plainPolicy, mock_actuators: ['crm'], approval_ttl_ms: 1_000 }
    const made = await service.call<{ api_key: string }>('POST', '/v1/tenants', {
      admin: service.admin,
      json,
    })
    const key = made.body.api_key
    const { body } = await service.call<Verdict>('POST', '/v1/actions', {
      key,
      json: proposal({ risk: 'high' }),
    })
    const trace = async () =>
      (await service.call<Trace>('GET', `/v1/actions/${body.action_id}`, { key })).body
    await expect.poll(async () => (await trace()).status, { timeout: 10_000 }).toBe('denied')
    expect((await trace()).outcome).toEqual({
      ...{ status: 'denied', code: 'approval_expired', message: 'nobody decided in time', try_again: true },
      by: { id: 'sweeper', kind: 'system', name: null },
    })
  })

  it.each([
    ['executed', false],
    ['execution_failed', true],
  ])('where an operator found that it was %s', async (found, try_again) => {
    const { status, outcome } = await ended({ system: 'lost' }, async id => {
      expect((await tenant.settled(id)).outcome).toMatchObject({
        ...{ status: 'outcome_unknown', code: 'mock_unknown', try_again: false },
      })
      await resolve(found)(id)
    })
    expect([status, outcome]).toEqual([
      found,
      {
        ...{ status: found, code: 'resolved_by_operator', message: 'seen in the shop', try_again },
        by: { id: service.admin.split('.')[0], kind: 'admin', name: null },
      },
    ])
  })

  it('and is told nothing while it goes on', async () => {
    const { body } = await tenant.submit({ system: 'shop', operation: 'refund', risk: 'high' })
    expect(body).not.toHaveProperty('outcome')
    expect((await tenant.trace(body.action_id)).outcome).toBeNull()
  })
})
