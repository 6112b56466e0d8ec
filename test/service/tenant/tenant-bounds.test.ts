import { afterEach, describe, expect, it } from 'vitest'
import type { OwnedTenantCreated } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { type EventStream, openStream } from '../../support/service/event-stream.ts'
import { logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

const started: TestService[] = []

async function start(env: Record<string, string>): Promise<TestService> {
  const service = await startService({ worker: null, env })
  started.push(service)
  return service
}

afterEach(async () => {
  for (const service of started.splice(0).reverse()) await service.close()
})

const said = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Partial<Problem>).code ?? 'ok'}`

describe('keys of a tenant', () => {
  it('are so many at most, and one that was revoked makes room', async () => {
    const service = await start({ SERVICE_KEYS_PER_TENANT_MAX: '4' })
    const { id } = await service.tenant()
    const path = `/v1/tenants/${id}/api-keys`
    const mint = () =>
      service.call<{ key: { key_id: string } }>('POST', path, {
        admin: service.admin,
        json: { name: 'one more' },
      })
    const first = await mint()
    expect([said(first), said(await mint()), said(await mint())]).toEqual([
      '201 ok',
      '201 ok',
      '409 too_many_keys',
    ])
    await service.call('POST', `${path}/${first.body.key.key_id}/revoke`, { admin: service.admin })
    expect([said(await mint()), said(await mint())]).toEqual(['201 ok', '409 too_many_keys'])
  })

  it('have so many requests together, and what one is refused costs the others nothing', async () => {
    const service = await start({ SERVICE_RATE_LIMIT: '3', SERVICE_TENANT_RATE_LIMIT: '5' })
    const [tenant, other] = [await service.tenant(), await service.tenant()]
    const agent = () => service.call('GET', '/v1/actions', { key: tenant.agent })
    const approver = () => service.call('GET', '/v1/approvals', { key: tenant.approver })
    for (let times = 0; times < 3; times += 1) expect(said(await agent())).toBe('200 ok')
    for (let times = 0; times < 3; times += 1) expect(said(await agent())).toBe('429 rate_limited')
    expect([said(await approver()), said(await approver())]).toEqual(['200 ok', '200 ok'])
    const over = await approver()
    expect(said(over)).toBe('429 rate_limited')
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
    expect(said(await service.call('GET', '/v1/actions', { key: other.agent }))).toBe('200 ok')
  })
})

it('revisions of a tenant have so many bytes at most, and what is in force stays', async () => {
  const service = await start({ SERVICE_REVISION_BYTES_MAX: '6k' })
  const { id } = await service.tenant()
  const path = `/v1/tenants/${id}/policy`
  const put = (name: string) => {
    const json = { ...plainPolicy, allowed_systems: ['crm', `${name}-${'x'.repeat(180)}`] }
    return service.call('PUT', path, { admin: service.admin, json })
  }
  const answers: string[] = []
  for (let at = 0; at < 30; at += 1) answers.push(said(await put(`s${at}`)))
  expect(answers[0]).toBe('200 ok')
  expect(answers.at(-1)).toBe('409 too_many_revisions')
  const taken = answers.filter(answer => answer === '200 ok').length
  const { body } = await service.call<{ revision: number }>('GET', path, { admin: service.admin })
  expect(body.revision).toBe(1 + taken)
  expect(said(await put(`s${taken - 1}`))).toBe('200 ok')
})

describe('streams', () => {
  it('of a tenant are 50 at most, whatever keys it has, and one that ends makes room', async () => {
    const service = await start({})
    const tenant = await service.tenant()
    const keys = await Promise.all(Array.from({ length: 11 }, () => mint(service, tenant.id)))
    const open: EventStream[] = []
    for (const key of keys.slice(0, 10)) {
      for (let times = 0; times < 5; times += 1) open.push(await follow(service, key))
      expect(await refusedStream(service, key)).toMatch(/^key agk_\w+ has 5 open/)
    }
    expect(open.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const spare = keys.at(-1) ?? ''
    expect(await refusedStream(service, spare)).toBe(
      `tenant ${tenant.id} has 50 open, as many as it may; close one`,
    )
    const other = await service.tenant()
    expect((await follow(service, other.agent)).status).toBe(200)
    open[0]?.close()
    await expect.poll(async () => (await follow(service, spare)).status).toBe(200)
    expect(await refusedStream(service, keys[0] ?? '')).toContain(`tenant ${tenant.id} has 50 open`)
  })

  it('of an organization are 100 at most, over all of its applications', async () => {
    const service = await start({ SERVICE_HOSTED_ACCOUNTS: 'true' })
    const owner = await signUp(service.call)
    const tenants = [owner.tenant_id, await application(owner), await application(owner)]
    const [first, second, third] = await Promise.all(
      tenants.map(async id => Promise.all(Array.from({ length: 10 }, () => mint(service, id)))),
    )
    for (const key of [...(first ?? []), ...(second ?? [])]) {
      for (let times = 0; times < 5; times += 1) expect((await follow(service, key)).status).toBe(200)
    }
    const { organization_id } = owner.signed_up.organization
    const full = `organization ${organization_id} has 100 open, as many as it may; close one`
    expect(await refusedStream(service, third?.[0] ?? '')).toBe(full)
    const path = `/v1/accounts/tenants/${tenants[2]}/stream`
    expect((await owner.browser.call<Problem>('GET', path)).body.detail).toBe(full)
    const stranger = await signUp(service.call)
    expect((await follow(service, stranger.agent)).status).toBe(200)
  })
})

describe('requests', () => {
  it('of an organization are bounded over applications, keys and sessions', async () => {
    const service = await start({
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_RATE_LIMIT: '6',
      SERVICE_TENANT_RATE_LIMIT: '6',
      SERVICE_ORGANIZATION_RATE_LIMIT: '8',
    })
    const owner = await signUp(service.call)
    const second = newBrowser(service.call)
    expect((await logIn(second, owner)).status).toBe(200)
    const listed = await second.call<{ tenants: { tenant_id: string }[] }>('GET', '/v1/accounts/tenants')
    const made = await second.call<{ api_key: string }>('POST', '/v1/accounts/tenants', {
      json: { name: 'another', template: 'support' },
    })
    expect([said(listed), said(made)]).toEqual(['200 ok', '201 ok'])
    const ask = (key: string) => service.call<Problem>('GET', '/v1/actions', { key })
    for (let times = 0; times < 3; times += 1) {
      expect(said(await ask(owner.agent))).toBe('200 ok')
      expect(said(await ask(made.body.api_key))).toBe('200 ok')
    }
    const over = await ask(made.body.api_key)
    expect([said(over), over.body.detail]).toEqual([
      '429 rate_limited',
      'requests of all keys and sessions of an organization: 8 in 1 min at most',
    ])
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
    for (const browser of [owner.browser, second]) {
      expect((await browser.call<Problem>('GET', '/v1/accounts/tenants')).body.detail).toContain(
        'of an organization',
      )
    }
    const stranger = await signUp(service.call)
    expect(said(await ask(stranger.agent))).toBe('200 ok')
  })

  it('that are refused name the limit that was met', async () => {
    const service = await start({ SERVICE_RATE_LIMIT: '2', SERVICE_TENANT_RATE_LIMIT: '3' })
    const tenant = await service.tenant()
    const details: string[] = []
    for (const key of [tenant.agent, tenant.agent, tenant.agent, tenant.approver, tenant.approver]) {
      const { status, body } = await service.call<Problem>(
        'GET',
        key === tenant.agent ? '/v1/actions' : '/v1/approvals',
        { key },
      )
      details.push(status === 200 ? 'ok' : String(body.detail))
    }
    expect(details).toEqual([
      'ok',
      'ok',
      'requests of one key, account or address: 2 in 1 min at most',
      'ok',
      'requests of all keys of a tenant: 3 in 1 min at most',
    ])
  })
})

async function mint(service: TestService, tenantId: string): Promise<string> {
  const { body } = await service.call<{ api_key: string }>('POST', `/v1/tenants/${tenantId}/api-keys`, {
    admin: service.admin,
    json: { name: `key ${Math.random()}` },
  })
  return body.api_key
}

async function application(owner: TestOwner): Promise<string> {
  const json = { name: 'another', template: 'support' }
  const { body } = await owner.browser.call<OwnedTenantCreated>('POST', '/v1/accounts/tenants', { json })
  return body.tenant.tenant_id
}

function follow(service: TestService, key: string): Promise<EventStream> {
  return openStream(service.url, '/v1/stream', { authorization: `Bearer ${key}` })
}

/** What a stream that is refused is told. */
async function refusedStream(service: TestService, key: string): Promise<string> {
  const { status, body } = await service.call<Problem>('GET', '/v1/stream', { key })
  expect(said({ status, body })).toBe('429 too_many_streams')
  return body.detail
}
