import { formatVkey, verifierKey } from '../../audit/note/verifier-key.ts'
import { prefixedHex } from '../../canon/digest.ts'
import { importPublicKey, publicKeyJwk, publicKeyPem } from '../../canon/ed25519.ts'
import type {
  AuditKey,
  AuditKeyList,
  LogCheckpoint,
  LogEntries,
  LogInclusion,
} from '../../contract/action/audit-log.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { readNodes } from '../../store/log/log.ts'
import { readCheckpoint, readCheckpointOf, readEntries } from '../../store/log/log-reads.ts'
import { type AskedLog, readSigningKeys, type StoredSigningKey } from '../../store/log/signing-keys.ts'
import type { Reader } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { originOf, proveConsistency, proveInclusion } from './log-proofs.ts'

export async function readLogCheckpoint(
  context: Context,
  tenantId: string,
  fromSize: number | null,
): Promise<LogCheckpoint> {
  return context.store.read([tenantId], async reader => {
    const { size, note, signed_at } = await latest(reader, tenantId)
    const consistency = fromSize === null ? null : await proveConsistency(reader, tenantId, fromSize, size)
    return { origin: originOf(note), size, checkpoint: note, signed_at, consistency }
  })
}

export async function readLogEntries(
  context: Context,
  tenantId: string,
  asked: { from: number; limit: number },
): Promise<LogEntries> {
  return context.store.read([tenantId], async reader => {
    const { size } = await latest(reader, tenantId)
    const end = Math.min(asked.from + asked.limit, size)
    const stored = await readEntries(reader, tenantId, asked.from, end)
    const entries = stored.map(({ hash, ...entry }) => ({ ...entry, leaf_hash: prefixedHex(hash) }))
    return { size, entries, next_from: end < size ? end : null }
  })
}

export async function readLogInclusion(
  context: Context,
  tenantId: string,
  asked: { index: number; size: number | null },
): Promise<LogInclusion> {
  return context.store.read([tenantId], async reader => {
    const newest = await latest(reader, tenantId)
    const size = asked.size ?? newest.size
    if (size > newest.size) throw beyond('size', newest.size)
    if (asked.index >= size) throw beyond('index', size)
    const [entry] = await proveInclusion(reader, tenantId, size, [asked.index])
    const [leaf] = await readNodes(reader, [{ tenant_id: tenantId, level: 0, index: asked.index }])
    if (!entry || !leaf) throw new Error(`the log of ${tenantId} has no leaf ${asked.index}`)
    const checkpoint = await readCheckpointOf(reader, tenantId, size)
    return { ...entry, size, leaf_hash: prefixedHex(leaf.hash), checkpoint }
  })
}

async function latest(reader: Reader, tenantId: string) {
  const checkpoint = await readCheckpoint(reader, tenantId)
  if (!checkpoint) throw new ServiceError('checkpoint_not_found', 'nothing of this tenant was signed yet')
  return checkpoint
}

function beyond(path: string, size: number): ServiceError {
  const issue = { path, code: 'beyond_the_log', message: `the log has ${size} entries` }
  return new ServiceError('validation_failed', 'the log is shorter than that', [issue])
}

/**
 * Returns every key that ever signed audits, oldest first (specification.md#audit-keys), with the sizes of the
 * asked log that it signed.
 */
export async function readAuditKeys(context: Context, log: AskedLog | null): Promise<AuditKeyList> {
  const { log_id, keys } = await context.store.read('all', reader => readSigningKeys(reader, log))
  return { log_id, keys: keys.map(auditKey) }
}

function auditKey(stored: StoredSigningKey): AuditKey {
  const { key_id, name, public_key, status, added_at, ended_at, first_log_size, last_log_size } = stored
  const publicKey = importPublicKey(public_key)
  if (!publicKey) throw new Error(`the stored signing key ${key_id} is none`)
  return {
    key_id,
    name,
    status,
    vkey: formatVkey(verifierKey(name, publicKey)),
    spki_pem: publicKeyPem(publicKey),
    jwk: publicKeyJwk(publicKey),
    added_at,
    ended_at,
    first_log_size,
    last_log_size,
  }
}
