import type { ApiKey } from '../contract/tenant.ts'
import { newKeyId } from '../runtime/ids.ts'
import { hashSecret, newSecret } from '../runtime/secret.ts'
import { insertKey, type StoredKey } from '../store/api-keys.ts'
import type { Context } from './context.ts'

export interface KeyToIssue {
  name: string
  scope: ApiKey['scope']
  tenant_id: string | null
  expires_at: string | null
}

/** Make and store a key; `api_key` is the full secret, never to be seen again. */
export async function issueKey(context: Context, key: KeyToIssue): Promise<{ api_key: string; key: ApiKey }> {
  const secret = newSecret()
  const stored = await insertKey(context.keys.writer, {
    key_id: newKeyId(key.scope),
    tenant_id: key.tenant_id,
    scope: key.scope,
    name: key.name,
    secret_hash: hashSecret(secret),
    expires_at: key.expires_at === null ? null : new Date(key.expires_at),
  })
  return { api_key: `${stored.key_id}.${secret}`, key: keyMetadata(stored) }
}

/** What may be shown of a stored key: never its hash. */
export function keyMetadata(stored: StoredKey): ApiKey {
  return {
    key_id: stored.key_id,
    name: stored.name,
    scope: stored.scope,
    tenant_id: stored.tenant_id,
    prefix: stored.key_id,
    revoked: stored.revoked_at !== null,
    created: stored.created_at.toISOString(),
    expires_at: stored.expires_at?.toISOString() ?? null,
  }
}
