import type { Regression } from '../../contract/action/verdict.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { PolicyTemplate } from '../../contract/configuration/getting-started.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { Author, PolicyState } from '../../contract/configuration/tenant.ts'
import { policyTemplates } from '../../gate/templates.ts'
import type { Query } from '../../store/postgres/open.ts'
import { readCatalogRevision } from '../../store/tenant/catalog-revisions.ts'
import {
  insertPolicyRevision,
  listPolicyRevisions,
  policyRevisionSizes,
  readPolicyRevision,
  type StoredRevision,
} from '../../store/tenant/policy-revisions.ts'
import { type LockedTenant, tenantExists } from '../../store/tenant/tenant-rows.ts'
import type { ConfigOutcome } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { pageByBytes } from '../core/page.ts'
import { unwrap, type ValidDocument, validatePolicy } from '../core/policy-document.ts'
import { changeProved, requireRoom } from './change-proved.ts'

export function listPolicyTemplates(): { templates: PolicyTemplate[] } {
  return { templates: [...policyTemplates] }
}

export async function readPolicy(context: Context, tenantId: string): Promise<PolicyState> {
  const stored = await context.store.look([tenantId], query => readPolicyRevision(query, tenantId, 'current'))
  if (!stored) throw noTenant(tenantId)
  return policyState(stored)
}

export async function listRevisions(
  context: Context,
  tenantId: string,
  page: { limit: number; cursor: number | undefined },
): Promise<{ revisions: PolicyState[]; next_cursor: string | null }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId))) throw noTenant(tenantId)
    const before = page.cursor ?? null
    const { rows, last } = await pageByBytes(
      {
        sizes: limit => policyRevisionSizes(query, tenantId, { limit, before }),
        rows: limit => listPolicyRevisions(query, tenantId, { limit, before }),
      },
      page.limit,
    )
    return { revisions: rows.map(policyState), next_cursor: last && String(last.revision) }
  })
}

export interface PolicyReplacement {
  tenant_id: string
  /** The body, wrapped as `{policy, change_note?}` or bare (specification.md#endpoints). */
  body: Record<string, unknown>
  author: Author
  expected: number | null
}

interface Proved {
  regressions: Regression[]
}

export async function replacePolicy(
  context: Context,
  replacement: PolicyReplacement,
): Promise<PolicyState & Proved & { warnings: Issue[] }> {
  const { body, author, expected, ...where } = replacement
  const { document, prefix, note } = unwrap(body, 'policy')
  const valid = await validatePolicy(context, document, prefix)
  const revision = { ...where, author, drafts: { policy: valid } }
  const { answer, regressions } = await changeProved(context, revision, async (query, tenant) => {
    if (expected !== null && expected !== tenant.policy_revision) {
      throw new ServiceError(
        'revision_mismatch',
        `the current revision is ${tenant.policy_revision}, not ${expected}`,
      )
    }
    return revisePolicy(context, query, tenant, { valid, author, note })
  })
  return { ...policyState(answer), warnings: valid.warnings, regressions }
}

export interface Rollback {
  tenant_id: string
  revision: number
  author: Author
  note: string | null
}

export async function rollbackPolicy(context: Context, rollback: Rollback): Promise<PolicyState & Proved> {
  const { revision, author, note, ...where } = rollback
  const valid = await readOld(context, rollback)
  const drafts = { policy: valid }
  const { answer, regressions } = await changeProved(
    context,
    { ...where, author, drafts },
    async (query, tenant) =>
      revisePolicy(context, query, tenant, {
        valid,
        author,
        note: note ?? `content of revision ${revision}`,
      }),
  )
  return { ...policyState(answer), regressions }
}

async function readOld(context: Context, { tenant_id, revision }: Rollback): Promise<ValidDocument<Policy>> {
  const text = await context.store.look([tenant_id], async query => {
    if (!(await tenantExists(query, tenant_id))) throw noTenant(tenant_id)
    const old = await readPolicyRevision(query, tenant_id, revision)
    if (!old) throw new ServiceError('revision_not_found', `the policy has no revision ${revision}`)
    return old.policy
  })
  return validatePolicy(context, JSON.parse(text))
}

export interface RevisingPolicy {
  valid: ValidDocument<Policy>
  author: Author
  note: string | null
}

/**
 * Creates the next revision under the tenant's lock, so that numbers have no gaps; the policy in force is not
 * repeated.
 */
export async function revisePolicy(
  context: Context,
  query: Query,
  tenant: LockedTenant,
  { valid, author, note }: RevisingPolicy,
): Promise<ConfigOutcome<StoredRevision>> {
  const { tenant_id, policy_revision, catalog_revision } = tenant
  const inForce = await readPolicyRevision(query, tenant_id, 'current')
  if (inForce?.policy_hash === valid.hash) return { answer: inForce }
  await requireRoom(context, query, { tenant_id, text: valid.text })
  const catalog =
    catalog_revision === null ? null : await readCatalogRevision(query, tenant_id, catalog_revision)
  const revision = policy_revision + 1
  const catalog_hash = catalog?.catalog_hash ?? null
  const answer = await insertPolicyRevision(query, {
    tenant_id,
    revision,
    policy: valid.text,
    policy_hash: valid.hash,
    catalog_hash,
    author,
    change_note: note,
  })
  const payload = { revision, policy_hash: valid.hash, catalog_hash, change_note: note }
  return { answer, entry: { kind: 'policy_revision', payload }, governs: true, policy_revision: revision }
}

function policyState(stored: StoredRevision): PolicyState {
  return {
    policy: JSON.parse(stored.policy) as Policy,
    revision: stored.revision,
    policy_hash: stored.policy_hash,
    catalog_hash: stored.catalog_hash,
    created_at: stored.created_at.toISOString(),
    author: stored.author,
    change_note: stored.change_note,
  }
}

function noTenant(tenantId: string): ServiceError {
  return new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
}
