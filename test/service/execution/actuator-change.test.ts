import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { HttpLookup, HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Registrations of a tenant's one actuator, and the downstreams before and after a move. */
let service: TestService
let tenant: TestTenant
let before: Downstream
let after: Downstream
/** What happens at the first place before a call is answered, or its connection is cut. */
let onCall: () => Promise<'cut' | 'answered'>
let lookedUp = 200

const settings = (base_url: string, more: Partial<HttpSettings> = {}): HttpSettings => ({
  base_url,
  idempotency: 'key_honoured',
  operations: { refund: { method: 'POST', path: '/refunds' } },
  ...more,
})
const lookup: HttpLookup = {
  method: 'GET',
  path: '/refunds/{idempotency_key}',
  executed: [200],
  failed: [410],
}

beforeAll(async () => {
  before = await startDownstream(({ method }, response) => {
    const ended = method === 'GET' ? Promise.resolve('cut') : onCall()
    void ended.then(ends => (ends === 'cut' ? response.destroy() : response.end()))
  })
  after = await startDownstream(({ method }, response) =>
    response.writeHead(method === 'GET' ? lookedUp : 200).end('{"id":7}'),
  )
  service = await startService({
    env: {
      SERVICE_EXECUTION_MS_MAX: '2000',
      ACTUATOR_NEW: 'new-token',
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_RETRY_MS_MIN: '10',
      SERVICE_RECONCILE_MS_MIN: '40',
      SERVICE_SWEEP_MS: '50',
    },
  })
})

afterAll(async () => {
  await Promise.all([service.close(), before.close(), after.close()])
})

async function register(given: HttpSettings): Promise<void> {
  const actuators = [{ name: 'shop', kind: 'http', settings: given }]
  const path = `/v1/tenants/${tenant.id}/actuators`
  const { status } = await service.call('PUT', path, { admin: service.admin, json: { actuators } })
  expect(status).toBe(200)
}

/** Submits an action whose first call happens downstream and is cut once the registration is another one. */
async function changedDuring(first: HttpSettings, then: HttpSettings): Promise<string> {
  before.seen.length = 0
  after.seen.length = 0
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'shop', kind: 'http', settings: first }],
  })
  onCall = async () => {
    if (calls(before) > 1) return 'answered'
    await register(then)
    return 'cut'
  }
  const { body } = await tenant.submit({ system: 'shop', operation: 'refund' }, { prefer: 'wait=0' })
  return body.action_id
}

const calls = ({ seen }: Downstream) => seen.filter(({ method }) => method === 'POST').length

function saysChanged({ events }: Trace): boolean {
  const attempt = events.find(({ kind }) => kind === 'execution_attempt')
  const last = events.at(-1)
  const error = last?.body?.error as { code?: string } | undefined
  return error?.code === 'actuator_changed' && String(last?.at) > String(attempt?.body?.not_after)
}

describe('an attempt that may have happened before its actuator was changed', () => {
  it.each([
    ['another address', () => settings(after.url)],
    ['another header for the key', () => settings(before.url, { idempotency_header: 'X-Request-Id' })],
    [
      'another path',
      () => settings(before.url, { operations: { refund: { method: 'POST', path: '/v2/refunds' } } }),
    ],
  ])('is not repeated with %s', async (_, then) => {
    const id = await changedDuring(settings(before.url), then())
    await expect
      .poll(async () => (await tenant.trace(id)).events.at(-1)?.body?.needs_operator, { timeout: 10_000 })
      .toBe(true)
    expect([calls(before), calls(after)]).toEqual([1, 0])
    expect((await tenant.trace(id)).status).toBe('outcome_unknown')
  })

  it('is repeated with another credential', async () => {
    const auth = { type: 'bearer', token: { env: 'ACTUATOR_NEW' } } as const
    const id = await changedDuring(settings(before.url), settings(before.url, { auth }))
    expect(await tenant.settled(id)).toMatchObject({ status: 'executed', execution: { attempt: 2 } })
    expect(before.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer new-token'])
  })

  it.each([
    ['that there is no trace of it', 404],
    ['that it was refused', 410],
  ])('is not taken for undone where another place says %s', async (_, status) => {
    lookedUp = status
    const proving = {
      idempotency: 'none',
      not_after_header: 'X-Not-After',
      absence_proves_after_ms: 0,
    } as const
    const id = await changedDuring(
      settings(before.url, { ...proving, lookup }),
      settings(after.url, { ...proving, lookup }),
    )
    // Once the time is over that the downstream was given.
    await expect.poll(async () => saysChanged(await tenant.trace(id)), { timeout: 10_000 }).toBe(true)
    expect([calls(before), calls(after)]).toEqual([1, 0])
    expect((await tenant.trace(id)).status).toBe('outcome_unknown')
  })

  it('is taken for done where another place has its key', async () => {
    lookedUp = 200
    const id = await changedDuring(
      settings(before.url, { idempotency: 'none', lookup }),
      settings(after.url, { idempotency: 'none', lookup }),
    )
    await expect.poll(async () => (await tenant.trace(id)).status, { timeout: 10_000 }).toBe('executed')
    expect([calls(before), calls(after)]).toEqual([1, 0])
  })
})
