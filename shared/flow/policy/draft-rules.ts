import { ServiceError } from '../../contract/base/errors.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { compileRules, type Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { type DraftDocuments, readDrafts } from '../core/policy-document.ts'

/** The rules of a tenant with drafts in place of what is in force. */
export async function draftRules(
  context: Context,
  tenantId: string,
  documents: DraftDocuments,
): Promise<Rules> {
  const drafts = await readDrafts(context, documents)
  const record = await context.store.look([tenantId], query => readActiveDocuments(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return compileRules(record, context.config.strict, drafts)
}
