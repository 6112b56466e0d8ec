import type { Regression } from '../action/verdict.ts'
import type { AdmissionReport, AdmissionRequest } from '../configuration/admission.ts'
import type { AccessChange, PolicyDiff } from '../configuration/policy-diff.ts'
import type {
  BoundReport,
  OutcomeAnswer,
  Verification,
  VerificationReport,
  VerificationRequest,
} from '../configuration/verification-schema.ts'
import { exampleOperator } from './example-changes.ts'
import { examplePolicy, examplePolicyHash } from './example-policy.ts'

export const exampleVerificationRequest: VerificationRequest = {
  forbidden: [
    {
      name: 'large refund without a person',
      decision: 'allow',
      operation: 'refund',
      where: { amount: { min: 500 } },
    },
  ],
}
export const exampleDraftVerification = { policy: examplePolicy, ...exampleVerificationRequest }

const assumptions = [
  'every field of a proposal is in the hands of the caller, its claim of risk included',
  'the actuator that the catalog names is registered for every system, with the tool schema that it commits to',
  'nothing is said of approvals that people give, of what actuators do, of sequences and rates of actions, of the scopes of keys, or of credentials that bypass the gate',
]

const bounds = {
  forbidden: 100,
  operations: 5_000,
  paths: 256,
  constants: 1_000,
  depth: 16,
  branches: 64,
  steps: 2_000_000,
  hit: null,
}

export const exampleOutcome: OutcomeAnswer = {
  name: 'large refund without a person',
  expected: 'unreachable',
  result: 'unreachable',
  why: 'proved for every operation: 1 × no value of amount does; 1 × the system is not allowed',
}

const hashes = { policy_hash: examplePolicyHash, catalog_hash: null }

export const exampleVerification: Verification = {
  engine: { name: 'action-gate', version: '0.1.0' },
  subject: { kind: 'draft', policy_revision: null, catalog_revision: null, ...hashes, mode: 'basic' },
  ...hashes,
  query_hash: 'sha256:584d547cc36c69d8c7ab00858b9288d48e677bad185f341aa597acd06e35c022',
  bounds,
  assumptions,
  explored: { systems: 2, operations: 2, paths: 1, classes: 0, replays: 0 },
  outcomes: [exampleOutcome],
  warnings: [],
  result: 'verified',
}

export const exampleVerificationReport: VerificationReport = {
  ...exampleVerification,
  tenant_id: 'web-shop',
  report_id: 'vrp_e627cj7wd3sne4as',
  created_at: '2026-11-21T10:44:12.399Z',
  author: exampleOperator,
  subject: { kind: 'live', policy_revision: 1, catalog_revision: null, ...hashes, mode: 'basic' },
  report_hash: 'sha256:1a6a3cc1f49a9122961bd0d85bae5cccb83b2b5314303df0f702a8113217fd5c',
  signature: {
    payload: 'eyJhc3N1bXB0aW9ucyI6W10=',
    payloadType: 'application/vnd.action-gate.verification-report.v1+json',
    signatures: [
      {
        keyid: 'action-gate+f19c788c',
        sig: '5GhnXOK/dF1SV1goszJ8Y6yXJ//ge2GlSl51iHbZM/+1+ERbulAd/f8B+iJPicg4Sz1y94rBk4YTByDLxj+3Bg==',
      },
    ],
  },
}

export const exampleBoundReport: BoundReport = {
  ...exampleVerificationReport,
  live: true,
  live_policy_binding: { status: 'current' },
}

export const exampleDiffRequest = {
  policy: { ...examplePolicy, parameter_constraints: { payments: { refund: { amount: { max: 900 } } } } },
}
export const exampleDiff: PolicyDiff = {
  result: 'different',
  new_access: {
    deny_to_needs_approval: {
      result: 'some',
      total: 1,
      changes: [largerRefund('needs_approval', 'medium')],
    },
    deny_to_allow: {
      result: 'some',
      total: 1,
      changes: [largerRefund('allow', 'low')],
    },
    needs_approval_to_allow: {
      result: 'none',
      total: 0,
      changes: [],
    },
  },
  lost_access: {
    needs_approval_to_deny: {
      result: 'none',
      total: 0,
      changes: [],
    },
    allow_to_deny: {
      result: 'none',
      total: 0,
      changes: [],
    },
    allow_to_needs_approval: {
      result: 'none',
      total: 0,
      changes: [],
    },
  },
  explored: {
    systems: 2,
    operations: 3,
    paths: 4,
    classes: 23,
    replays: 8,
  },
  bounds: { ...bounds },
  assumptions: [...assumptions],
}

export const exampleRegression: Regression = {
  report_id: 'vrp_e627cj7wd3sne4as',
  name: 'large refund without a person',
  expected: 'unreachable',
  result: 'reachable',
  why: 'the gate decides allow on the witness',
  witness: {
    proposal_id: 'witness-1',
    actor: {
      agent_id: 'any-agent',
    },
    summary: 'Witness: large refund without a person',
    action: {
      target_system: 'payments',
      operation: 'refund',
      parameters: {
        amount: 501,
      },
    },
    risk: {
      level: 'low',
    },
  },
}

function largerRefund(after: AccessChange['after'], level: 'low' | 'medium'): AccessChange {
  return {
    system: 'payments',
    operation: 'refund',
    unnamed: false,
    before: 'deny',
    after,
    everything: false,
    decided_before: ['policy.parameter_constraints.payments.refund.amount'],
    decided_after: [
      'policy.allowed_systems',
      'policy.allowed_operations.payments',
      'policy.parameter_constraints.payments.refund.amount',
      'policy.approval_required_at (medium)',
    ],
    witness: {
      proposal_id: 'witness-1',
      actor: { agent_id: 'any-agent' },
      summary: 'Witness of a policy difference',
      action: { target_system: 'payments', operation: 'refund', parameters: { amount: 51 } },
      risk: { level },
    },
  }
}

export const exampleAdmissionRequest: AdmissionRequest = { mode: 'strict' }

export const exampleAdmission: AdmissionReport = {
  admitted: false,
  holes: [
    {
      code: 'ACT-2',
      severity: 'blocking',
      system: 'payments',
      operation: null,
      path: 'actuators.payments',
      message: 'what is allowed is only played by a mock',
      fix: 'register the real actuator in its place',
    },
    {
      code: 'COV-4',
      severity: 'warning',
      system: null,
      operation: null,
      path: 'policy.approval_required_at',
      message: 'no allowed operation has a minimum risk of medium: only what a caller calls so is held',
      fix: 'lower approval_required_at, or raise minimum_risk of the operations that a person should decide',
    },
    {
      code: 'SCH-3',
      severity: 'warning',
      system: 'payments',
      operation: 'refund',
      path: 'catalog.operations[0].parameter_schema.properties.amount',
      message: 'a value of type number has no bound there',
      fix: 'bound it: maxLength, minimum and maximum, maxItems, or enum',
    },
  ],
  counts: { blocking: 1, warning: 2, info: 0 },
  holes_omitted: 0,
}
