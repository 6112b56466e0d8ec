import { sealStream } from '../../audit/event/seal.ts'
import type { ConfigEventKind, Principal } from '../../contract/action/audit.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { SessionIdentity } from '../../contract/identity.ts'
import { random32 } from '../../runtime/ids.ts'
import type { Query } from '../../store/postgres/open.ts'
import { applyConfigChange, type LockedTenant, lockTenant } from '../../store/tenant/tenant-rows.ts'
import type { Context } from './context.ts'

export interface ConfigEntry {
  kind: ConfigEventKind
  payload: JsonObject
}

export interface ConfigOutcome<Answer> {
  answer: Answer
  /** Absent if nothing has changed; then no event is recorded. */
  entry?: ConfigEntry
  /** The events before `entry`, if one change is recorded as several. */
  earlier?: readonly ConfigEntry[]
  /** True if the change governs proposals, since they must then be decided under a new version. */
  governs?: boolean
  policy_revision?: number
  catalog_revision?: number
}

export type ConfigWork<Answer> = (query: Query, tenant: LockedTenant) => Promise<ConfigOutcome<Answer>>

/**
 * Changes a tenant's configuration under the tenant's lock and commits the change with the event of its
 * configuration stream, or neither. Throws `tenant_not_found`.
 */
export async function changeConfig<Answer>(
  context: Context,
  tenantId: string,
  author: Author,
  work: ConfigWork<Answer>,
): Promise<Answer> {
  return context.store.change([tenantId], query => changeConfigIn(query, tenantId, author, work))
}

/**
 * Changes the configuration in a transaction that already holds the credentials the work ends, because locks on
 * credentials come before the lock on the tenant.
 */
export async function changeConfigIn<Answer>(
  query: Query,
  tenantId: string,
  author: Author,
  work: ConfigWork<Answer>,
): Promise<Answer> {
  const tenant = await lockTenant(query, tenantId)
  if (!tenant) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return recordConfig(query, tenant, author, await work(query, tenant))
}

/** Appends the entries of a change in the transaction that holds the tenant's lock. */
export async function recordConfig<Answer>(
  query: Query,
  tenant: LockedTenant,
  author: Author,
  outcome: ConfigOutcome<Answer>,
): Promise<Answer> {
  const { answer, entry, earlier = [], governs = false, ...revisions } = outcome
  if (!entry) return answer
  const principal = principalOf(author)
  const events = sealStream({
    tenantId: tenant.tenant_id,
    stream: 'config',
    at: tenant.at,
    count: tenant.config_event_count,
    lastLeaf: tenant.config_last_leaf,
    entries: [...earlier, entry].map(({ kind, payload }) => ({
      kind,
      payload: { ...payload, ...identityOf(author) },
      principal,
      salt: random32(),
    })),
  })
  const { policy_revision, catalog_revision } = revisions
  await applyConfigChange(query, {
    tenant_id: tenant.tenant_id,
    governs,
    events,
    ...(policy_revision === undefined ? {} : { policy_revision }),
    ...(catalog_revision === undefined ? {} : { catalog_revision }),
  })
  return answer
}

export function principalOf(author: Author): Principal {
  if ('key_id' in author) return { id: author.key_id, kind: author.scope }
  if ('account_id' in author) return { id: author.account_id, kind: author.scope }
  if ('operator_id' in author) return { id: author.operator_id, kind: author.scope }
  return { id: author.source, kind: 'system' }
}

export function identityOf(author: Author): { identity?: SessionIdentity } {
  return 'operator_id' in author ? { identity: author.identity } : {}
}
