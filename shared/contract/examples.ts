import { exampleOperation } from './examples/example-operation.ts'
import {
  exampleNormalizedPolicy,
  examplePolicy,
  examplePolicyHash,
  mediumRefund,
  smallRefund,
} from './examples/example-policy.ts'
import {
  approvedPendingResponse,
  approvedResponse,
  exampleExport,
  exampleHeldAction,
  exampleSummary,
  exampleTrace,
  rejectedResponse,
} from './examples/example-trace.ts'
import {
  deniedVerdict,
  exampleAgent,
  executedVerdict,
  heldVerdict,
  pendingVerdict,
  recordedVerdict,
} from './examples/example-verdicts.ts'

const changeNote = 'Refunds above 50 are for people.'
const exampleOperator = {
  key_id: 'adk_5hqhsatznv6lfije',
  name: 'operations',
  scope: 'admin',
  tenant_id: null,
} as const

/**
 * Examples of the public documents, by component. They tell one story, of a web shop whose agent refunds customers, as
 * the service answered it. What is not here is put together from its parts.
 */
export const componentExamples: Readonly<Record<string, unknown>> = {
  Proposal: smallRefund,
  Policy: examplePolicy,
  NormalizedPolicy: exampleNormalizedPolicy,
  Verdict: executedVerdict,
  RecordedVerdict: recordedVerdict,
  ActionTrace: exampleTrace,
  Event: exampleTrace.events[2],
  AuditEvent: JSON.parse(exampleExport.events[2]?.event ?? ''),
  AuditExport: exampleExport,
  ActionSummary: exampleSummary,
  HeldAction: exampleHeldAction,
  DecisionRequest: { note: 'photo of the damage checked' },
  DecisionResponse: approvedResponse,
  KeyPrincipal: exampleAgent,
  Author: exampleOperator,
  ApiKey: {
    key_id: 'agk_mk7l2cixren6w72w',
    name: 'support agent',
    scope: 'agent',
    tenant_id: 'web-shop',
    prefix: 'agk_mk7l2cixren6w72w',
    revoked: false,
    created: '2026-11-21T01:04:57.871Z',
    expires_at: null,
  },
  KeyRequest: { name: 'support lead', scope: 'approver' },
  TenantRequest: { tenant_id: 'web-shop', policy: examplePolicy, mock_actuators: ['payments'] },
  PolicyTemplate: {
    name: 'refunds',
    title: 'Refunds',
    description: 'An agent may refund up to 50. The example is allowed.',
    mock_actuators: ['payments'],
    policy: examplePolicy,
    example_proposal: smallRefund,
  },
  PolicyRevision: {
    policy: exampleNormalizedPolicy,
    revision: 1,
    policy_hash: examplePolicyHash,
    created_at: '2026-11-21T01:04:57.853Z',
    author: exampleOperator,
    change_note: changeNote,
  },
  PolicyChange: { policy: examplePolicy, change_note: changeNote },
  Catalog: { operations: [exampleOperation] },
  CatalogOperation: exampleOperation,
  Actuator: { name: 'payments', kind: 'mock', settings: { delay_ms: 100 } },
  ConfigFile: {
    tenants: [{ tenant_id: 'web-shop', mock_actuators: ['payments'], policy: examplePolicy }],
  },
  Readiness: { status: 'ready', checks: { database: 'ok', queue: 'ok' } },
}

/** Named examples of the bodies of an endpoint, where one component has several faces. */
export interface EndpointExamples {
  body?: Readonly<Record<string, unknown>>
  answers?: Readonly<Record<number, Readonly<Record<string, unknown>>>>
}

export const endpointExamples: Readonly<Record<string, EndpointExamples>> = {
  ready: {
    answers: {
      503: { unavailable: { status: 'unavailable', checks: { database: 'down', queue: 'ok' } } },
    },
  },
  submit_action: {
    body: { small_refund: smallRefund, medium_risk: mediumRefund },
    answers: {
      200: { executed: executedVerdict, held: heldVerdict, denied: deniedVerdict },
      202: { pending: pendingVerdict },
    },
  },
  approve_action: {
    answers: { 200: { executed: approvedResponse }, 202: { pending: approvedPendingResponse } },
  },
  reject_action: { answers: { 200: { rejected: rejectedResponse } } },
  replace_policy: {
    body: {
      with_note: { policy: examplePolicy, change_note: changeNote },
      bare: examplePolicy,
    },
  },
}
