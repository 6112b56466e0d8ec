import { afterEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { newSecret } from '../../../shared/runtime/secrets/secret.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService, type TestServiceOptions } from '../../support/service/service.ts'
import { rpc } from '../mcp/mcp-client.ts'

const started: TestService[] = []

async function start(options: TestServiceOptions): Promise<TestService> {
  const service = await startService({ worker: null, ...options })
  started.push(service)
  return service
}

afterEach(async () => {
  for (const service of started.splice(0).reverse()) await service.close()
})

async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found = []
  for (let at = 0; at < count; at += 1) found.push((await ask()).status)
  return found
}

describe('the rate limit', () => {
  it('counts per key, and says in every answer what is left', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '3' } })
    const tenant = await service.tenant()
    const ask = (key: string) => service.call<Problem>('GET', '/v1/actions', { key })
    const first = await ask(tenant.agent)
    expect(first.headers['ratelimit-policy']).toMatch(/^"requests"; q=3; w=60;/)
    expect(first.headers.ratelimit).toMatch(/^"requests"; r=2; t=\d+/)
    expect(await statuses(2, () => ask(tenant.agent))).toEqual([200, 200])
    const over = await ask(tenant.agent)
    expect({ status: over.status, code: over.body.code }).toEqual({ status: 429, code: 'rate_limited' })
    const after = Number(over.headers['retry-after'])
    expect(after).toBeGreaterThan(0)
    expect(after).toBeLessThanOrEqual(20)
    expect(over.headers.ratelimit).toMatch(/^"requests"; r=0; t=\d+/)
    const other = await service.call('GET', '/v1/approvals', { key: tenant.approver })
    expect(other.status).toBe(200)
  })

  it('answers a call of a tool with a result that says how long to wait', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '2' } })
    const tenant = await service.tenant()
    const call = (method = 'tools/call') =>
      rpc({ url: service.url, key: tenant.agent }, method, { name: 'action_status', arguments: {} })
    expect(await statuses(2, call)).toEqual([200, 200])
    const { status, body } = await call()
    const [said, code] = body.result?.content?.map(({ text }) => text) ?? []
    expect([status, body.result?.isError, code]).toEqual([200, true, '{"code":"rate_limited"}'])
    const seconds = Number(
      /Nothing was done\. Wait (\d+) seconds?, then make the same call again\.$/.exec(said ?? '')?.[1],
    )
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(30)
    expect((await call('tools/list')).status).toBe(429)
  })

  it('reads nothing of a call whose key is refused too often', async () => {
    const service = await start({ env: { SERVICE_AUTH_FAILURE_LIMIT: '1' } })
    const key = `agk_aaaaaaaaaaaaaaaa.${newSecret()}`
    const call = () => rpc({ url: service.url, key }, 'tools/call', { name: 'action_status', arguments: {} })
    expect(await statuses(2, call)).toEqual([403, 429])
  })

  it('counts what a key of another scope asks', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '2' } })
    const tenant = await service.tenant()
    const wrongScope = () => service.call('GET', '/v1/approvals', { key: tenant.agent })
    expect(await statuses(3, wrongScope)).toEqual([403, 403, 429])
  })

  it('counts per address what shows two keys at once', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '2' } })
    const both = () => service.call('GET', '/v1/actions', { key: 'one', admin: 'another' })
    expect(await statuses(3, both)).toEqual([400, 400, 429])
  })

  it('counts per address where no key is given, and never the probes', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '2' } })
    const templates = () => service.call('GET', '/v1/policy-templates')
    expect(await statuses(3, templates)).toEqual([200, 200, 429])
    for (const probe of ['/health', '/v1/health', '/v1/ready']) {
      expect(await statuses(3, () => service.call('GET', probe))).toEqual([200, 200, 200])
    }
  })

  it('does not believe a forwarded address unless the proxy is trusted', async () => {
    const forwarded = async (service: TestService) => {
      const found = []
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
        const headers = { 'x-forwarded-for': address }
        found.push((await service.call('GET', '/v1/policy-templates', { headers })).status)
      }
      return found
    }
    const open = await start({ env: { SERVICE_RATE_LIMIT: '2' } })
    expect(await forwarded(open)).toEqual([200, 200, 429])
    const behind = await start({ env: { SERVICE_RATE_LIMIT: '2', SERVICE_TRUST_PROXY: '127.0.0.1' } })
    expect(await forwarded(behind)).toEqual([200, 200, 200])
  })

  it('lets nothing through that it refuses', async () => {
    const service = await start({ env: { SERVICE_RATE_LIMIT: '1', SERVICE_SUBMIT_WAIT_MS: '0' } })
    const tenant = await service.tenant()
    expect((await tenant.submit()).status).toBe(202)
    expect((await tenant.submit()).status).toBe(429)
    const [row] = await asReader(service.context.store, 'select count(*)::int4 as count from actions')
    expect(row?.count).toBe(1)
  })

  it('is shared by all processes through Redis in platform mode', async () => {
    const env = { SERVICE_RATE_LIMIT: '4' }
    const one = await start({ platform: true, env })
    const two = await start({ platform: true, env, database: one.database })
    const tenant = await one.tenant()
    const found = []
    for (const service of [one, two, one, two, one, two]) {
      found.push((await service.call('GET', '/v1/actions', { key: tenant.agent })).status)
    }
    expect(found).toEqual([200, 200, 200, 200, 429, 429])
  })
})

describe('the limit of refused credentials', () => {
  const wrong = () => ({ key: `agk_aaaaaaaaaaaaaaaa.${newSecret()}` })

  it('counts per address, and answers 429 beyond it', async () => {
    const service = await start({ env: { SERVICE_AUTH_FAILURE_LIMIT: '3' } })
    const ask = () => service.call<Problem>('GET', '/v1/actions', wrong())
    expect(await statuses(3, ask)).toEqual([403, 403, 403])
    const over = await ask()
    expect({ status: over.status, code: over.body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('counts a missing key too, but no good key, and shuts nobody out who has one', async () => {
    const service = await start({ env: { SERVICE_AUTH_FAILURE_LIMIT: '2' } })
    const tenant = await service.tenant()
    const bare = () => service.call('GET', '/v1/actions')
    const good = () => service.call('GET', '/v1/actions', { key: tenant.agent })
    expect(await statuses(3, good)).toEqual([200, 200, 200])
    expect(await statuses(3, bare)).toEqual([401, 401, 429])
    expect(await statuses(1, good)).toEqual([200])
  })

  it('is not spent by a good key of another scope', async () => {
    const service = await start({ env: { SERVICE_AUTH_FAILURE_LIMIT: '1' } })
    const tenant = await service.tenant()
    const wrongScope = () => service.call('GET', '/v1/actions', { key: tenant.approver })
    expect(await statuses(3, wrongScope)).toEqual([403, 403, 403])
  })
})
