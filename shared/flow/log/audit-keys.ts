import { formatVkey, verifierKey } from '../../audit/note/verifier-key.ts'
import { importPublicKey, publicKeyJwk, publicKeyPem } from '../../canon/ed25519.ts'
import type { AuditKey, AuditKeyList } from '../../contract/action/audit-log.ts'
import { type AskedLog, readSigningKeys, type StoredSigningKey } from '../../store/log/signing-keys.ts'
import type { Context } from '../core/context.ts'

/**
 * Every key that ever signed audits, the oldest first (specification.md#audit-keys), with the sizes of one log that it
 * signed: the log with that id, or of that tenant, where one is asked about.
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
