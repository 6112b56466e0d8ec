import { formatVkey, verifierKey } from '../audit/verifier-key.ts'
import { importPublicKey, publicKeyJwk, publicKeyPem } from '../canon/ed25519.ts'
import type { AuditKey } from '../contract/audit-log.ts'
import { readSigningKeys, type StoredSigningKey } from '../store/signing-keys.ts'
import type { Context } from './context.ts'

/** Every key that ever signed audits, the oldest first (audit definitions section 5). */
export async function readAuditKeys(context: Context): Promise<{ keys: AuditKey[] }> {
  const stored = await context.store.look('all', readSigningKeys)
  return { keys: stored.map(auditKey) }
}

function auditKey({ key_id, name, public_key, status, added_at, ended_at }: StoredSigningKey): AuditKey {
  const publicKey = importPublicKey(public_key)
  if (!publicKey) throw new Error(`the stored signing key ${key_id} is none`)
  return {
    key_id,
    name,
    status,
    vkey: formatVkey(verifierKey(name, publicKey)),
    pem: publicKeyPem(publicKey),
    jwk: publicKeyJwk(publicKey),
    added_at: added_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }
}
