import { ServiceError } from '../../contract/base/errors.ts'
import type { AdminKeyRequest, ApiKey, Author } from '../../contract/configuration/tenant.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import {
  hasLastingAdminKey,
  holdAdminKeys,
  isGoodAdminName,
  listKeys,
  lockKey,
  revokeKey,
} from '../../store/tenant/api-keys.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'
import { type IssuedKey, insertAdminKey, keyMetadata } from './issue-key.ts'

export async function listAdminKeys(
  context: Context,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ api_keys: ApiKey[]; next_cursor: string | null }> {
  const oneMore = { ...page, limit: page.limit + 1 }
  const read = await context.keys.look('all', query => listKeys(query, null, oneMore))
  const { rows, last } = pageOf(read, page.limit)
  return {
    api_keys: rows.map(keyMetadata),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.key_id]),
  }
}

/** Mints an admin key; it is recorded in the process log, because admin keys have no tenant and so no stream. */
export async function mintAdminKey(
  context: Context,
  { name, scope, expires_at = null }: AdminKeyRequest,
  author: Author,
): Promise<IssuedKey> {
  const issued = await context.keys.change('all', query => insertAdminKey(query, { name, scope, expires_at }))
  context.events.adminKeyChanged('minted', { key_id: issued.key.key_id, name, scope }, author)
  return issued
}

/** Mints the admin key of a start, or returns null if a valid one has that name. */
export async function bootstrapAdminKey(context: Context, name: string): Promise<string | null> {
  const issued = await context.keys.change('all', async query => {
    await holdAdminKeys(query)
    return (await isGoodAdminName(query, name))
      ? null
      : insertAdminKey(query, { name, scope: 'admin', expires_at: null })
  })
  if (!issued) return null
  const { key_id, scope } = issued.key
  context.events.adminKeyChanged('minted', { key_id, name, scope }, { source: 'start-up' })
  return issued.api_key
}

/** Revokes an admin key; a repetition changes nothing. The last permanent key is revoked only with `allowLast`. */
export async function revokeAdminKey(
  context: Context,
  { keyId, allowLast }: { keyId: string; allowLast: boolean },
  author: Author,
): Promise<ApiKey> {
  const revoked = await context.keys.change('all', async query => {
    await lockKey(query, keyId)
    await holdAdminKeys(query)
    const done = await revokeKey(query, null, keyId)
    if (!done) throw new ServiceError('key_not_found', `there is no admin key ${keyId}`)
    const mayBeLast = done.changed && done.key.scope === 'admin'
    if (mayBeLast && !allowLast && !(await hasLastingAdminKey(query))) {
      throw new ServiceError(
        'last_admin_key',
        `${keyId} is the last admin key that works and does not expire: mint another first, or say allow_last`,
      )
    }
    return done
  })
  if (revoked.changed) {
    const { name, scope } = revoked.key
    context.events.adminKeyChanged('revoked', { key_id: keyId, name, scope }, author)
  }
  return keyMetadata(revoked.key)
}
