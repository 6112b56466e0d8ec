import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SecretChanged, SecretList } from '../../../shared/contract/configuration/secret-schema.ts'
import { rewrapSecrets } from '../../../shared/flow/secret/rewrap-secrets.ts'
import { openSecretsKeys } from '../../../shared/runtime/secrets/secrets-key.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { secretsEnvironment, secretsKeyPair } from '../../support/fixtures/secrets-keys.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { newValue, reader } from '../../support/service/secrets-bed.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

/** Which process has which half of which key, while one is replaced and after one was lost. */
const [old, fresh] = [secretsKeyPair(), secretsKeyPair()]
const idOf = (privateKey: string) =>
  openSecretsKeys(readConfig({ SERVICE_SECRETS_KEY: privateKey }), null).sealing?.id ?? ''
const both = { SERVICE_SECRETS_KEY: old.privateKey + fresh.privateKey }

let database: FreshDatabase
let shop: Downstream
let service: TestService
let tenant: TestTenant
let value: string

async function start(env: Record<string, string>): Promise<void> {
  service = await startService({
    database,
    env: { ...secretsEnvironment, SERVICE_SECRETS_KEY: '', ...env },
  })
}

beforeEach(async () => {
  database = await freshDatabase()
  shop = await startDownstream((_seen, response) => response.end('{}'))
  await start({ SERVICE_SECRETS_KEY: old.privateKey })
  tenant = await service.tenant({
    policy: { ...plainPolicy, allowed_systems: ['shop'] },
    actuators: [reader(shop.url)],
  })
  value = newValue('kept')
  await put(value)
})

afterEach(async () => {
  await service.close()
  await shop.close()
  await database.drop()
})

const call = <Body>(method: string, path: string, json?: object) =>
  service.call<Body>(method, `/v1/tenants/${tenant.id}/${path}`, {
    admin: service.admin,
    ...(json ? { json } : {}),
  })
const put = (text: string) =>
  call<SecretChanged>('PUT', 'secrets/shop_token', { actuator: 'shop', value: text })
const list = async () => (await call<SecretList>('GET', 'secrets')).body

/** A restart with other keys; the tenant's keys are those of before. */
async function restart(env: Record<string, string>): Promise<void> {
  await service.close()
  await start(env)
}

async function submit(): Promise<string> {
  const { agent: key } = tenant
  const json = {
    proposal_id: `p-${Math.random()}`,
    actor: { agent_id: 'a' },
    summary: 's',
    action: { target_system: 'shop', operation: 'read', parameters: {} },
    risk: { level: 'low' },
  }
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })
  return body.action_id
}

async function becomes(id: string, what: string): Promise<void> {
  const read = async () => {
    const { body } = await service.call<{ status: string; job: { last_error: string | null } }>(
      'GET',
      `/v1/actions/${id}`,
      { key: tenant.agent },
    )
    return body.status === what ? what : body.job.last_error
  }
  await expect.poll(read, { timeout: 20_000 }).toBe(what)
}

describe('a key that is replaced', () => {
  it('loses no secret: both are accepted until everything is wrapped for the new one', async () => {
    await restart(both)
    await becomes(await submit(), 'executed')
    expect(await list()).toMatchObject({
      secrets: [{ key_id: idOf(old.privateKey) }],
      needs: [{ state: 'ready' }],
    })
    const { opening } = openSecretsKeys(readConfig(both), null)
    const count = [{ key_id: idOf(fresh.privateKey), count: 1 }]
    expect(await rewrapSecrets(service.context, opening)).toEqual({
      key_id: idOf(fresh.privateKey),
      rewrapped: 1,
      unreadable: 0,
      by_key: count,
    })
    expect(await rewrapSecrets(service.context, opening)).toMatchObject({ rewrapped: 0, by_key: count })
    await restart({ SERVICE_SECRETS_KEY: fresh.privateKey })
    expect((await list()).secrets).toMatchObject([{ version: 1, key_id: idOf(fresh.privateKey) }])
    await becomes(await submit(), 'executed')
    expect(shop.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${value}`,
      `Bearer ${value}`,
    ])
  })

  it('is left where nothing opens what it wrapped, and that is counted', async () => {
    await restart({ SERVICE_SECRETS_KEY: fresh.privateKey })
    const { opening } = openSecretsKeys(readConfig({ SERVICE_SECRETS_KEY: fresh.privateKey }), null)
    expect(await rewrapSecrets(service.context, opening)).toMatchObject({
      rewrapped: 0,
      unreadable: 1,
      by_key: [{ key_id: idOf(old.privateKey), count: 1 }],
    })
  })
})

describe('a key that was lost', () => {
  it('stops the jobs of its actuators until the secret is written anew', async () => {
    await restart({ SERVICE_SECRETS_KEY: fresh.privateKey })
    const waiting = await submit()
    await becomes(waiting, 'secret_unreadable')
    expect(shop.seen).toEqual([])
    await expect
      .poll(async () => (await list()).needs, { timeout: 20_000 })
      .toMatchObject([{ state: 'unreadable', message: expect.stringContaining('write it anew') }])
    await put(newValue('anew'))
    await becomes(waiting, 'executed')
  })
})

describe('a process with the public key alone', () => {
  it('writes secrets and reads none', async () => {
    await restart({ SERVICE_SECRETS_PUBLIC_KEY: fresh.publicKey })
    const { body } = await put(newValue('sealed'))
    expect(body.secret).toMatchObject({ version: 2, key_id: idOf(fresh.privateKey) })
    expect(openSecretsKeys(service.context.config, null).opening).toEqual([])
    const waiting = await submit()
    await becomes(waiting, 'secret_unreadable')
    await restart({ SERVICE_SECRETS_KEY: fresh.privateKey })
    await becomes(waiting, 'executed')
  })

  it('without any key refuses to write, and says what to set', async () => {
    await restart({})
    expect((await list()).can_write).toBe(false)
    expect(await put('long-enough')).toMatchObject({ status: 409, body: { code: 'secrets_not_configured' } })
  })
})

describe('a row that somebody changed', () => {
  it('is not opened: a version that was set back, or the seal of another secret', async () => {
    const { sealed } = await sealOf('shop_token')
    await put(newValue('newer'))
    await service.context.store.write('all', writer =>
      writer.query(
        '',
        `update tenant_secrets set version = version + 1, sealed = decode($1, 'hex') where tenant_id = $2`,
        [sealed, tenant.id],
      ),
    )
    await becomes(await submit(), 'secret_unreadable')
    expect(shop.seen).toEqual([])
  })

  it('a value cannot be exchanged under its version, nor a row be taken away', async () => {
    const change = (text: string) =>
      service.context.store.write('all', writer => writer.query('', text, [tenant.id]))
    await expect(change(`update tenant_secrets set sealed = '' where tenant_id = $1`)).rejects.toThrow(
      /append-only/,
    )
    await expect(change('update tenant_secrets set version = 0 where tenant_id = $1')).rejects.toThrow(
      /append-only/,
    )
    await expect(change(`update tenant_secrets set actuator = 'x' where tenant_id = $1`)).rejects.toThrow(
      /append-only/,
    )
    await expect(change('delete from tenant_secrets where tenant_id = $1')).rejects.toThrow(
      /permission denied/,
    )
  })
})

async function sealOf(name: string): Promise<{ sealed: string }> {
  const [row] = await service.context.store.read('all', reading =>
    reading.query<{ sealed: string }>(
      'seal_of',
      `select encode(sealed, 'hex') as sealed from tenant_secrets where tenant_id = $1 and name = $2`,
      [tenant.id, name],
    ),
  )
  if (!row) throw new Error('there is no such secret')
  return row
}
