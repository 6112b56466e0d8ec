import type { RecordedVerdict } from '../action/action.ts'
import type { Check, KeyPrincipal, Verdict } from '../action/verdict.ts'
import { examplePolicyHash } from './example-policy.ts'

export const exampleAgent: KeyPrincipal = {
  key_id: 'agk_mk7l2cixren6w72w',
  name: 'support agent',
  scope: 'agent',
  tenant_id: 'web-shop',
}

const opening = [
  check('system_allowed', 'action.target_system', 'the system is allowed'),
  check('operation_allowed', 'action.operation', 'the operation is allowed'),
  check('actuator_registered', 'action.target_system', 'an actuator is registered for the system'),
  skipped('catalog_entry', 'action.operation'),
  skipped('parameters_schema', 'action.parameters'),
  skipped('actuator_binding', 'action.target_system'),
  skipped('tool_schema_commitment', 'action.operation'),
  check('parameter_present', 'action.parameters.amount', 'amount is present'),
  check('parameter_is_number', 'action.parameters.amount', 'amount is a number'),
]
const withinBound = check('parameter_max', 'action.parameters.amount', 'amount is at most 50')
const active = { policy: { revision: 1, hash: examplePolicyHash }, catalog: null }
const mediumRisk = { level: 'medium', claimed: 'medium', raised_by: null } as const
const lowRisk = { level: 'low', claimed: 'low', raised_by: null } as const
const belowThreshold = check(
  'approval_threshold',
  'risk.level',
  'effective risk low is below the approval threshold medium',
)

export const executedVerdict: Verdict = {
  action_id: 'act_01m7xt54hg6ctfhapyv9xnfrgk26zevg4hfh',
  proposal_id: 'refund-1001',
  action_status: 'executed',
  decision: 'allow',
  blocking_reasons: [],
  effective_risk: lowRisk,
  ...active,
  checks: [...opening, withinBound, belowThreshold],
  principal: exampleAgent,
  audit: reference(
    'act_01m7xt54hg6ctfhapyv9xnfrgk26zevg4hfh',
    'sha256:22d3224cf55765001e4ba7e3608c647e5f717759b6164e0d4e698d10c1ddbd39',
    4,
  ),
  result: { ok: true, detail: { executed: 'refund', target: 'payments', dry_run: true } },
  outcome: {
    status: 'executed',
    code: 'executed',
    message: 'the actuator reported success',
    by: { id: 'wrk_2myexwxmndb32wyr', kind: 'worker', name: null },
    try_again: false,
  },
}

export const pendingVerdict: Verdict = {
  action_id: 'act_01m7xt54na42nd0yw5gjzcrmmhrahvgxvemb',
  proposal_id: 'refund-1004',
  action_status: 'execution_pending',
  decision: 'allow',
  blocking_reasons: [],
  effective_risk: lowRisk,
  ...active,
  checks: [...opening, withinBound, belowThreshold],
  polling_url: '/v1/actions/act_01m7xt54na42nd0yw5gjzcrmmhrahvgxvemb',
  principal: exampleAgent,
  audit: reference(
    'act_01m7xt54na42nd0yw5gjzcrmmhrahvgxvemb',
    'sha256:28ab12011dc2f66b13a20824815394fba1cc0653f95f2e18d8e7c40769541338',
    2,
  ),
}

export const deniedVerdict: Verdict = {
  action_id: 'act_01m7xt54pbm84hk8ma268x8xzvgmm305ey0a',
  proposal_id: 'refund-1003',
  action_status: 'denied',
  decision: 'deny',
  blocking_reasons: ['parameter_above_max: amount must be at most 50'],
  effective_risk: lowRisk,
  ...active,
  checks: [
    ...opening,
    { ...withinBound, outcome: 'fail', code: 'parameter_above_max', message: 'amount must be at most 50' },
    {
      check: 'approval_threshold',
      outcome: 'pass',
      code: null,
      message: 'effective risk low is below the approval threshold medium',
      path: 'risk.level',
    },
  ],
  principal: exampleAgent,
  audit: reference(
    'act_01m7xt54pbm84hk8ma268x8xzvgmm305ey0a',
    'sha256:6bc56dc1b834da4b2cd88a204e98ba79d9d4e6fba452bae2f5d52a4be823ba55',
    2,
  ),
  outcome: {
    status: 'denied',
    code: 'parameter_above_max',
    message: 'parameter_above_max: amount must be at most 50',
    by: { id: 'gate', kind: 'gate', name: null },
    try_again: false,
  },
}

export const recordedVerdict: RecordedVerdict = {
  decision: 'needs_approval',
  review_route: 'support-leads',
  blocking_reasons: [],
  effective_risk: mediumRisk,
  ...active,
  checks: [
    ...opening,
    withinBound,
    {
      check: 'approval_threshold',
      outcome: 'pass',
      code: 'approval_required',
      message: 'effective risk medium is at or above the approval threshold medium',
      path: 'risk.level',
    },
  ],
  principal: exampleAgent,
  proposal_hash: 'sha256:37cddeb1d37b4e2ae3edded6aa3738f03d8dd57632932ed7237e6ca888e88994',
  actuator: { name: 'payments', kind: 'mock' },
}

const { proposal_hash: _hash, actuator: _actuator, review_route: _route, ...heldEvaluation } = recordedVerdict

export const heldVerdict: Verdict = {
  action_id: 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
  proposal_id: 'refund-1002',
  action_status: 'pending_approval',
  ...heldEvaluation,
  review_route: 'support-leads',
  audit: reference(
    'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
    'sha256:fb96c7cbfa090fb4275d9d0d85e605f93bca2e0ee204b19b77cfd973f194c567',
    2,
  ),
}

function check(name: string, path: string, message: string): Check {
  return { check: name, outcome: 'pass', code: null, message, path }
}

function skipped(name: string, path: string): Check {
  return { check: name, outcome: 'skipped', code: null, message: 'no active catalog', path }
}

function reference(id: string, root: string, count: number): Verdict['audit'] {
  return { root, event_count: count, url: `/v1/actions/${id}/audit-export` }
}
