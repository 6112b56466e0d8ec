import type { Proposal } from '../../contract/action/proposal.ts'
import type { CheckedProposal } from '../../contract/configuration/policy-check.ts'
import { evaluate } from '../../gate/evaluate.ts'
import { applyFreezes } from '../../gate/freeze.ts'
import type { Context } from '../core/context.ts'
import type { DraftDocuments } from '../core/policy-document.ts'
import { draftRules } from './draft-rules.ts'

/** Decide a proposal without recording anything (specification.md#endpoints, policy/check). */
export async function checkPolicy(
  context: Context,
  tenantId: string,
  request: DraftDocuments & { proposal: Proposal },
): Promise<CheckedProposal> {
  const rules = await draftRules(context, tenantId, request)
  const { target_system: system, operation } = request.proposal.action
  const evaluation = evaluate(request.proposal, rules.governing)
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
