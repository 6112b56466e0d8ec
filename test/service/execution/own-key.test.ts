import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** A registration whose downstream honours the key for one operation and not for another. */
let service: TestService
let tenant: TestTenant
let downstream: Downstream

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => void response.writeHead(500).end('{}'))
  service = await startService({
    env: { SERVICE_EGRESS_ALLOW: '127.0.0.1', SERVICE_RETRY_MS_MIN: '10', SERVICE_ATTEMPTS_MAX: '3' },
  })
  const request = { method: 'POST', headers: {}, body: {} } as const
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [
      {
        name: 'shop',
        kind: 'http',
        settings: {
          base_url: downstream.url,
          idempotency: 'key_honoured',
          operations: {
            order: { ...request, path: '/orders' },
            more: { ...request, path: '/more', idempotency: 'none' },
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
  ['order', 3],
  ['more', 1],
])('%s is sent %i times where nobody knows what came of it', async (operation, times) => {
  downstream.seen.length = 0
  const { body } = await tenant.submit({ system: 'shop', operation, parameters: {} })
  expect(await tenant.settled(body.action_id)).toMatchObject({ status: 'outcome_unknown' })
  expect(downstream.seen).toHaveLength(times)
})
