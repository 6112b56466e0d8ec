import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { keyMetadata } from '../../../shared/flow/tenant/issue-key.ts'
import { holderOf } from '../../../shared/lifecycle/holder.ts'
import { newKeyId } from '../../../shared/runtime/ids.ts'
import { hashSecret, newSecret } from '../../../shared/runtime/secrets/secret.ts'
import { insertKey } from '../../../shared/store/tenant/api-keys.ts'
import { plantSecret } from '../audit/kept-logs.ts'

/** Stores a key as no endpoint would make it: expired, of a tenant that is not there, or of an administrator. */
export async function plantKey(
  context: Context,
  { expires_at, ...key }: Pick<ApiKey, 'name' | 'scope' | 'tenant_id' | 'expires_at'>,
): Promise<{ api_key: string; key: ApiKey }> {
  const key_id = newKeyId(key.scope)
  const secret = newSecret()
  const row = {
    ...key,
    holder:
      key.scope === 'admin' || key.scope === 'on_call'
        ? null
        : holderOf({ ...key, scope: key.scope, minted_by: { source: 'test' }, shared_with: null }),
    key_id,
    secret_hash: hashSecret(secret),
    expires_at: expires_at === null ? null : new Date(expires_at),
  }
  plantSecret(secret)
  const stored = await context.keys.change('all', query => insertKey(query, row))
  return { api_key: `${key_id}.${secret}`, key: keyMetadata(stored) }
}
