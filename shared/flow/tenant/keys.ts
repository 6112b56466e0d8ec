import { ServiceError } from '../../contract/base/errors.ts'
import type { Integration } from '../../contract/configuration/getting-started.ts'
import type { ApiKey, Author, KeyRequest } from '../../contract/configuration/tenant.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { listKeys as listStored, lockKey, revokeKey as revokeStored } from '../../store/tenant/api-keys.ts'
import { hasKeyEvent, tenantExists } from '../../store/tenant/tenant-rows.ts'
import { type ConfigWork, changeConfigIn } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'
import { integrationBundle } from './integration.ts'
import { issueKey, keyMetadata, type WarnedKey, withKeys } from './issue-key.ts'

/**
 * Mints a tenant key once the rest of the answer is ready; `api_key` is never shown again. Without hosted accounts
 * a role's key is refused, because no endpoint would accept it.
 */
export async function mintKey(
  context: Context,
  tenantId: string,
  request: KeyRequest,
  author: Author,
): Promise<WarnedKey & { tenant_id: string; integration: Integration | null }> {
  const { expires_at = null, ...rest } = request
  const key = { ...rest, tenant_id: tenantId, expires_at }
  const { scope } = rest
  if (scope !== 'agent' && scope !== 'approver') {
    if (!context.config.hosted_accounts) throw withoutRoles()
    return { tenant_id: tenantId, ...(await issueKey(context, key, author)), integration: null }
  }
  const integration = await integrationBundle(context, tenantId, { scope, key_id: null })
  return { tenant_id: tenantId, ...(await issueKey(context, key, author)), integration }
}

function withoutRoles(): ServiceError {
  const message = 'keys of roles are for a service with hosted accounts'
  return new ServiceError('validation_failed', message, [
    { path: 'scope', code: 'no_hosted_accounts', message },
  ])
}

export async function listKeys(
  context: Context,
  tenantId: string,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ api_keys: ApiKey[]; next_cursor: string | null }> {
  const known = await context.store.look([tenantId], query => tenantExists(query, tenantId))
  if (!known) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  const oneMore = { ...page, limit: page.limit + 1 }
  const read = await context.keys.look([tenantId], query => listStored(query, tenantId, oneMore))
  const { rows, last } = pageOf(read, page.limit)
  return {
    api_keys: rows.map(keyMetadata),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.key_id]),
  }
}

/**
 * Revokes a key; a repetition changes nothing. Keys in their own database are committed first, so that a
 * repetition records the event if it was lost.
 */
export async function revokeKey(
  context: Context,
  tenantId: string,
  keyId: string,
  author: Author,
): Promise<ApiKey> {
  const revoke: ConfigWork<ApiKey> = async query => {
    const revoked = await withKeys(context, tenantId, query, keys => revokeStored(keys, tenantId, keyId))
    if (!revoked) throw new ServiceError('key_not_found', `tenant ${tenantId} has no key ${keyId}`)
    const answer = keyMetadata(revoked.key)
    const { key_id, name, scope } = revoked.key
    const isNew = revoked.changed || !(await hasKeyEvent(query, tenantId, { kind: 'key_revoked', key_id }))
    return isNew ? { answer, entry: { kind: 'key_revoked', payload: { key_id, name, scope } } } : { answer }
  }
  return context.store.change([tenantId], async query => {
    await withKeys(context, tenantId, query, keys => lockKey(keys, keyId))
    return changeConfigIn(query, tenantId, author, revoke)
  })
}
