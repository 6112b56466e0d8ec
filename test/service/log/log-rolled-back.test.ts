import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

let directory: string
let database: FreshDatabase
let service: TestService
let tenant: TestTenant
let other: TestTenant

const start = () =>
  startService({ database, env: { SERVICE_SIGNED_LOGS_FILE: join(directory, 'signed-logs') } })

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signed-logs-'))
  database = await freshDatabase()
  service = await start()
  tenant = await service.tenant()
  other = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await database.drop()
  rmSync(directory, { recursive: true })
})

async function exported({ agent }: TestTenant, id: string): Promise<AuditExport> {
  const path = `/v1/actions/${id}/audit-export`
  return (await service.call<AuditExport>('GET', path, { key: agent })).body
}

async function logged(of: TestTenant): Promise<AuditExport> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: of.agent,
    json: proposal(),
  })
  return exported(of, body.action_id)
}

/** As after a restore from a backup of before the last entries: what the log was when it had `size` of them. */
async function setBack(size: number, of = tenant): Promise<void> {
  const where = `tenant_id = '${of.id}'`
  const tables = ['log_entries', 'log_nodes', 'log_checkpoints', 'tenant_logs']
  await asSuperuser(
    database,
    ...tables.map(table => `alter table action_gate.${table} disable trigger user`),
    `delete from action_gate.log_checkpoints where ${where} and size > ${size}`,
    `delete from action_gate.log_entries where ${where} and index >= ${size}`,
    `delete from action_gate.log_nodes where ${where} and (index + 1) * (1::int8 << level) > ${size}`,
    `update action_gate.tenant_logs set size = ${size}, signed_size = ${size}, root = (
       select decode(split_part(note, E'\\n', 3), 'base64') from action_gate.log_checkpoints where ${where} and size = ${size}
     ) where ${where}`,
    ...tables.map(table => `alter table action_gate.${table} enable trigger user`),
  )
}

/** As after a restore from a backup of before the tenant was there. */
async function forget(of: TestTenant): Promise<void> {
  const guarded = ['log_entries', 'log_nodes', 'log_checkpoints', 'log_keys', 'tenant_logs']
  await asSuperuser(
    database,
    ...guarded.map(table => `alter table action_gate.${table} disable trigger user`),
    ...[...guarded, 'log_outbox', 'unsigned_statements'].map(
      table => `delete from action_gate.${table} where tenant_id = '${of.id}'`,
    ),
    ...guarded.map(table => `alter table action_gate.${table} enable trigger user`),
  )
}

async function isTold(problem: string): Promise<void> {
  const metrics = async () => (await service.call('GET', '/metrics')).text
  await expect.poll(metrics, { timeout: 10_000 }).toContain('action_gate_log_rollbacks_total 1')
  expect(service.logged()).toMatch(/log rolled back: nothing more of it is signed/)
  expect(service.logged()).toContain(problem)
}

it('a log that was rolled back is told of before it grows', async () => {
  const quiet = await service.tenant()
  await logged(quiet)
  const path = '/v1/audit/checkpoint'
  const { size } = (await service.call<LogCheckpoint>('GET', path, { key: quiet.agent })).body
  await logged(quiet)
  await service.close()
  await setBack(size, quiet)
  service = await start()
  await isTold(`and has ${size}`)
  expect((await logged(quiet)).log).toEqual({ pending: true })
  await service.close()
  await forget(quiet)
  service = await start()
  await isTold('is not in the database')
  await service.close()
  writeFileSync(join(directory, 'signed-logs'), '')
  service = await start()
})

it('a log that was rolled back is not signed again, and the others are', async () => {
  await logged(tenant)
  const path = '/v1/audit/checkpoint'
  const kept = (await service.call<LogCheckpoint>('GET', path, { key: tenant.agent })).body
  await logged(tenant)
  await service.close()
  await setBack(kept.size)
  service = await start()
  const after = await logged(tenant)
  expect(after.log).toEqual({ pending: true })
  expect(after.statement).toBeNull()
  expect((await service.call<LogCheckpoint>('GET', path, { key: tenant.agent })).body.size).toBe(kept.size)
  expect(service.logged()).toMatch(/log rolled back: nothing more of it is signed/)
  const { text } = await service.call('GET', '/metrics')
  expect(text).toContain('action_gate_log_rollbacks_total 1')
  expect((await logged(other)).log).toHaveProperty('checkpoint')
})
