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

/** An event of a tenant's configuration. */
export interface ConfigEntry {
  kind: ConfigEventKind
  payload: JsonObject
}

/** What a change of configuration records, and what it answers; without an entry nothing was changed. */
export interface ConfigOutcome<Answer> {
  answer: Answer
  entry?: ConfigEntry
  /** Where one change is recorded as several events: those before the last. */
  earlier?: readonly ConfigEntry[]
  /** Whether it governs proposals: their decisions are then made under the new version. */
  governs?: boolean
  policy_revision?: number
  catalog_revision?: number
}

export type ConfigWork<Answer> = (query: Query, tenant: LockedTenant) => Promise<ConfigOutcome<Answer>>

/**
 * The one way to change a tenant's configuration: lock the tenant, work, append the event to its configuration stream,
 * and commit both together or neither. Throws `tenant_not_found`.
 */
export async function changeConfig<Answer>(
  context: Context,
  tenantId: string,
  author: Author,
  work: ConfigWork<Answer>,
): Promise<Answer> {
  return context.store.change([tenantId], query => changeConfigIn(query, tenantId, author, work))
}

/** The same in a transaction that has locked what comes before the tenant: the credentials that the work ends. */
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

/** Append what a piece of work came to, in the transaction that holds the tenant locked. */
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

/** The author of a change as its event names them. */
export function principalOf(author: Author): Principal {
  if ('key_id' in author) return { id: author.key_id, kind: author.scope }
  if ('account_id' in author) return { id: author.account_id, kind: author.scope }
  if ('operator_id' in author) return { id: author.operator_id, kind: author.scope }
  return { id: author.source, kind: 'system' }
}

/** Who an operator is at their issuer, for the payload of what they did; nothing where a key or somebody else did it. */
export function identityOf(author: Author): { identity?: SessionIdentity } {
  return 'operator_id' in author ? { identity: author.identity } : {}
}
