import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyPrincipal } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

type Minted = { api_key: string; key: ApiKey } & Problem

let service: TestService
let tenant: TestTenant
let held: string
let onCall: string

beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_STREAM_MS_MAX: '100' } })
  tenant = await service.tenant()
  held = (await tenant.submit({ risk: 'high' })).body.action_id
  onCall = (await mint({ name: 'night shift', scope: 'on_call' })).body.api_key
})

afterAll(() => service.close())

const idOf = (key: string) => key.split('.')[0] ?? ''
const mint = (json: object, admin = service.admin) =>
  service.call<Minted>('POST', '/v1/admin-keys', { admin, json })

const rows = Object.entries(endpoints as Record<string, Endpoint>)
  .filter(([, { access }]) => access === 'admin')
  .map(([name, row]) => ({ name, ...row }))
const reading = rows.filter(({ method }) => method === 'GET')
const changing = rows.filter(({ method }) => method !== 'GET')

/** Of what is there, so that nothing but the key refuses. */
function concrete(path: string): string {
  return path
    .replace('{tenant_id}', tenant.id)
    .replace('{action_id}', held)
    .replace('{key_id}', idOf(tenant.agent))
    .replace('{system}', 'crm')
    .replace(/jobs$/, 'jobs?view=due')
    .replace(/\{\w+\}/g, 'nothing')
}

it('the table has rows of both kinds', () => {
  expect([reading.length > 25, changing.length > 30]).toEqual([true, true])
})

describe.each(reading)('$name', ({ path }) => {
  it('answers an on-call key as it answers an admin key', async () => {
    const ask = async (admin: string) => {
      const { status, body } = await service.call<Problem>('HEAD', concrete(path), { admin })
      return { status, code: body?.code }
    }
    const answer = await ask(onCall)
    expect(answer).toEqual(await ask(service.admin))
    expect([200, 404]).toContain(answer.status)
  })
})

describe.each(changing)('$name', ({ method, path, body }) => {
  it('refuses an on-call key', async () => {
    const json = body ? { json: {} } : {}
    const answer = await service.call<Problem>(method, concrete(path), { admin: onCall, ...json })
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: 'wrong_role' })
  })
})

describe('an on-call key', () => {
  it('says whose it is, and an admin key as well', async () => {
    const own = async (admin: string) =>
      (await service.call<KeyPrincipal>('GET', '/v1/admin-keys/own', { admin })).body
    expect(await own(onCall)).toEqual({
      key_id: idOf(onCall),
      name: 'night shift',
      scope: 'on_call',
      tenant_id: null,
    })
    expect(await own(service.admin)).toMatchObject({ scope: 'admin', key_id: idOf(service.admin) })
  })

  it('changed nothing that an event would name', async () => {
    const events = await asSuperuser<{ count: string }>(
      service.database,
      `select count(*) from action_gate.config_events where convert_from(event, 'UTF8') like '%${idOf(onCall)}%'`,
    )
    expect(events).toEqual([{ count: '0' }])
  })

  it('does not do what keys of tenants do', async () => {
    const answer = await service.call<Problem>('GET', '/v1/actions', { key: onCall })
    expect(answer.body.code).toBe('wrong_scope')
  })

  it('is not the last admin key, and is refused once it is revoked', async () => {
    const { body } = await mint({ name: 'leaver', scope: 'on_call' })
    const revoke = (key: string) =>
      service.call<{ key: ApiKey } & Problem>('POST', `/v1/admin-keys/${idOf(key)}/revoke`, {
        admin: service.admin,
        json: {},
      })
    expect((await revoke(service.admin)).body.code).toBe('last_admin_key')
    expect((await revoke(body.api_key)).body.key).toMatchObject({ scope: 'on_call', revoked: true })
    const after = await service.call<Problem>('GET', '/v1/queue', { admin: body.api_key })
    expect(after.body.code).toBe('key_revoked')
    const line = service
      .logged()
      .split('\n')
      .filter(text => text.includes('admin key revoked'))
      .map(text => JSON.parse(text))
    expect(line).toMatchObject([{ name: 'leaver', scope: 'on_call', by: idOf(service.admin) }])
  })

  it('cannot be stored with a tenant, nor an agent key without one', async () => {
    const insert = (scope: string, owner: string) =>
      asSuperuser(
        service.database,
        `insert into action_gate.api_keys (key_id, tenant_id, scope, name, secret_hash)
         values ('adk_aaaaaaaaaaaaaaaa', ${owner}, '${scope}', 'x', decode(repeat('00', 32), 'hex'))`,
      )
    await expect(insert('on_call', `'${tenant.id}'`)).rejects.toThrow(/api_keys_admin_has_no_tenant/)
    await expect(insert('agent', 'null')).rejects.toThrow(/api_keys_admin_has_no_tenant/)
  })

  it('is minted for no scope but these', async () => {
    expect((await mint({ name: 'x', scope: 'agent' })).body.code).toBe('validation_failed')
    expect((await mint({ name: 'x', scope: 'admin' }, onCall)).body.code).toBe('wrong_role')
    expect((await mint({ name: 'x' })).body.key.scope).toBe('admin')
  })
})
