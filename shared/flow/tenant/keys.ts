import type { KeyPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Integration } from '../../contract/configuration/getting-started.ts'
import type { ApiKey, Author, KeyRequest } from '../../contract/configuration/tenant.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { random32 } from '../../runtime/ids.ts'
import { readKey, sameHash } from '../../runtime/secrets/secret.ts'
import {
  listKeys as listStored,
  type PresentedKey,
  revokeKey as revokeStored,
} from '../../store/tenant/api-keys.ts'
import { hasKeyEvent, tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'
import { integrationBundle } from './integration.ts'
import { issueKey, keyMetadata, type WarnedKey, withKeys } from './issue-key.ts'

/**
 * The principal behind a key, and the database's clock. `confirmed` is false where the key was good when it was looked up
 * last, and the statement that does the work has to confirm that it still is.
 */
export interface Authenticated {
  principal: KeyPrincipal
  now: string
  confirmed: boolean
}

/** Compared where no key was found, so that an unknown key costs what a wrong secret costs. */
const nobodysHash = random32()

/**
 * Who presents this key (specification.md#identifiers-keys-and-time). Read from the database each time, so a revocation is effective at the
 * next request on every process: now, or `withTheWork`, in the statement that does what is asked. Unknown, malformed and
 * wrong secret share one code.
 */
export async function authenticateKey(
  context: Context,
  presented: string,
  withTheWork: boolean,
): Promise<Authenticated> {
  const read = readKey(presented)
  if (!read) throw new ServiceError('invalid_key')
  const known = withTheWork ? context.knownKeys?.get(read.keyId) : undefined
  const time = known && context.databaseClock.now()
  if (known && time && sameHash(known.secret_hash, read.secretHash)) {
    return { principal: principalOf(known), now: time, confirmed: false }
  }
  const { key, now } = await context.findKey(read.keyId)
  const same = sameHash(key?.secret_hash ?? nobodysHash, read.secretHash)
  const good = unlessEnded(same ? key : undefined)
  context.knownKeys?.put(good.key_id, good)
  return { principal: principalOf(good), now, confirmed: true }
}

/** Rejects, as `authenticateKey` does, when a key that was good may be used no more. */
export async function confirmKey(context: Context, keyId: string): Promise<void> {
  context.knownKeys?.forget(keyId)
  const { key } = await context.findKey(keyId)
  unlessEnded(key)
}

function principalOf({ key_id, name, scope, tenant_id }: PresentedKey): KeyPrincipal {
  return { key_id, name, scope, tenant_id }
}

function unlessEnded(key: PresentedKey | undefined): PresentedKey {
  if (!key) throw new ServiceError('invalid_key')
  if (key.revoked) throw new ServiceError('key_revoked')
  if (key.expired) throw new ServiceError('key_expired')
  return key
}

/** Mint a tenant key once the rest of the answer is there; `api_key` is the full secret, never to be seen again. */
export async function mintKey(
  context: Context,
  tenantId: string,
  request: KeyRequest,
  author: Author,
): Promise<WarnedKey & { tenant_id: string; integration: Integration }> {
  const { expires_at = null, ...rest } = request
  const key = { ...rest, tenant_id: tenantId, expires_at }
  const integration = await integrationBundle(context, tenantId, rest.scope)
  return { tenant_id: tenantId, ...(await issueKey(context, key, author)), integration }
}

/** Metadata of a tenant's keys, newest first. */
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
 * Revoke a key; doing it twice changes nothing. Keys in a database of their own are committed first: where the event of a
 * revocation was lost with the rest, the next one records it.
 */
export async function revokeKey(
  context: Context,
  tenantId: string,
  keyId: string,
  author: Author,
): Promise<ApiKey> {
  return changeConfig(context, tenantId, author, async query => {
    const revoked = await withKeys(context, tenantId, query, keys => revokeStored(keys, tenantId, keyId))
    if (!revoked) throw new ServiceError('key_not_found', `tenant ${tenantId} has no key ${keyId}`)
    const answer = keyMetadata(revoked.key)
    const { key_id, name, scope } = revoked.key
    const isNew = revoked.changed || !(await hasKeyEvent(query, tenantId, { kind: 'key_revoked', key_id }))
    return isNew ? { answer, entry: { kind: 'key_revoked', payload: { key_id, name, scope } } } : { answer }
  })
}
