import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCheckpoint } from '../../shared/audit/checkpoint.ts'
import type { AuditExport } from '../../shared/contract/action.ts'
import type { AuditKeyList, LogCheckpoint } from '../../shared/contract/audit-log.ts'
import { asReader } from '../support/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { testKeyPem, testVerifierKey } from '../support/signing-key.ts'
import { proposal, type TestTenant } from '../support/tenant.ts'

let database: FreshDatabase
let service: TestService
let tenant: TestTenant

const [oldKey, newKey] = [testVerifierKey(1), testVerifierKey(2)]
const pem = (...seeds: number[]) => seeds.map(seed => testKeyPem(seed)).join('')

beforeAll(async () => {
  database = await freshDatabase()
  service = await startService({ database, env: { SERVICE_SIGNING_KEY: pem(1) } })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await database.drop()
})

async function restart(SERVICE_SIGNING_KEY: string, env: Record<string, string> = {}): Promise<void> {
  await service.close()
  service = await startService({ database, env: { SERVICE_SIGNING_KEY, ...env } })
}

async function freshExport(): Promise<AuditExport> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: tenant.agent,
    json: proposal(),
  })
  const path = `/v1/actions/${body.action_id}/audit-export`
  return (await service.call<AuditExport>('GET', path, { key: tenant.agent })).body
}

function signersOf({ log }: AuditExport): string[] {
  if ('pending' in log) throw new Error('it is pending')
  const opened = openCheckpoint(log.checkpoint, [oldKey, newKey])
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.signers.map(({ id }) => id.toString('hex'))
}

async function keys(origin?: string) {
  const query = origin === undefined ? '' : `?origin=${encodeURIComponent(origin)}`
  const { body } = await service.call<AuditKeyList>('GET', `/v1/audit/keys${query}`)
  return body.keys
}

const events = async () =>
  (
    await asReader<{ kind: string }>(
      service.context.store,
      `select kind from config_events where tenant_id = '${tenant.id}' and kind like 'signing_key%' order by sequence`,
    )
  ).map(({ kind }) => kind)

const ids = { old: oldKey.id.toString('hex'), new: newKey.id.toString('hex') }

describe('a key is replaced', () => {
  it('first it signs alone, and every log is told of it', async () => {
    expect(signersOf(await freshExport())).toEqual([ids.old])
    await expect.poll(events).toEqual(['signing_key_added'])
    expect(await keys()).toMatchObject([{ key_id: ids.old, status: 'active', ended_at: null }])
  })

  it('then both sign', async () => {
    await restart(pem(1, 2))
    expect(signersOf(await freshExport())).toEqual([ids.old, ids.new])
    await expect.poll(events).toEqual(['signing_key_added', 'signing_key_added'])
    expect(await keys()).toMatchObject([{ status: 'active' }, { key_id: ids.new, status: 'next' }])
  })

  it('at last the new one alone, and the sizes that each has signed are told', async () => {
    await restart(pem(2))
    const exported = await freshExport()
    expect(signersOf(exported)).toEqual([ids.new])
    await expect.poll(events).toEqual(['signing_key_added', 'signing_key_added', 'signing_key_retired'])
    if ('pending' in exported.log) throw new Error('it is pending')
    const [old, fresh] = await keys(exported.log.origin)
    expect(old).toMatchObject({ status: 'retired', ended_at: expect.any(String) })
    expect(fresh).toMatchObject({ status: 'active', ended_at: null })
    expect(old?.last_log_size).toBeGreaterThan(old?.first_log_size ?? Number.NaN)
    expect(fresh?.first_log_size).toBeLessThanOrEqual(old?.last_log_size ?? 0)
    expect(fresh?.last_log_size).toBeGreaterThan(old?.last_log_size ?? Number.NaN)
    expect(exported.keys).toEqual(await keys(exported.log.origin))
  })

  it('a process with the retired key does not start', async () => {
    const answer = startService({ database, env: { SERVICE_SIGNING_KEY: pem(1) } })
    await expect(answer).rejects.toThrow(/is retired and signs no more/)
  })

  it('a key that leaked is marked, and every log is told', async () => {
    await restart(pem(2), { SERVICE_SIGNING_KEYS_COMPROMISED: ids.old })
    expect(await keys()).toMatchObject([{ status: 'compromised' }, { status: 'active' }])
    await expect.poll(async () => (await events()).at(-1)).toBe('signing_key_compromised')
    const answer = startService({
      database,
      env: { SERVICE_SIGNING_KEY: pem(2), SERVICE_SIGNING_KEYS_COMPROMISED: ids.new },
    })
    await expect(answer).rejects.toThrow(/is compromised and signs no more/)
  })

  it('a tenant that comes later is told of the keys in use alone', async () => {
    const later = await service.tenant()
    const { body } = await later.submit()
    await service.call('GET', `/v1/actions/${body.action_id}/audit-export`, { key: later.agent })
    const told = () =>
      asReader<{ key_id: string }>(
        service.context.store,
        `select key_id from log_keys where tenant_id = '${later.id}' and told_status is not null`,
      )
    await expect.poll(told).toEqual([{ key_id: ids.new }])
  })

  it('nothing that was signed before is lost to who trusts the old key', async () => {
    const { body } = await service.call<LogCheckpoint>('GET', '/v1/audit/checkpoint', { key: tenant.agent })
    expect(openCheckpoint(body.checkpoint, [oldKey]).ok).toBe(false)
    const [{ note } = { note: '' }] = await asReader<{ note: string }>(
      service.context.store,
      `select c.note from log_checkpoints c join log_keys k using (tenant_id)
       where tenant_id = '${tenant.id}' and k.key_id = '${ids.old}' and c.size = k.last_size`,
    )
    expect(openCheckpoint(note, [oldKey]).ok).toBe(true)
  })
})
