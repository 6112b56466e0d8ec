import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { ApiKey, Author } from '../../contract/configuration/tenant.ts'
import type { AdminScope, KeyScope } from '../../contract/role-schema.ts'
import { holderOf, unrecordedHolder } from '../../lifecycle/holder.ts'
import { lookAlike } from '../../lifecycle/look-alike.ts'
import { newKeyId } from '../../runtime/ids.ts'
import { hashSecret, newSecret } from '../../runtime/secrets/secret.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  countGoodKeys,
  type GoodName,
  goodNames,
  holderOfKey,
  insertKey,
  type StoredKey,
} from '../../store/tenant/api-keys.ts'
import { type ConfigOutcome, changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

export interface KeyToIssue {
  name: string
  scope: Exclude<KeyScope, AdminScope>
  tenant_id: string
  expires_at: string | null
  same_holder_as?: string | undefined
}

/** An issued key; `api_key` is the full secret and is never shown again. */
export interface IssuedKey {
  api_key: string
  key: ApiKey
}

export type WarnedKey = IssuedKey & { warnings: Issue[] }

/** Creates a tenant's key with its event in the configuration stream. Throws `tenant_not_found`. */
export async function issueKey(context: Context, key: KeyToIssue, author: Author): Promise<WarnedKey> {
  return changeConfig(context, key.tenant_id, author, query => insertNewKey(context, query, key, author))
}

export async function insertNewKey(
  context: Context,
  query: Query,
  { same_holder_as, ...key }: KeyToIssue,
  author: Author,
): Promise<ConfigOutcome<WarnedKey>> {
  const { api_key, row } = newKey(key)
  const { stored, warnings } = await withKeys(context, key.tenant_id, query, async keys => {
    if ((await countGoodKeys(keys, key.tenant_id)) >= context.config.keys_per_tenant_max) {
      throw new ServiceError('too_many_keys', 'revoke one that is not used any more')
    }
    const shared_with = await sharedHolder(keys, key.tenant_id, same_holder_as)
    const holder = holderOf({ ...key, minted_by: author, shared_with })
    if (shared_with !== null && shared_with !== holder) throw notTheirs()
    const others = await goodNames(keys, key.tenant_id, key.scope)
    return {
      stored: lasting(await insertKey(keys, { ...row, holder })),
      warnings: lookAlikes(key.name, holder, others),
    }
  })
  const { key_id, name, scope, holder } = stored
  const payload = { key_id, name, scope, expires_at: key.expires_at, holder }
  return { answer: { api_key, key: keyMetadata(stored), warnings }, entry: { kind: 'key_issued', payload } }
}

/** Rejects a key that has already expired, since otherwise the mistake would show only when it is refused. */
function lasting(stored: StoredKey): StoredKey {
  const { expires_at, created_at } = stored
  if (expires_at === null || expires_at > created_at) return stored
  const issue = { path: 'expires_at', code: 'already_over', message: 'must be later than now' }
  throw new ServiceError('validation_failed', 'the key would never work', [issue])
}

/** Warns about other holders with similar names, because each counts in a quorum and readers may confuse them. */
function lookAlikes(name: string, holder: string, others: readonly GoodName[]): Issue[] {
  const alike = others.filter(other => other.holder !== holder && lookAlike(other.name, name))
  return alike.map(other => ({
    path: 'name',
    code: 'look_alike_name',
    message: `looks like ${JSON.stringify(other.name)} of the key ${other.key_id}, and counts as another holder`,
  }))
}

export async function insertAdminKey(
  query: Query,
  key: { name: string; scope: AdminScope; expires_at: string | null },
): Promise<IssuedKey> {
  const { api_key, row } = newKey({ ...key, tenant_id: null })
  return { api_key, key: keyMetadata(lasting(await insertKey(query, { ...row, holder: null }))) }
}

export async function issueAdminKey(context: Context, name: string): Promise<string> {
  const issued = await context.keys.change('all', query =>
    insertAdminKey(query, { name, scope: 'admin', expires_at: null }),
  )
  return issued.api_key
}

/** Works on keys in the given transaction if they share its database, otherwise in their own database. */
export function withKeys<Answer>(
  context: Context,
  tenantId: string,
  query: Query,
  work: (keys: Query) => Promise<Answer>,
): Promise<Answer> {
  return context.keys === context.store ? work(query) : context.keys.change([tenantId], work)
}

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

async function sharedHolder(
  keys: Query,
  tenantId: string,
  keyId: string | undefined,
): Promise<string | null> {
  if (keyId === undefined) return null
  const holder = await holderOfKey(keys, tenantId, keyId)
  if (holder === undefined) throw badHolder('unknown_key', `tenant ${tenantId} has no key ${keyId}`)
  return holder ?? unrecordedHolder
}

/** An owner may not name another holder, since they could otherwise approve twice. */
function notTheirs(): ServiceError {
  return badHolder('other_holder', 'keys of a role that an owner mints are the owner’s')
}

function badHolder(code: string, message: string): ServiceError {
  return new ServiceError('validation_failed', message, [{ path: 'same_holder_as', code, message }])
}

function newKey(key: Pick<StoredKey, 'name' | 'scope' | 'tenant_id'> & { expires_at: string | null }) {
  const secret = newSecret()
  const key_id = newKeyId(key.scope)
  const expires_at = key.expires_at === null ? null : new Date(key.expires_at)
  return {
    api_key: `${key_id}.${secret}`,
    row: { ...key, key_id, secret_hash: hashSecret(secret), expires_at },
  }
}
