import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Actions of a tenant at a system of which no call ends, and then at one that answers. */
const endless = 60
const answered = 5
/** A call that hangs is given up after this, far later than the others have to be done. */
const timeoutMs = 50_000
const executedMsMax = 5_000
/** What one system fills of the 50 slots of a worker, and of the calls of a tenant that may have ten over all workers. */
const ofSlots = 36
const ofTen = 9

const services: TestService[] = []
let silent: Downstream
let prompt: Downstream
const unanswered: ServerResponse[] = []

const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
} as const
const call = { method: 'POST', headers: {} } as const

function settings({ url }: Downstream): HttpSettings {
  const completion = { poll: { ...ends, interval_ms: 3_600_000 }, deadline_ms: 86_400_000 }
  return {
    base_url: url,
    timeout_ms: timeoutMs,
    operations: {
      hang: { ...call, path: '/hang' },
      go_on: { ...call, path: '/go-on', completion },
    },
  }
}

beforeAll(async () => {
  silent = await startDownstream(({ url }, response) => {
    if (url === '/hang') unanswered.push(response)
    else response.writeHead(202, { location: '/operations/7' }).end('{}')
  })
  prompt = await startDownstream((_, response) => response.end('{}'))
})

afterAll(async () => {
  for (const response of unanswered) response.destroy()
  await Promise.all(services.map(service => service.close()))
  await Promise.all([silent.close(), prompt.close()])
})

async function start(env: Record<string, string>): Promise<TestTenant> {
  const service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_EXECUTION_MS_MAX: String(timeoutMs),
      SERVICE_RATE_LIMIT: '1000000',
      ...env,
    },
  })
  services.push(service)
  return service.tenant({
    policy: { allowed_systems: ['silent', 'prompt'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [
      { name: 'silent', kind: 'http', settings: settings(silent) },
      { name: 'prompt', kind: 'http', settings: settings(prompt) },
    ],
  })
}

function submit(tenant: TestTenant, count: number, at: { system: string; operation: string }) {
  const one = async (): Promise<string> =>
    (await tenant.submit({ ...at, parameters: {} }, { prefer: 'wait=0' })).body.action_id
  return Promise.all(Array.from({ length: count }, one))
}

async function executedSoon(tenant: TestTenant): Promise<void> {
  const begun = performance.now()
  const ids = await submit(tenant, answered, { system: 'prompt', operation: 'hang' })
  for (const id of ids)
    await expect.poll(async () => (await tenant.trace(id)).status, { timeout: 20_000 }).toBe('executed')
  expect(performance.now() - begun).toBeLessThan(executedMsMax)
}

it('calls that hang at one system of a tenant leave slots for its calls of another', async () => {
  const tenant = await start({})
  const [first = ''] = await submit(tenant, endless, { system: 'silent', operation: 'hang' })
  await expect.poll(() => unanswered.length, { timeout: 10_000 }).toBe(ofSlots)
  await executedSoon(tenant)
  expect(unanswered).toHaveLength(ofSlots)
  expect((await tenant.trace(first)).status).toBe('executing')
}, 60_000)

it('operations that never end at one system of a tenant leave it calls of another', async () => {
  const tenant = await start({ SERVICE_TENANT_IN_FLIGHT_MAX: '10' })
  await submit(tenant, endless, { system: 'silent', operation: 'go_on' })
  const accepted = () => silent.seen.filter(({ url }) => url === '/go-on').length
  await expect.poll(accepted, { timeout: 10_000 }).toBe(ofTen)
  await executedSoon(tenant)
  expect(accepted()).toBe(ofTen)
}, 60_000)
