import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { CheckedProposal } from '../../contract/configuration/policy-check.ts'
import type { PolicyDiff } from '../../contract/configuration/policy-diff.ts'
import type { GateMode } from '../../contract/configuration/verification-schema.ts'
import { evaluate } from '../../gate/evaluate.ts'
import { applyFreezes } from '../../gate/freeze.ts'
import { diffPolicies } from '../../policy-analysis/diff/diff-policies.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { compileRules, type Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { type DraftDocuments, readDrafts } from '../core/policy-document.ts'
import { gateMode, proofSubject } from './run-proof.ts'

/** Decides a proposal without recording anything (specification.md#endpoints, policy/check). */
export async function checkPolicy(
  context: Context,
  tenantId: string,
  request: DraftDocuments & { proposal: Proposal },
): Promise<CheckedProposal> {
  const rules = await draftRules(context, tenantId, request)
  const { target_system: system, operation } = request.proposal.action
  const evaluation = evaluate(request.proposal, rules.compiled)
  const { review_route, ...decided } = applyFreezes(evaluation, rules.freezes, {
    system,
    operation,
    key_id: null,
  })
  return {
    proposal_id: request.proposal.proposal_id,
    ...decided,
    ...(review_route === null ? {} : { review_route }),
  }
}

export interface DiffRequest {
  policy?: JsonObject | undefined
  catalog?: JsonObject | undefined
  mode?: GateMode | undefined
}

/**
 * Compares the drafts' decisions with those in force, without recording anything
 * (specification.md#verification-of-policies).
 */
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
