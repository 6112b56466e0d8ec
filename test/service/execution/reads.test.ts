import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** A registration with an operation that reads, and one that only looks as if it did. */
let service: TestService
let tenant: TestTenant
let downstream: Downstream
let failures: number

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => {
    failures -= 1
    response.writeHead(failures >= 0 ? 500 : 200).end('{"name":"Ada"}')
  })
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_RETRY_MS_MIN: '10',
      SERVICE_EXECUTE_WITHIN_MS: '1000',
    },
  })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [
      {
        name: 'crm',
        kind: 'http',
        settings: {
          base_url: downstream.url,
          operations: {
            read: { method: 'GET', path: '/people/1' },
            fetch: { method: 'GET', path: '/run', idempotency: 'none' },
          },
        },
      },
    ],
  })
})

afterAll(async () => {
  await service.close()
  await downstream.close()
})

it.each([
  ['read', 3, 'executed', 4],
  ['fetch', 3, 'outcome_unknown', 1],
])('%s after %i answers of 500 is %s', async (operation, fails, status, asked) => {
  failures = fails
  downstream.seen.length = 0
  const { body } = await tenant.submit({ system: 'crm', operation, parameters: {} })
  expect(await tenant.settled(body.action_id)).toMatchObject({ status })
  expect(downstream.seen).toHaveLength(asked)
})

it('a read that never comes to an answer fails', async () => {
  failures = Number.POSITIVE_INFINITY
  const { body } = await tenant.submit({ system: 'crm', operation: 'read', parameters: {} })
  expect(await tenant.settled(body.action_id)).toMatchObject({ status: 'execution_failed' })
})
