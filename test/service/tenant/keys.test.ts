import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Integration } from '../../../shared/contract/configuration/getting-started.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'
import { titled } from '../../support/short.ts'

interface Issued {
  tenant_id: string
  api_key: string
  key: ApiKey
  integration: Integration
}
interface Listed {
  api_keys: ApiKey[]
  next_cursor: string | null
}

let service: TestService
let other: TestService
let tenant: TestTenant

/** Two API processes over one database. */
beforeAll(async () => {
  service = await startService({ env: { SERVICE_SUBMIT_WAIT_MS: '0' } })
  other = await startService({
    database: service.database,
    worker: null,
    env: { SERVICE_SUBMIT_WAIT_MS: '0' },
  })
  tenant = await service.tenant()
})

afterAll(async () => {
  await other.close()
  await service.close()
})

function admin<Body>(method: string, path: string, json?: unknown) {
  return service.call<Body>(method, path, { admin: service.admin, ...(json === undefined ? {} : { json }) })
}

function mint(json: object, tenantId = tenant.id) {
  return admin<Issued>('POST', `/v1/tenants/${tenantId}/api-keys`, json)
}

function list(query = '', tenantId = tenant.id) {
  return admin<Listed>('GET', `/v1/tenants/${tenantId}/api-keys${query}`)
}

async function refusal(answer: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await answer
  const { code, errors } = body as Problem
  return { status, code, paths: errors?.map(({ path }) => path) }
}

describe('minting a key', () => {
  it('answers 201 with the secret and what may be known of the key', async () => {
    const { status, body } = await mint({ name: 'billing agent' })
    expect(status).toBe(201)
    expect(body.api_key).toMatch(/^agk_[a-z2-7]{16}\.[A-Za-z0-9_-]{49}$/)
    const [key_id] = body.api_key.split('.')
    expect(body.key).toMatchObject({
      key_id,
      prefix: key_id,
      name: 'billing agent',
      scope: 'agent',
      tenant_id: tenant.id,
      revoked: false,
      expires_at: null,
    })
    const used = await service.call('GET', '/v1/actions', { key: body.api_key })
    expect(used.status).toBe(200)
  })

  it('of an approver', async () => {
    const { body } = await mint({ name: 'lead', scope: 'approver', expires_at: '2999-01-01T00:00:00+02:00' })
    expect(body.key).toMatchObject({ scope: 'approver', expires_at: '2998-12-31T22:00:00.000Z' })
    expect((await service.call('GET', '/v1/approvals', { key: body.api_key })).status).toBe(200)
  })

  it.each(['agent', 'approver'])('answers the integration bundle of an %s', async scope => {
    const { body } = await mint({ name: scope, scope })
    expect(body.integration).toMatchObject({ scope, tenant_id: tenant.id })
    const { body: bundle } = await service.call('GET', '/v1/integration', { key: body.api_key })
    expect(bundle).toEqual(body.integration)
  })

  it.each(
    titled([
      [{}, ['name']],
      [{ name: '' }, ['name']],
      [{ name: 'x'.repeat(201) }, ['name']],
      [{ name: 'x', scope: 'admin' }, ['scope']],
      [{ name: 'x', scope: null }, ['scope']],
      [{ name: 'x', expires_at: 'tomorrow' }, ['expires_at']],
      [{ name: 'x', expires_at: '2030-02-30T00:00:00Z' }, ['expires_at']],
      [{ name: 'x', expires_at: '0000-01-01T00:00:00Z' }, ['expires_at']],
      [{ name: 'x', expires_at: 1 }, ['expires_at']],
      [{ name: 'x', tenant_id: 'other', key_id: 'agk_mine' }, ['tenant_id', 'key_id']],
    ]),
  )('%s is refused', async (_, json, paths) => {
    expect(await refusal(mint(json))).toEqual({ status: 400, code: 'validation_failed', paths })
  })

  it('for a tenant that nobody knows is 404', async () => {
    expect(await refusal(mint({ name: 'x' }, 'nobody'))).toMatchObject({
      status: 404,
      code: 'tenant_not_found',
    })
    expect(await refusal(list('', 'nobody'))).toMatchObject({ status: 404, code: 'tenant_not_found' })
  })
})

describe('the secret', () => {
  it('is shown once: no list, no row and no log has it again', async () => {
    const { body } = await mint({ name: 'shown once' })
    const secret = body.api_key.split('.')[1] ?? ''
    const hash = createHash('sha256').update(secret).digest('hex')
    const { text } = await list('?limit=200')
    expect(text).toContain(body.key.key_id)
    const rows = await asReader<{ text: string }>(
      service.context.keys,
      'select api_keys::text as text from api_keys',
    )
    expect(rows.filter(row => row.text.includes(hash))).toHaveLength(1)
    for (const place of [text, service.logged(), JSON.stringify(rows)]) {
      expect(place).not.toContain(secret)
    }
    expect(text + service.logged()).not.toContain(hash)
  })
})

describe('the list of keys', () => {
  it('is the tenant’s own, newest first, page by page', async () => {
    const fresh = await service.tenant()
    const minted: string[] = []
    for (const name of ['one', 'two', 'three']) minted.push((await mint({ name }, fresh.id)).body.key.key_id)
    const seen: string[] = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const { body }: { body: Listed } = await list(`?limit=2${cursor && `&cursor=${cursor}`}`, fresh.id)
      seen.push(...body.api_keys.map(({ key_id }) => key_id))
      cursor = body.next_cursor
    }
    expect(seen.slice(0, 3)).toEqual(minted.reverse())
    expect(seen.slice(3).sort()).toEqual([fresh.agent, fresh.approver].map(key => key.split('.')[0]).sort())
  })

  it('ends with a page that has no cursor, also when it is full', async () => {
    const fresh = await service.tenant()
    const { body } = await list('?limit=2', fresh.id)
    expect({ count: body.api_keys.length, cursor: body.next_cursor }).toEqual({ count: 2, cursor: null })
  })

  const cursor = (text: string) => Buffer.from(text).toString('base64url')
  it.each([
    '?limit=0',
    '?limit=201',
    '?limit=-1',
    '?limit=1e1',
    '?limit=ten',
    '?limit=',
    '?cursor=x',
    '?cursor=',
    `?cursor=${cursor('yesterday~agk_1')}`,
    `?cursor=${cursor('2026-01-01T00:00:00.000Z~')}`,
    `?cursor=${cursor('2026-01-01T00:00:00.000Z~agk\0')}`,
    `?cursor=${cursor('0000-01-01T00:00:00.000Z~agk_1')}`,
    '?limit=5&limit=6',
    '?limit[]=5',
    '?page=2',
  ])('%s is refused', async query => {
    expect(await refusal(list(query))).toMatchObject({ status: 400, code: 'validation_failed' })
  })
})

describe('a key that was good a moment ago', () => {
  it.each(['submits', 'sends nonsense', 'polls', 'polls with an ETag'])(
    'is refused at once on every process when it %s',
    async what => {
      const { body } = await mint({ name: 'short-lived' })
      const { action_id } = (await tenant.submit()).body
      const use = (on: TestService, headers = {}) => {
        const call = { key: body.api_key, headers }
        if (what === 'submits') return on.call('POST', '/v1/actions', { ...call, json: proposal() })
        if (what === 'sends nonsense') return on.call('POST', '/v1/actions', { ...call, json: { odd: true } })
        return on.call('GET', `/v1/actions/${action_id}`, call)
      }
      const trace = await service.call('GET', `/v1/actions/${action_id}`, { key: body.api_key })
      const known = what.endsWith('ETag') ? { 'if-none-match': String(trace.headers.etag) } : {}
      for (const on of [service, other, service, other]) expect((await use(on, known)).status).not.toBe(403)
      await admin('POST', `/v1/tenants/${tenant.id}/api-keys/${body.key.key_id}/revoke`)
      for (const on of [service, other])
        expect(await refusal(use(on, known))).toMatchObject({ status: 403, code: 'key_revoked' })
    },
  )
})

describe('revoking a key', () => {
  const revoke = (keyId: string, tenantId = tenant.id) =>
    admin<{ key: ApiKey }>('POST', `/v1/tenants/${tenantId}/api-keys/${keyId}/revoke`)

  it('is effective at the next request on every process', async () => {
    const { body } = await mint({ name: 'short-lived' })
    const use = (on: TestService) =>
      on.call<Problem>('POST', '/v1/actions', { key: body.api_key, json: proposal() })
    expect([(await use(service)).status, (await use(other)).status]).toEqual([202, 202])
    const { status, body: revoked } = await revoke(body.key.key_id)
    expect({ status, revoked: revoked.key.revoked }).toEqual({ status: 200, revoked: true })
    for (const on of [service, other]) {
      expect(await refusal(use(on))).toMatchObject({ status: 403, code: 'key_revoked' })
    }
  })

  it('twice changes nothing, and the list says so', async () => {
    const { body } = await mint({ name: 'twice' })
    const first = await revoke(body.key.key_id)
    const again = await revoke(body.key.key_id)
    expect(again.body).toEqual(first.body)
    const listed = (await list()).body.api_keys.find(({ key_id }) => key_id === body.key.key_id)
    expect(listed).toEqual(first.body.key)
  })

  it('of another tenant, of an admin, or of nobody is 404 and changes nothing', async () => {
    const stranger = await service.tenant()
    const theirs = stranger.agent.split('.')[0] ?? ''
    const adminKey = service.admin.split('.')[0] ?? ''
    for (const keyId of [theirs, adminKey, 'agk_aaaaaaaaaaaaaaaa', 'not-a-key', 'agk_%00']) {
      expect(await refusal(revoke(keyId))).toMatchObject({ status: 404, code: 'key_not_found' })
    }
    expect((await stranger.submit()).status).toBe(202)
    expect((await list()).status).toBe(200)
  })
})

describe('a key that expires', () => {
  it('works until then, by the clock of the database', async () => {
    const expiring = await mint({ name: 'soon', expires_at: '2999-01-01T00:00:00Z' })
    const use = () => service.call('GET', '/v1/actions', { key: expiring.body.api_key })
    expect((await use()).status).toBe(200)
    const key = { name: 'past', scope: 'agent', tenant_id: tenant.id } as const
    const past = await plantKey(service.context, { ...key, expires_at: '2020-01-01T00:00:00Z' })
    expect(await refusal(service.call('GET', '/v1/actions', { key: past.api_key }))).toMatchObject({
      status: 403,
      code: 'key_expired',
    })
  })

  it('is not minted where it would be over', async () => {
    for (const scope of ['agent', 'approver']) {
      const over = await mint({ name: 'over', scope, expires_at: '2020-01-01T00:00:00Z' })
      expect([over.status, over.body]).toMatchObject([
        400,
        { errors: [{ path: 'expires_at', code: 'already_over' }] },
      ])
    }
    expect((await list()).text).not.toContain('"over"')
  })
})
