import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import { issueAdminKey } from '../../../shared/flow/tenant/issue-key.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import {
  adminKey,
  makePlace,
  makeSeed,
  type ServicePlace,
  stop,
} from '../../support/service/service-process.ts'

type Listed = { api_keys: ApiKey[] } & Problem
type Minted = { api_key: string; key: ApiKey } & Problem

const idOf = (key: string) => key.split('.')[0] ?? ''

describe('admin keys', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService({ worker: null })
  })

  afterEach(() => service.close())

  const list = (admin = service.admin) => service.call<Listed>('GET', '/v1/admin-keys', { admin })
  const mint = (json: object) =>
    service.call<Minted>('POST', '/v1/admin-keys', { admin: service.admin, json })
  const revoke = (key: string, json = {}, admin = service.admin) =>
    service.call<{ key: ApiKey } & Problem>('POST', `/v1/admin-keys/${idOf(key)}/revoke`, { admin, json })

  it('are listed without a secret, and without the keys of tenants', async () => {
    await service.tenant()
    const { body, text } = await list()
    expect(body.api_keys).toMatchObject([{ key_id: idOf(service.admin), scope: 'admin', tenant_id: null }])
    expect(text).not.toContain(service.admin.split('.')[1])
  })

  it('expire when they were minted to', async () => {
    const short = { name: 'short', scope: 'admin', tenant_id: null } as const
    const ended = await plantKey(service.context, { ...short, expires_at: '2001-01-01T00:00:00.000Z' })
    expect((await list(ended.api_key)).body.code).toBe('key_expired')
    const lasting = await mint({ name: 'long', expires_at: '2100-01-01T00:00:00.000Z' })
    expect((await list(lasting.body.api_key)).status).toBe(200)
  })

  it.each(['admin', 'on_call'])('of the scope %s are not minted where they would be over', async scope => {
    const { status, text } = await mint({ name: 'over', scope, expires_at: '2001-01-01T00:00:00.000Z' })
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { errors: [{ path: 'expires_at', code: 'already_over' }] },
    ])
    expect((await list()).text).not.toContain('"over"')
  })

  it('are refused from the next request once revoked, and the log says by whom', async () => {
    const { api_key } = (await mint({ name: 'leaver' })).body
    expect((await revoke(api_key)).body.key.revoked).toBe(true)
    expect((await list(api_key)).body.code).toBe('key_revoked')
    expect((await revoke(api_key)).status).toBe(200)
    const lines = service
      .logged()
      .split('\n')
      .filter(line => line.includes('admin key revoked'))
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { key_id: idOf(api_key), name: 'leaver', by: idOf(service.admin) },
    ])
  })

  it('keep the last that works, unless asked for', async () => {
    const refused = await revoke(service.admin)
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 409,
      code: 'last_admin_key',
    })
    await mint({ name: 'soon gone', expires_at: '2100-01-01T00:00:00.000Z' })
    expect((await revoke(service.admin)).body.code).toBe('last_admin_key')
    expect((await list()).status).toBe(200)
    expect((await revoke(service.admin, { allow_last: true })).status).toBe(200)
    expect((await list()).body.code).toBe('key_revoked')
  })

  it('keep one of two that revoke each other at the same time', async () => {
    const other = await issueAdminKey(service.context, 'other')
    const answers = await Promise.all([revoke(other), revoke(service.admin, {}, other)])
    const works = await Promise.all([list(), list(other)])
    expect(works.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('are not for the keys of tenants, nor the other way round', async () => {
    const { id, agent, approver } = await service.tenant()
    for (const key of [agent, approver]) {
      expect((await list(key)).body.code).toBe('wrong_scope')
      expect((await revoke(key)).body.code).toBe('key_not_found')
    }
    const path = `/v1/tenants/${id}/api-keys/${idOf(service.admin)}/revoke`
    const answer = await service.call<Problem>('POST', path, { admin: service.admin })
    expect(answer.body.code).toBe('key_not_found')
  })
})

describe('the metrics of the API', () => {
  const token = 'a-token-of-the-scraper'

  it('ask for a token where one is set', async () => {
    const service = await startService({ worker: null, env: { SERVICE_METRICS_TOKEN: token } })
    const ask = async (key?: string) => (await service.call('GET', '/metrics', key ? { key } : {})).status
    expect([await ask(), await ask('another'), await ask(token)]).toEqual([401, 403, 200])
    await service.close()
  })

  it('have a port of their own where one is set, and are not on the other', async () => {
    const env = { SERVICE_METRICS_PORT: '0', SERVICE_METRICS_TOKEN: token }
    const service = await startService({ worker: null, env })
    const line =
      service
        .logged()
        .split('\n')
        .find(text => text.includes('metrics listening')) ?? '{}'
    const { url } = JSON.parse(line) as { url: string }
    const headers = { authorization: `Bearer ${token}` }
    expect((await service.call('GET', '/metrics', { key: token })).status).toBe(404)
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await fetch(`${url}/v1/tenants`, { headers })).status).toBe(404)
    const answer = await fetch(`${url}/metrics`, { headers })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('action_gate_')
    await service.close()
  })
})

describe('--bootstrap-admin-key-name', () => {
  let seed: ServicePlace
  let place: ServicePlace

  beforeAll(async () => {
    seed = await makeSeed()
    place = await makePlace(seed.directory)
  })

  afterAll(async () => {
    await place.clear()
    await seed.clear()
  })

  it('makes no second key of a name that works, and says what to do', async () => {
    const flags = ['--tenant-db', join(await place.plant('db')), '--bootstrap-admin-key-name', 'ops']
    const first = await place.start(flags)
    const admin = await adminKey(first)
    await stop(first)
    const second = await place.start(flags)
    const [line] = await second.process.logged(
      'an admin key of this name works already: no second one was made; use it, or give another name and revoke the old key with POST /v1/admin-keys/{key_id}/revoke',
    )
    expect(line).toMatchObject({ name: 'ops' })
    const listed = await second.call<Listed>('GET', '/v1/admin-keys', { admin })
    expect(listed.body.api_keys.filter(({ name }) => name === 'ops')).toHaveLength(1)
    await second.call('POST', `/v1/admin-keys/${idOf(admin)}/revoke`, { admin, json: {} })
    await stop(second)
    const third = await place.start(flags)
    expect(idOf(await adminKey(third))).not.toBe(idOf(admin))
    await stop(third)
  }, 120_000)
})
