import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { eventually } from '../../support/platform/platform-waiting.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Operations of one tenant at a downstream that does not answer polls, beside one of another tenant. */
const hanging = 200
const polledMsMax = 3_000
const judgedMsMax = 1_500

let service: TestService
let silent: Downstream
let prompt: Downstream
let crowd: TestTenant
let other: TestTenant
const polls: ServerResponse[] = []
const addresses: string[] = []
let stateOfPolls = 'done'

const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
} as const

function settings({ url }: Downstream): HttpSettings {
  return {
    base_url: url,
    timeout_ms: 4_000,
    operations: {
      export: {
        method: 'POST',
        path: '/exports',
        headers: {},
        body: { notify: '{callback_url}' },
        completion: { callback: ends, poll: { ...ends, interval_ms: 200 }, deadline_ms: 600_000 },
      },
    },
  }
}

const tenantAt = (downstream: Downstream): Promise<TestTenant> =>
  service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'crm', kind: 'http', settings: settings(downstream) }],
  })

const submit = async (tenant: TestTenant): Promise<string> =>
  (await tenant.submit({ system: 'crm', operation: 'export', parameters: {} })).body.action_id

beforeAll(async () => {
  silent = await startDownstream(({ method }, response) => {
    if (method === 'POST') response.writeHead(202, { location: '/exports/7' }).end('{}')
    else polls.push(response)
  })
  prompt = await startDownstream(({ method, body }, response) => {
    if (method !== 'POST') return response.end(JSON.stringify({ state: stateOfPolls }))
    addresses.push((JSON.parse(body) as { notify: string }).notify)
    return response.writeHead(202, { location: '/exports/8' }).end('{}')
  })
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_SWEEP_MS: '500',
      SERVICE_SUBMIT_WAIT_MS: '0',
      SERVICE_RATE_LIMIT: '1000000',
      SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  crowd = await tenantAt(silent)
  other = await tenantAt(prompt)
  await Promise.all(Array.from({ length: hanging }, () => submit(crowd)))
  await eventually('polls hang', () => polls[0] ?? null)
}, 90_000)

afterAll(async () => {
  for (const response of polls) response.destroy()
  await service.close()
  await Promise.all([silent.close(), prompt.close()])
})

it('polls that hang for one tenant delay no poll of another', async () => {
  const begun = performance.now()
  const polled = await submit(other)
  await expect.poll(async () => (await other.trace(polled)).status, { timeout: 30_000 }).toBe('executed')
  expect(performance.now() - begun).toBeLessThan(polledMsMax)
})

it('a callback is judged at once beside polls of another tenant that hang', async () => {
  stateOfPolls = 'running'
  const id = await submit(other)
  await expect.poll(() => addresses.length, { timeout: 30_000 }).toBe(2)
  await expect
    .poll(async () => (await other.trace(id)).job?.lease_owner, { timeout: 30_000 })
    .toBe('downstream')
  const begun = performance.now()
  const json = { 'content-type': 'application/json' }
  await fetch(addresses[1] ?? '', { method: 'POST', headers: json, body: '{"state":"done"}' })
  await expect.poll(async () => (await other.trace(id)).status, { timeout: 30_000 }).toBe('executed')
  expect(performance.now() - begun).toBeLessThan(judgedMsMax)
})

it('polls under way at a system that does not answer have a share', async () => {
  const [row] = await service.context.store.read('all', reader =>
    reader.query<{ asked: number }>(
      '',
      `select count(*)::int4 as asked from execution_jobs where state = 'leased' and lease_owner <> 'downstream' and tenant_id = '${crowd.id}'`,
      [],
    ),
  )
  expect(row?.asked).toBeLessThanOrEqual(4)
})
