import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leafHash } from '../../../shared/audit/event/audit-bytes.ts'
import { merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import { parseTlogProof, verifyTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { verifyConsistency, verifyInclusion } from '../../../shared/audit/merkle/verify-proofs.ts'
import { parseCheckpoint } from '../../../shared/audit/note/checkpoint.ts'
import { openNote } from '../../../shared/audit/note/signed-note.ts'
import { parseVkey } from '../../../shared/audit/note/verifier-key.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type {
  AuditKeyList,
  LogCheckpoint,
  LogEntries,
  LogInclusion,
  TlogProofs,
} from '../../../shared/contract/action/audit-log.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
})
afterAll(() => service.close())

const get = <Body>(path: string) => service.call<Body>('GET', path, { key: tenant.agent })
const exportOf = async (id: string, query = '') =>
  (await get<AuditExport>(`/v1/actions/${id}/audit-export${query}`)).body

async function trusted() {
  const { body } = await service.call<AuditKeyList>('GET', '/v1/audit/keys')
  const [key] = body.keys
  const parsed = parseVkey(key?.vkey ?? '')
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

async function opened(note: string) {
  const read = openNote(note, [await trusted()])
  if (!read.ok) throw new Error(read.error.message)
  const checkpoint = parseCheckpoint(read.value.text)
  if (!checkpoint.ok) throw new Error(checkpoint.error)
  return checkpoint.value
}

async function executed(): Promise<string> {
  const { body } = await tenant.submit()
  await tenant.settled(body.action_id)
  return body.action_id
}

describe('an export', () => {
  it('has a signed statement, and every event in the signed log', async () => {
    const id = await executed()
    const exported = await exportOf(id)
    expect(exported).toMatchObject({ integrity_version: 'canonical-signed-v1', action_id: id })
    const statement = await opened(exported.statement ?? '')
    expect(statement).toMatchObject({
      origin: `action-gate/action/${tenant.id}/${id}`,
      size: exported.events.length,
    })
    expect(`sha256:${statement.root.toString('hex')}`).toBe(exported.audit_root)
    if ('pending' in exported.log) throw new Error('it is pending')
    const { root, size, origin } = await opened(exported.log.checkpoint)
    expect(origin).toBe(exported.log.origin)
    expect(origin).not.toContain(tenant.id)
    const { events } = await tenant.trace(id)
    exported.log.entries.forEach(({ index, proof }, at) => {
      const leafHash = Buffer.from(events[at]?.leaf_hash.slice('sha256:'.length) ?? '', 'hex')
      const hashes = proof.map(hash => Buffer.from(hash, 'base64'))
      expect(verifyInclusion({ index, size, leafHash, proof: hashes, root })).toBe(true)
    })
  })

  it('proves that the log continues a checkpoint that was kept', async () => {
    const kept = (await get<LogCheckpoint>('/v1/audit/checkpoint')).body
    const older = await opened(kept.checkpoint)
    const exported = await exportOf(await executed(), `?from_size=${kept.size}`)
    if ('pending' in exported.log) throw new Error('it is pending')
    const newer = await opened(exported.log.checkpoint)
    expect(newer.size).toBeGreaterThan(older.size)
    const proof = (exported.consistency?.proof ?? []).map(hash => Buffer.from(hash, 'base64'))
    const pair = { oldSize: older.size, size: newer.size, oldRoot: older.root, root: newer.root }
    expect(verifyConsistency({ ...pair, proof })).toBe(true)
  })
})

describe('the log of a tenant', () => {
  it('has every event of its streams once, from its configuration on', async () => {
    await executed()
    await exportOf(await executed())
    const rows = await asReader<{ missing: number; extra: number; waiting: number }>(
      service.context.store,
      `select
        (select count(*)::int from action_events e where not exists (
          select from log_entries l where l.stream = 'action/' || e.action_id and l.sequence = e.sequence)) as missing,
        (select count(*)::int from log_entries) - (select count(*)::int from action_events)
          - (select count(*)::int from config_events) as extra,
        (select count(*)::int from log_outbox) as waiting`,
    )
    expect(rows).toEqual([{ missing: 0, extra: 0, waiting: 0 }])
    const [first] = await asReader<{ stream: string }>(
      service.context.store,
      `select stream from log_entries where tenant_id = '${tenant.id}' and index = 0`,
    )
    expect(first?.stream).toBe('config')
  })

  it('proves each of its entries, at any size', async () => {
    await exportOf(await executed())
    const { size } = (await get<LogCheckpoint>('/v1/audit/checkpoint')).body
    for (let index = 0; index < size; index += 1) {
      const { body } = await get<LogInclusion>(`/v1/audit/inclusion?index=${index}`)
      const { root } = await opened(body.checkpoint ?? '')
      const leafHash = Buffer.from(body.leaf_hash.slice('sha256:'.length), 'hex')
      const proof = body.proof.map(hash => Buffer.from(hash, 'base64'))
      expect(verifyInclusion({ index, size: body.size, leafHash, proof, root })).toBe(true)
    }
    expect((await get(`/v1/audit/inclusion?index=${size}`)).status).toBe(400)
    expect((await get(`/v1/audit/checkpoint?from_size=${size + 1}`)).status).toBe(400)
  })
})

it('all entries of a log give the root of its checkpoint', async () => {
  await exportOf(await executed())
  const leaves: Buffer[] = []
  let from: number | null = 0
  while (from !== null) {
    const { body }: { body: LogEntries } = await get<LogEntries>(`/v1/audit/entries?from=${from}&limit=3`)
    expect(body.entries.map(({ index }) => index)).toEqual(body.entries.map((_, at) => (from ?? 0) + at))
    leaves.push(...body.entries.map(({ leaf_hash }) => Buffer.from(leaf_hash.slice('sha256:'.length), 'hex')))
    from = body.next_from
  }
  const { body: kept } = await get<LogCheckpoint>('/v1/audit/checkpoint')
  const { size, root } = await opened(kept.checkpoint)
  expect(leaves.length).toBeGreaterThan(3)
  expect(leaves.length).toBe(size)
  expect(merkleRoot(leaves)).toEqual(root)
})

it('without a key nothing is signed, and the export says so', async () => {
  const plain = await startService({ unsigned: true })
  try {
    const other = await plain.tenant()
    const { body } = await other.submit()
    await other.settled(body.action_id)
    const path = `/v1/actions/${body.action_id}/audit-export`
    const exported = await plain.call<AuditExport>('GET', path, { key: other.agent })
    expect(exported.body).toMatchObject({
      integrity_version: 'canonical-unsigned-v1',
      statement: null,
      log: { pending: true },
      keys: [],
    })
    const checkpoint = await plain.call('GET', '/v1/audit/checkpoint', { key: other.agent })
    expect(checkpoint).toMatchObject({ status: 404, body: { code: 'checkpoint_not_found' } })
  } finally {
    await plain.close()
  }
})

it('an export is told as proofs that other programs read', async () => {
  const id = await executed()
  const exported = await exportOf(id)
  const { body } = await get<TlogProofs>(`/v1/actions/${id}/audit-export?format=tlog-proof`)
  expect(body).toMatchObject({ tenant_id: tenant.id, action_id: id, origin: expect.any(String) })
  expect(body.proofs.map(({ event }) => event)).toEqual(exported.events.map(({ event }) => event))
  for (const { event, proof } of body.proofs) {
    const read = parseTlogProof(proof)
    if (!read.ok) throw new Error(read.error)
    const where = { trusted: [await trusted()], origin: body.origin ?? '' }
    expect(verifyTlogProof(read.value, leafHash(event), where)).toMatchObject({ ok: true })
    expect(verifyTlogProof(read.value, leafHash(`${event} `), where).ok).toBe(false)
  }
})
