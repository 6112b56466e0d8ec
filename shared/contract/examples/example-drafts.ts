import type { CheckedProposal, ReplayReport } from '../configuration/policy-check.ts'
import { draftPolicy, draftPolicyHash, mediumRefund } from './example-policy.ts'
import { heldVerdict, recordedVerdict } from './example-verdicts.ts'

const message = 'effective risk medium is below the approval threshold high'
const flip = {
  recorded: 'needs_approval',
  draft: 'allow',
  check: 'approval_threshold',
  path: 'risk.level',
  message,
} as const
const { effective_risk, checks } = recordedVerdict

export const exampleCheck = { proposal: mediumRefund, policy: draftPolicy }
export const checkedRefund: CheckedProposal = {
  proposal_id: 'refund-1002',
  decision: 'allow',
  blocking_reasons: [],
  effective_risk,
  policy: { revision: 2, hash: draftPolicyHash },
  catalog: null,
  checks: [
    ...checks.slice(0, -1),
    { check: 'approval_threshold', outcome: 'pass', code: null, message, path: 'risk.level' },
  ],
}

export const exampleReplay = { policy: draftPolicy, limit: 100 }
export const exampleReport: ReplayReport = {
  replayed: 5,
  transitions: {
    allow: { allow: 2, needs_approval: 0, deny: 0 },
    needs_approval: { allow: 2, needs_approval: 0, deny: 0 },
    deny: { allow: 0, needs_approval: 0, deny: 1 },
  },
  flips: [
    { action_id: 'act_01m7xt54rqkekmzk83p3wjhdq1zr5k7mjv5e', proposal_id: 'refund-1005', ...flip },
    { action_id: heldVerdict.action_id, proposal_id: 'refund-1002', ...flip },
  ],
  flips_omitted: 0,
  not_replayed: [],
}
