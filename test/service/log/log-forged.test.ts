import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leafHash } from '../../../shared/audit/event/audit-bytes.ts'
import { merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import { nodesForRoot } from '../../../shared/audit/merkle/proofs.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import { entriesOf, rebuildLog, tamper } from '../../support/audit/tamper.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

/** Nobody without the key gets signed what the events of a log do not come to, whatever is written into the tables. */

let directory: string
let database: FreshDatabase
let service: TestService
let tenant: TestTenant
let other: TestTenant

const start = (more: object = {}) =>
  startService({ database, env: { SERVICE_SIGNED_LOGS_FILE: join(directory, 'signed-logs') }, ...more })

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signed-logs-'))
  database = await freshDatabase()
  service = await start()
  tenant = await service.tenant()
  other = await service.tenant()
})

afterEach(async () => {
  await service.close()
  await database.drop()
  rmSync(directory, { recursive: true })
})

const submit = async ({ agent: key }: TestTenant) =>
  (await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json: proposal() })).body.action_id

async function exported({ agent: key }: TestTenant, id: string): Promise<AuditExport> {
  return (await service.call<AuditExport>('GET', `/v1/actions/${id}/audit-export`, { key })).body
}

async function logged(of: TestTenant): Promise<string> {
  const id = await submit(of)
  const status = async () =>
    (await service.call<{ status: string }>('GET', `/v1/actions/${id}`, { key: of.agent })).body.status
  await expect.poll(status, { timeout: 10_000 }).toBe('executed')
  const whole = async () => (await exported(of, id)).log
  await expect.poll(whole, { timeout: 10_000 }).toHaveProperty('checkpoint')
  return id
}

const checkpoint = async ({ agent: key }: TestTenant) =>
  (await service.call<LogCheckpoint>('GET', '/v1/audit/checkpoint', { key })).body

async function signedNotes(): Promise<string> {
  const [row] = await asSuperuser<{ notes: string }>(
    database,
    `select coalesce(string_agg(note, ''), '') as notes from (
       select note from action_gate.log_checkpoints union all select note from action_gate.action_statements) n`,
  )
  return row?.notes ?? ''
}

/** The tenant's log is refused, and those of others go on. */
async function isRefused(problem: RegExp): Promise<void> {
  await expect.poll(() => service.logged(), { timeout: 10_000 }).toMatch(problem)
  const { text } = await service.call('GET', '/metrics')
  expect(text).toContain('action_gate_log_rollbacks_total 1')
  const id = await logged(other)
  expect((await exported(other, id)).statement).not.toBeNull()
}

const hexOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

/** As many entries, and the root of their leaves, are written over the state of the log under the role of the service. */
async function claimRoot(leaves: readonly Buffer[], size = leaves.length): Promise<Buffer> {
  const root = merkleRoot(leaves)
  await asWriter(
    service.context.store,
    `update tenant_logs set size = ${size}, root = '\\x${hexOf(root)}' where tenant_id = '${tenant.id}'`,
  )
  return root
}

async function leavesOfLog(): Promise<Buffer[]> {
  const rows = await asReader<{ hash: Buffer }>(
    service.context.store,
    `select hash from log_nodes where tenant_id = '${tenant.id}' and level = 0 order by index`,
  )
  return rows.map(({ hash }) => hash)
}

it('does not sign a size and a root that stand in the state of a log alone', async () => {
  await logged(tenant)
  const { size } = await checkpoint(tenant)
  const root = await claimRoot(Array.from({ length: size + 5 }, (_, n) => leafHash(`forged ${n}`)))
  await isRefused(/its root is not that of its/)
  expect(await signedNotes()).not.toContain(root.toString('base64'))
  expect((await checkpoint(tenant)).size).toBe(size)
})

it('does not sign a size that no log has', async () => {
  await logged(tenant)
  await claimRoot([leafHash('forged')], 2 ** 60)
  await isRefused(/its size is not that of a log/)
})

it('does not sign entries that name no event, though subtrees and root fit', async () => {
  await logged(tenant)
  const leaves = [...(await leavesOfLog()), leafHash('forged')]
  const entries = await entriesOf(database, tenant.id)
  await service.close()
  const size = leaves.length
  await rebuildLog(database, tenant.id, entries)
  const made = `'${tenant.id}', ${size - 1}`
  await tamper(
    database,
    `insert into log_entries (tenant_id, index, stream, sequence) values (${made}, 'action/gone', 0)`,
    ...nodesForRoot(size).map(
      ({ level, index }) =>
        `insert into log_nodes (tenant_id, level, index, hash) values ('${tenant.id}', ${level}, ${index},
         '\\x${hexOf(merkleRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)))}') on conflict do nothing`,
    ),
  )
  service = await start()
  const root = await claimRoot(leaves)
  await isRefused(/some are missing, or their events are/)
  expect(await signedNotes()).not.toContain(root.toString('base64'))
})

it('does not sign a statement about other leaves than the log holds', async () => {
  const id = await logged(tenant)
  const { events } = await exported(tenant, id)
  const forged = [0, 1, 2].map(n => leafHash(`forged ${n}`))
  const rest = Buffer.alloc(32 * (events.length - forged.length))
  const leaves = hexOf(Buffer.concat([...forged, rest]))
  const { store } = service.context
  await asWriter(store, `update actions set leaf_hashes = '\\x${leaves}' where action_id = '${id}'`)
  await asWriter(
    store,
    `insert into unsigned_statements (tenant_id, action_id, event_count) values ('${tenant.id}', '${id}', 2)
     on conflict do nothing`,
  )
  await asWriter(
    store,
    `insert into unsigned_statements (tenant_id, action_id, event_count) values ('${tenant.id}', '${id}', 3)`,
  )
  await isRefused(/it does not hold the \d events that/)
  expect(await signedNotes()).not.toContain(merkleRoot(forged).toString('base64'))
})

it('does not sign a log that was written anew below an edge that was signed', async () => {
  const early = await logged(tenant)
  const kept = await checkpoint(tenant)
  await service.close()
  service = await start({ worker: null })
  await submit(tenant)
  await service.close()
  const where = `where tenant_id = '${tenant.id}'`
  const genuine = await asSuperuser<{ level: number; index: string; hash: Buffer }>(
    database,
    `select level, index::text, hash from action_gate.log_nodes ${where}`,
  )
  const forgery = Buffer.from('{"forged":true}')
  await tamper(
    database,
    `update action_events set event = '\\x${hexOf(forgery)}', leaf_hash = '\\x${hexOf(leafHash(forgery.toString()))}'
     where action_id = '${early}' and sequence = 1`,
    `delete from log_checkpoints ${where}`,
  )
  const waiting = await tamper<{ stream: string; first_sequence: number; event_count: number }>(
    database,
    `select stream, first_sequence, event_count from log_outbox ${where} order by id`,
  )
  const late = waiting.flatMap(({ stream, first_sequence, event_count }) =>
    Array.from({ length: event_count }, (_, n) => ({ stream, sequence: first_sequence + n })),
  )
  const root = await rebuildLog(database, tenant.id, [...(await entriesOf(database, tenant.id)), ...late])
  const edge = genuine.filter(({ level, index }) =>
    nodesForRoot(kept.size).some(ref => ref.level === level && ref.index === Number(index)),
  )
  await tamper(
    database,
    `delete from log_outbox ${where}`,
    ...edge.map(
      ({ level, index, hash }) =>
        `update log_nodes set hash = '\\x${hexOf(hash)}' ${where} and level = ${level} and index = ${index}`,
    ),
  )
  service = await start()
  await isRefused(/its root is not that of/)
  expect(await signedNotes()).not.toContain(root.toString('base64'))
})
