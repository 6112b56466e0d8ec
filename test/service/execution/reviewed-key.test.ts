import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** A registration that says more of its operations than who reviewed them. */
let service: TestService
let tenant: TestTenant
let downstream: Downstream

/** At a mock of which nobody knows what came, and at the downstream. */
const reviewed: Record<string, Pick<CatalogOperation, 'effects' | 'idempotency'>> = {
  look: { effects: ['reads data'], idempotency: 'none' },
  close: { effects: ['closes the account'], idempotency: 'key_honoured' },
  wipe: { effects: ['reads data', 'deletes data'], idempotency: 'none' },
  order: { effects: ['orders'], idempotency: 'key_honoured' },
  more: { effects: ['orders'], idempotency: 'none' },
  keyless: { effects: ['orders'], idempotency: 'key_honoured' },
  answer: { effects: ['answers a customer'], idempotency: 'key_honoured' },
  notify: { effects: ['writes to a customer'], idempotency: 'none' },
}
const ofMock = new Set(['answer', 'notify'])
const systemOf = (operation: string) => (ofMock.has(operation) ? 'desk' : 'shop')

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => void response.writeHead(500).end('{}'))
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_RETRY_MS_MIN: '10',
      SERVICE_ATTEMPTS_MAX: '3',
      SERVICE_EXECUTE_WITHIN_MS: '2000',
    },
  })
  const [read, change] = [
    { method: 'GET', path: '/' },
    { method: 'POST', path: '/', body: {} },
  ] as const
  tenant = await service.tenant({
    policy: { allowed_systems: ['desk', 'shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [
      { name: 'desk', kind: 'mock', settings: { outcome: 'unknown' } },
      {
        name: 'shop',
        kind: 'http',
        settings: {
          base_url: downstream.url,
          idempotency: 'key_honoured',
          operations: {
            ...{ look: read, close: read, wipe: read, order: change, more: change },
            keyless: { ...change, idempotency: 'none' },
          },
        },
      },
    ],
  })
  const operations = Object.entries(reviewed).map(([operation, said]) => entryOf(operation, said))
  const { status } = await service.call('POST', `/v1/tenants/${tenant.id}/catalog`, {
    admin: service.admin,
    json: { operations },
  })
  expect(status).toBe(201)
})

afterAll(async () => {
  await service.close()
  await downstream.close()
})

function entryOf(
  operation: string,
  said: Pick<CatalogOperation, 'effects' | 'idempotency'>,
): CatalogOperation {
  const system = systemOf(operation)
  return {
    ...{ system, operation, title: operation, minimum_risk: 'low', reversibility: 'irreversible' },
    parameter_schema: { type: 'object', additionalProperties: false },
    actuator: { name: system, kind: ofMock.has(operation) ? 'mock' : 'http' },
    tool_schema_hash: null,
    ...said,
  }
}

it.each([
  ['look', 'execution_failed', 'again'],
  ['close', 'outcome_unknown', 'once'],
  ['wipe', 'outcome_unknown', 'once'],
  ['order', 'outcome_unknown', 'again'],
  ['more', 'outcome_unknown', 'once'],
  ['keyless', 'outcome_unknown', 'once'],
  ['answer', 'outcome_unknown', 'again'],
  ['notify', 'outcome_unknown', 'once'],
])('%s comes to %s and is asked %s', async (operation, status, asked) => {
  const { body } = await tenant.submit({ system: systemOf(operation), operation, parameters: {} })
  const trace = await tenant.settled(body.action_id)
  expect(trace).toMatchObject({ status })
  const attempts = trace.events.filter(({ kind }) => kind === 'execution_attempt')
  expect(attempts.length > 1 ? 'again' : 'once').toBe(asked)
  if (!ofMock.has(operation)) expect(downstream.seen.splice(0)).toHaveLength(attempts.length)
})

it('what a reviewer says of the key is recorded, but for what only reads', async () => {
  const said = await Promise.all(
    Object.keys(reviewed).map(async operation => {
      const { body } = await tenant.submit({ system: systemOf(operation), operation, parameters: {} })
      const { verdict } = await tenant.trace(body.action_id)
      return [operation, verdict.actuator?.idempotency]
    }),
  )
  const wanted = Object.entries(reviewed).map(([operation, { idempotency }]) => [operation, idempotency])
  expect(Object.fromEntries(said)).toEqual({ ...Object.fromEntries(wanted), look: undefined })
})
