import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { PolicyDiff } from '../../contract/configuration/policy-diff.ts'
import type { GateMode } from '../../contract/configuration/verification.ts'
import { diffPolicies } from '../../policy-analysis/diff/diff-policies.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import type { Context } from '../core/context.ts'
import { readDrafts } from '../core/policy-document.ts'
import { gateMode, proofSubject } from './proof-subject.ts'

export interface DiffRequest {
  policy?: JsonObject | undefined
  catalog?: JsonObject | undefined
  mode?: GateMode | undefined
}

/** What drafts newly allow, hold and deny against what is in force; records nothing (specification.md#verification-of-policies). */
export async function diffPolicy(
  context: Context,
  tenantId: string,
  request: DiffRequest,
): Promise<PolicyDiff> {
  const drafts = await readDrafts(context, request)
  const record = await context.store.look([tenantId], query => readActiveDocuments(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  const mode = request.mode ?? gateMode(context)
  const comparison = {
    from: proofSubject(record, mode, {}),
    to: proofSubject(record, mode, drafts),
    mode,
    bodyLimit: context.config.body_limit,
  }
  return context.prove(diffPolicies(comparison))
}
