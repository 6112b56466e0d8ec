import type { DecisionBatch, DecisionResults } from '../action/decision-schema.ts'
import { exampleHeldAction, exampleTrace } from './example-trace.ts'

const { action_id, verdict } = exampleHeldAction
const { approval } = exampleTrace
const otherId = 'act_01m7xt54rqkekmzk83p3wjhdq1zr5k7mjv5e'

export const exampleBatch: DecisionBatch = {
  decisions: [
    {
      action_id,
      decision: 'approve',
      proposal_hash: verdict.proposal_hash,
      request_hash: verdict.request_hash ?? null,
    },
    {
      action_id: otherId,
      decision: 'reject',
      proposal_hash: verdict.proposal_hash,
      request_hash: null,
      note: 'the customer withdrew the claim',
    },
  ],
  note: 'refunds of the morning',
}

export const exampleResults: DecisionResults = {
  applied: 1,
  results: [
    { action_id, applied: true, action_status: 'execution_pending' },
    {
      action_id: otherId,
      applied: false,
      action_status: 'executed',
      code: 'action_not_approvable',
      detail: 'the action is executed: approved by support lead at 2026-11-21T01:04:58.075Z',
      ...(approval ? { decided: approval } : {}),
    },
  ],
}
