import { ServiceError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import { readGoverning } from '../store/governing.ts'
import { compileRules, type Drafts, type Rules } from './compile-rules.ts'
import type { Context } from './context.ts'
import { validateCatalog, validatePolicy } from './policy-document.ts'

/** Documents as they were sent; the current ones are used where none is. */
export interface DraftDocuments {
  policy?: JsonObject | undefined
  catalog?: JsonObject | undefined
}

/** The rules of a tenant with drafts in place of what is in force. */
export async function draftRules(
  context: Context,
  tenantId: string,
  documents: DraftDocuments,
): Promise<Rules> {
  const drafts: Drafts = {
    ...(documents.policy ? { policy: validatePolicy(documents.policy, 'policy') } : {}),
    ...(documents.catalog ? { catalog: validateCatalog(documents.catalog, 'catalog') } : {}),
  }
  const record = await context.store.look([tenantId], query => readGoverning(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return compileRules(record, context.config.strict, drafts)
}
