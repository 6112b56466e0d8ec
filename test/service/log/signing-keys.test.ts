import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCheckpoint } from '../../../shared/audit/note/checkpoint.ts'
import { readTrustedKeys } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { AuditKeyList, LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import { testKeyPem, testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

let database: FreshDatabase
let service: TestService
let tenant: TestTenant
let other: TestTenant

const [oldKey, newKey] = [testVerifierKey(1), testVerifierKey(2)]
const pem = (...seeds: number[]) => seeds.map(seed => testKeyPem(seed)).join('')

beforeAll(async () => {
  database = await freshDatabase()
  service = await startService({ database, env: { SERVICE_SIGNING_KEY: pem(1) } })
  tenant = await service.tenant()
  other = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await database.drop()
})

async function restart(SERVICE_SIGNING_KEY: string, env: Record<string, string> = {}): Promise<void> {
  await service.close()
  service = await startService({ database, env: { SERVICE_SIGNING_KEY, ...env } })
}

async function freshExport({ agent } = tenant): Promise<AuditExport> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: agent,
    json: proposal(),
  })
  const path = `/v1/actions/${body.action_id}/audit-export`
  return (await service.call<AuditExport>('GET', path, { key: agent })).body
}

function logOf({ log }: AuditExport): { origin: string; log_id: string } {
  if ('pending' in log) throw new Error('it is pending')
  return { origin: log.origin, log_id: log.origin.slice(log.origin.lastIndexOf('/') + 1) }
}

/** What somebody finds who saved the answer to that, and verifies an export by it. */
async function foundBy(exported: AuditExport, origin?: string) {
  const trusted = readTrustedKeys(JSON.stringify(await keyList(origin)))
  if (!trusted.ok) throw new Error(trusted.error)
  const bytes = Buffer.from(JSON.stringify(exported))
  const { problem, checks } = verifyExport(bytes, { trusted: trusted.value })
  return { problem, keys: checks.find(({ name }) => name === 'keys')?.status }
}

function signersOf({ log }: AuditExport): string[] {
  if ('pending' in log) throw new Error('it is pending')
  const opened = openCheckpoint(log.checkpoint, [oldKey, newKey])
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.signers.map(({ id }) => id.toString('hex'))
}

async function keyList(origin?: string) {
  const query = origin === undefined ? '' : `?origin=${encodeURIComponent(origin)}`
  const { body } = await service.call<AuditKeyList>('GET', `/v1/audit/keys${query}`)
  return body
}

const keys = async (origin?: string) => (await keyList(origin)).keys

const events = async () =>
  (
    await asReader<{ kind: string }>(
      service.context.store,
      `select kind from config_events where tenant_id = '${tenant.id}' and kind like 'signing_key%' order by sequence`,
    )
  ).map(({ kind }) => kind)

const ids = { old: oldKey.id.toString('hex'), new: newKey.id.toString('hex') }

describe('a key is replaced', () => {
  let early: AuditExport

  it('first it signs alone, and every log is told of it', async () => {
    early = await freshExport(other)
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
    const { origin } = logOf(exported)
    const [old, fresh] = await keys(origin)
    expect(old).toMatchObject({ status: 'retired', ended_at: expect.any(String) })
    expect(fresh).toMatchObject({ status: 'active', ended_at: null })
    expect(old?.last_log_size).toBeGreaterThan(old?.first_log_size ?? Number.NaN)
    expect(fresh?.first_log_size).toBeLessThanOrEqual(old?.last_log_size ?? 0)
    expect(fresh?.last_log_size).toBeGreaterThan(old?.last_log_size ?? Number.NaN)
    expect(exported.keys).toEqual(await keys(origin))
  })

  it('the answer names the log that its sizes are of, and is of no other', async () => {
    const [here, there] = [await freshExport(), await freshExport(other)]
    for (const { origin, log_id } of [logOf(here), logOf(there)])
      expect(await keyList(origin)).toMatchObject({ log_id })
    const nowhere = `${logOf(here).origin}0`
    expect(await keyList()).toMatchObject({ log_id: null })
    expect(await keyList(nowhere)).toMatchObject({ log_id: null })

    const proven = { problem: null, keys: 'proven' }
    expect(await foundBy(early, logOf(early).origin)).toEqual(proven)
    for (const origin of [logOf(here).origin, nowhere, undefined]) {
      expect(await foundBy(there, origin)).toEqual(proven)
      expect(await foundBy(early, origin)).toEqual({ problem: null, keys: 'not_proven' })
    }
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
