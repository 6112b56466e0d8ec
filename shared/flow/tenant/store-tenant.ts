import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { policyTemplates } from '../../gate/templates.ts'
import type { Query } from '../../store/postgres/open.ts'
import { replaceActuators } from '../../store/tenant/active-documents.ts'
import { insertCatalogRevision } from '../../store/tenant/catalog-revisions.ts'
import { insertPolicyRevision } from '../../store/tenant/policy-revisions.ts'
import { insertTenant, lockTenant } from '../../store/tenant/tenant-rows.ts'
import { type ConfigOutcome, recordConfig } from '../core/change-config.ts'
import type { ActiveDocuments } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { type ValidDocument, validateCatalog, validatePolicy } from '../core/policy-document.ts'
import { type IssuedKey, insertNewKey } from './issue-key.ts'

export interface NewTenant {
  tenant_id: string
  author: Author
  policy: unknown
  catalog?: unknown
  actuators: readonly RegisteredActuator[]
  /** Milliseconds for which an action may be held; by default that of the settings. */
  approval_ttl_ms?: number
  /** Milliseconds for which an action without effect is retried; by default that of the settings. */
  execute_within_ms?: number
  verification_gate?: boolean
}

/** Stores a tenant with its first revisions and events; returns its policy, or null if the id is taken. */
export async function storeTenant(context: Context, tenant: NewTenant): Promise<Policy | null> {
  const prepared = await prepareTenant(context, tenant)
  return context.store.change([tenant.tenant_id], query => insertPrepared(query, prepared))
}

export interface PreparedTenant {
  tenant_id: string
  author: Author
  policy: ValidDocument<Policy>
  catalog: ValidDocument<unknown> | null
  actuators: readonly RegisteredActuator[]
  approval_ttl_ms: number
  execute_within_ms: number | null
  verification_gate: boolean
}

export async function prepareTenant(context: Context, tenant: NewTenant): Promise<PreparedTenant> {
  return {
    tenant_id: tenant.tenant_id,
    author: tenant.author,
    policy: await validatePolicy(context, tenant.policy, 'policy'),
    catalog: tenant.catalog === undefined ? null : await validateCatalog(context, tenant.catalog, 'catalog'),
    actuators: [...new Map(tenant.actuators.map(actuator => [actuator.name, actuator])).values()],
    approval_ttl_ms: tenant.approval_ttl_ms ?? context.config.approval_ttl_ms,
    execute_within_ms: tenant.execute_within_ms ?? null,
    verification_gate: tenant.verification_gate ?? false,
  }
}

/** Inserts a tenant in a transaction of its scope; returns its policy, or null if the id is taken. */
export async function insertPrepared(query: Query, tenant: PreparedTenant): Promise<Policy | null> {
  const { tenant_id, author, policy, catalog, actuators } = tenant
  if (!(await insertTenant(query, rowOf(tenant)))) return null
  const revision = { tenant_id, revision: 1, author, change_note: null }
  const catalog_hash = catalog?.hash ?? null
  await insertPolicyRevision(query, {
    ...revision,
    policy: policy.text,
    policy_hash: policy.hash,
    catalog_hash,
  })
  if (catalog) {
    await insertCatalogRevision(query, { ...revision, catalog: catalog.text, catalog_hash: catalog.hash })
  }
  await replaceActuators(query, tenant_id, actuators)
  for (const outcome of firstEvents(policy, catalog, actuators)) {
    const locked = await lockTenant(query, tenant_id)
    if (locked) await recordConfig(query, locked, author, outcome)
  }
  return policy.document
}

/** Inserts a tenant with its first agent key in a transaction of its scope; null if the id is taken. */
export async function insertWithKey(
  context: Context,
  query: Query,
  tenant: PreparedTenant,
  name = 'first agent key',
): Promise<({ policy: Policy } & IssuedKey) | null> {
  const { tenant_id, author } = tenant
  const policy = await insertPrepared(query, tenant)
  if (!policy) return null
  const locked = await lockTenant(query, tenant_id)
  if (!locked) throw new Error('the tenant was not stored')
  const key = { name, scope: 'agent' as const, tenant_id, expires_at: null }
  const issued = await insertNewKey(context, query, key, author)
  const { api_key, key: metadata } = await recordConfig(query, locked, author, issued)
  return { policy, api_key, key: metadata }
}

export function compiledPolicyOf({ policy, catalog, ...tenant }: PreparedTenant): ActiveDocuments {
  return {
    version: 1,
    approval_ttl_ms: tenant.approval_ttl_ms,
    execute_within_ms: tenant.execute_within_ms,
    policy: { policy: policy.text, policy_hash: policy.hash, revision: 1 },
    catalog: catalog && { catalog: catalog.text, catalog_hash: catalog.hash, revision: 1 },
    actuators: [...tenant.actuators],
    freezes: [],
    pauses: [],
    grants: [],
    routes: [],
    groups: [],
  }
}

const rowOf = ({ tenant_id, approval_ttl_ms, execute_within_ms, verification_gate }: PreparedTenant) => ({
  tenant_id,
  approval_ttl_ms,
  execute_within_ms,
  verification_gate,
})

function firstEvents(
  policy: ValidDocument<Policy>,
  catalog: ValidDocument<unknown> | null,
  actuators: readonly RegisteredActuator[],
): ConfigOutcome<null>[] {
  const first = { revision: 1, change_note: null }
  const catalog_hash = catalog?.hash ?? null
  const registered = { actuators: actuators as unknown as JsonValue }
  return [
    {
      answer: null,
      entry: { kind: 'policy_revision', payload: { ...first, policy_hash: policy.hash, catalog_hash } },
    },
    ...(catalog
      ? [
          {
            answer: null,
            entry: { kind: 'catalog_revision' as const, payload: { ...first, catalog_hash } },
            catalog_revision: 1,
          },
        ]
      : []),
    { answer: null, entry: { kind: 'actuators_revision', payload: registered } },
  ]
}

export function templateSource(name: string): Pick<NewTenant, 'policy' | 'actuators'> {
  const found = policyTemplates.find(template => template.name === name)
  if (!found) {
    const known = policyTemplates.map(template => template.name).join(', ')
    const issue = { path: 'template', code: 'unknown_template', message: `is not one of ${known}` }
    throw new ServiceError('validation_failed', 'the template is not known', [issue])
  }
  return { policy: found.policy, actuators: mocks(found.mock_actuators) }
}

export function mocks(names: readonly string[] = []): RegisteredActuator[] {
  return names.map(name => ({ name, kind: 'mock', settings: {} }))
}
