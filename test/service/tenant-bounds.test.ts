import { afterEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../shared/contract/errors.ts'
import { createOpenStreams } from '../../shared/runtime/open-streams.ts'
import { startService, type TestService } from '../support/service.ts'
import { plainPolicy } from '../support/tenant.ts'

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

it('streams of a tenant are so many at most, whatever keys it has', () => {
  const streams = createOpenStreams()
  const open = (key: string) =>
    streams.open([
      { name: key, most: 2 },
      { name: 'tenant', most: 3 },
    ])
  const [first, second, third] = [open('a'), open('a'), open('b')]
  expect([first, second, third].every(stream => stream !== null)).toBe(true)
  expect([open('b'), open('c')]).toEqual([null, null])
  first?.end()
  first?.end()
  expect(open('c')).not.toBeNull()
  expect(open('d')).toBeNull()
})
