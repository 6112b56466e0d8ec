import { type Issue, ServiceError } from '../contract/errors.ts'
import { issuesOf } from '../contract/issues.ts'
import type { Policy } from '../contract/policy.ts'
import type { PolicyTemplate } from '../contract/policy-template.ts'
import { type Author, type PolicyState, policyChangeSchema } from '../contract/tenant.ts'
import { policyTemplates } from '../gate/templates.ts'
import { readPolicy as readStored, revisePolicy, type StoredRevision } from '../store/tenants.ts'
import type { Context } from './context.ts'
import { newRevision, validatePolicy } from './policy-document.ts'

/** The built-in starter policies. */
export function listPolicyTemplates(): { templates: PolicyTemplate[] } {
  return { templates: [...policyTemplates] }
}

/** The policy in force. */
export async function readPolicy(context: Context, tenantId: string): Promise<PolicyState> {
  const stored = await readStored(context.store.reader, tenantId)
  if (!stored) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return policyState(stored)
}

export interface PolicyReplacement {
  tenant_id: string
  /** Wrapped as `{policy, change_note?}` or bare (specification section 4). */
  body: Record<string, unknown>
  author: Author
  /** Revision the caller read (`If-Match`), or null. */
  expected: number | null
}

/** Make the next revision; an identical policy makes none. Applies to future proposals only. */
export async function replacePolicy(
  context: Context,
  replacement: PolicyReplacement,
): Promise<PolicyState & { warnings: Issue[] }> {
  const { tenant_id, body, author, expected } = replacement
  const { document, prefix, note } = readChange(body)
  const valid = validatePolicy(document, prefix)
  const change = await revisePolicy(
    context.store.writer,
    tenant_id,
    newRevision(valid, author, note),
    expected,
  )
  if (change.outcome === 'no_tenant') throw new ServiceError('tenant_not_found', `no tenant ${tenant_id}`)
  if (change.outcome === 'mismatch') {
    throw new ServiceError('revision_mismatch', `the current revision is ${change.current}, not ${expected}`)
  }
  return { ...policyState(change.revision), warnings: valid.warnings }
}

/** A bare policy has no member named `policy`: what has one is a change and nothing else. */
function readChange(body: Record<string, unknown>): {
  document: unknown
  prefix: string
  note: string | null
} {
  if (!Object.hasOwn(body, 'policy')) return { document: body, prefix: '', note: null }
  const read = policyChangeSchema.safeParse(body)
  if (!read.success) {
    throw new ServiceError('validation_failed', 'the change is not valid', issuesOf(read.error))
  }
  return { document: read.data.policy, prefix: 'policy', note: read.data.change_note ?? null }
}

function policyState(stored: StoredRevision): PolicyState {
  return {
    policy: JSON.parse(stored.policy) as Policy,
    revision: stored.revision,
    policy_hash: stored.policy_hash,
    created_at: stored.created_at.toISOString(),
    author: stored.author,
    change_note: stored.change_note,
  }
}
