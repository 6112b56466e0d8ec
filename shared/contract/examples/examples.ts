import type { SecretMetadata, SecretNeed } from '../configuration/secret-schema.ts'
import { exampleBatch, exampleResults } from './example-batch.ts'
import {
  adminKey,
  agentKey,
  approverKey,
  catalogChange,
  catalogRevision,
  exampleOperator,
  exampleSecret,
  firstRevision,
  freezeRequest,
  freezeState,
  pausedState,
  pauseRequest,
  policyChange,
  policyRollback,
  secondRevision,
  thirdRevision,
} from './example-changes.ts'
import { checkedRefund, exampleCheck, exampleReplay, exampleReport } from './example-drafts.ts'
import {
  exampleGrant,
  grantClause,
  grantedProposal,
  grantRequest,
  grantRevocation,
  usedGrant,
} from './example-grants.ts'
import { agentIntegration, approverIntegration } from './example-integration.ts'
import {
  exampleAuditKey,
  exampleAuditKeys,
  exampleCheckpoint,
  exampleEntries,
  exampleInclusion,
} from './example-log.ts'
import { exampleNumbers } from './example-numbers.ts'
import {
  exampleNormalizedPolicy,
  exampleOperation,
  examplePolicy,
  examplePolicyHash,
  mediumRefund,
  smallRefund,
} from './example-policy.ts'
import { examplePushState, examplePushSubscription, pushSubscriptionRequest } from './example-push.ts'
import {
  emptyGroupWarning,
  exampleAbsence,
  exampleGroup,
  exampleRoute,
  groupRequest,
  ownAbsenceRequest,
  routeRequest,
} from './example-routes.ts'
import {
  exampleChangedTool,
  exampleProposedTool,
  exampleTestedTool,
  exampleTool,
  exampleToolHealth,
  toolChange,
  toolImport,
  toolTest,
} from './example-tools.ts'
import {
  approvedPendingResponse,
  approvedResponse,
  exampleComment,
  exampleCommented,
  exampleEdited,
  exampleExport,
  exampleHeldAction,
  exampleHeldCounts,
  exampleReview,
  exampleSummary,
  exampleSupersedes,
  exampleTlogProofs,
  exampleTrace,
  rejectedResponse,
  resolvedResponse,
} from './example-trace.ts'
import {
  deniedVerdict,
  exampleAgent,
  executedVerdict,
  heldVerdict,
  pendingVerdict,
  recordedVerdict,
} from './example-verdicts.ts'
import {
  exampleAdmission,
  exampleAdmissionRequest,
  exampleBoundReport,
  exampleDiff,
  exampleDiffRequest,
  exampleDraftVerification,
  exampleOutcome,
  exampleRegression,
  exampleVerification,
  exampleVerificationReport,
  exampleVerificationRequest,
} from './example-verification.ts'
import {
  exampleDelivery,
  exampleMessage,
  exampleWebhook,
  webhookRequest,
  webhookSecret,
} from './example-webhooks.ts'

const place = 'https://api.payments.example'

const secretRequest = { actuator: 'payments', value: 'THE-VALUE-IS-NEVER-SHOWN', bound_to: [place] }

const storedSecret: SecretMetadata = {
  tenant_id: 'web-shop',
  name: 'payments_token',
  version: 1,
  actuator: 'payments',
  bound_to: [place],
  key_id: '5d2c1f0e9b8a7766',
  written_by: exampleOperator,
  written_at: '2026-11-25T03:04:11.402Z',
  confirmed_by: null,
  confirmed_at: null,
  first_used_at: '2026-11-25T03:10:07.218Z',
}

const secretNeed: SecretNeed = {
  actuator: 'payments',
  path: 'settings.auth.token.secret',
  name: 'payments_token',
  source: 'tenant',
  state: 'ready',
  message: null,
  places: [place],
}

const tenant_id = 'web-shop'
const exampleActuator = { name: 'payments', kind: 'mock', settings: { delay_ms: 100 } }

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
  AuditKey: exampleAuditKey,
  AuditKeyList: exampleAuditKeys,
  LogCheckpoint: exampleCheckpoint,
  LogEntries: exampleEntries,
  LogInclusion: exampleInclusion,
  TlogProofs: exampleTlogProofs,
  ActionSummary: exampleSummary,
  HeldAction: exampleHeldAction,
  CancellationRequest: { note: 'the customer was refunded elsewhere' },
  ResolutionRequest: {
    outcome: 'executed',
    note: 'the payment provider shows the refund',
    evidence: 'ticket 4711, refund re_8f2c',
    detail: { refund: 're_8f2c' },
  },
  ResolutionResponse: resolvedResponse,
  ErasureRequest: { reason: 'request of the person concerned, ticket 4712' },
  ErasureResponse: resolvedResponse,
  DecisionRequest: { note: 'photo of the damage checked' },
  DecisionResponse: approvedResponse,
  EditRequest: {
    parameters: { amount: 40, currency: 'EUR', order: { id: 'order-1002' }, reason: 'damaged' },
    proposal_hash: exampleHeldAction.verdict.proposal_hash,
  },
  EditResponse: exampleEdited,
  SavedViews: {
    views: [{ name: 'Large refunds', by: 'agent_id', filters: { system: 'payments', risk: 'high' } }],
  },
  Review: exampleReview,
  HeldCounts: exampleHeldCounts,
  Supersedes: exampleSupersedes,
  RecordedProposal: mediumRefund,
  CommentRequest: { kind: 'change_request', text: 'Refund at most 40 EUR: the shipping was paid back.' },
  Comment: exampleComment,
  CommentResponse: exampleCommented,
  KeyPrincipal: exampleAgent,
  Author: exampleOperator,
  ApiKey: agentKey,
  KeyRequest: { name: 'support lead', scope: 'approver' },
  KeyIssued: {
    tenant_id,
    api_key: `${approverKey.key_id}.${exampleSecret}`,
    key: approverKey,
    integration: approverIntegration,
    warnings: [],
  },
  AdminKeyRequest: { name: 'operator Ada', expires_at: '2027-01-31T23:00:00.000Z' },
  AdminKeyIssued: { api_key: `${adminKey.key_id}.${exampleSecret}`, key: adminKey },
  AdminKeyRevocation: { allow_last: false },
  TenantRequest: {
    tenant_id,
    policy: examplePolicy,
    mock_actuators: ['payments'],
    key_name: 'support agent',
  },
  TenantCreated: {
    tenant_id,
    policy: exampleNormalizedPolicy,
    api_key: `${agentKey.key_id}.${exampleSecret}`,
    key: agentKey,
    integration: agentIntegration,
  },
  Tenant: {
    tenant_id,
    created_at: firstRevision.created_at,
    policy: exampleNormalizedPolicy,
    policy_revision: 1,
    policy_hash: examplePolicyHash,
  },
  PolicyTemplate: {
    name: 'refunds',
    title: 'Refunds',
    description: 'An agent may refund up to 50. The example is allowed.',
    mock_actuators: ['payments'],
    policy: examplePolicy,
    example_proposal: smallRefund,
  },
  PolicyRevision: firstRevision,
  PolicyChange: policyChange,
  ChangedPolicy: { ...secondRevision, warnings: [], regressions: [] },
  RestoredPolicy: { ...thirdRevision, regressions: [] },
  PolicyRollback: policyRollback,
  PolicyCheck: exampleCheck,
  CheckedProposal: checkedRefund,
  PolicyReplay: exampleReplay,
  ReplayReport: exampleReport,
  Flip: exampleReport.flips[1],
  VerificationRequest: exampleVerificationRequest,
  DraftVerification: exampleDraftVerification,
  Verification: exampleVerification,
  VerificationReport: exampleVerificationReport,
  BoundReport: exampleBoundReport,
  OutcomeQuery: exampleVerificationRequest.forbidden?.[0],
  OutcomeAnswer: exampleOutcome,
  Where: { min: 500 },
  Regression: exampleRegression,
  VerificationGate: { required: true },
  PolicyDiffRequest: exampleDiffRequest,
  PolicyDiff: exampleDiff,
  AdmissionCatalog: { operations: [exampleOperation] },
  AdmissionRequest: exampleAdmissionRequest,
  AdmissionReport: exampleAdmission,
  Hole: exampleAdmission.holes[0],
  Catalog: { operations: [exampleOperation] },
  CatalogOperation: exampleOperation,
  ParameterSchema: exampleOperation.parameter_schema,
  CatalogChange: catalogChange,
  CatalogRevision: catalogRevision,
  ChangedCatalog: { ...catalogRevision, warnings: [], regressions: [] },
  Actuator: exampleActuator,
  ActuatorList: { actuators: [exampleActuator] },
  ReplacedActuators: { actuators: [exampleActuator], warnings: [] },
  FreezeRequest: freezeRequest,
  FreezeState: freezeState,
  PauseRequest: pauseRequest,
  Freeze: freezeState.freezes[0],
  GrantId: exampleGrant.grant_id,
  GrantClause: grantClause,
  UsedGrant: usedGrant,
  GrantRequest: grantRequest,
  BoundedGrant: exampleGrant,
  MadeGrant: { ...exampleGrant, uses: 0, example: grantedProposal },
  GrantList: { grants: [exampleGrant] },
  GrantRevocation: grantRevocation,
  RouteRequest: routeRequest,
  RouteDemand: routeRequest.required[0],
  RouteEscalation: routeRequest.escalate,
  FrozenRoute: { name: 'support-leads', ...routeRequest },
  HeldRoute: { missing: routeRequest.required, groups_without_members: ['security'], names_you: true },
  Route: exampleRoute,
  RouteList: { routes: [exampleRoute] },
  ChangedRoute: { ...exampleRoute, warnings: [emptyGroupWarning] },
  ReviewMemberRequest: groupRequest.members[0],
  ReviewGroupRequest: groupRequest,
  ReviewMember: exampleGroup.members[0],
  ReviewGroup: exampleGroup,
  ReviewGroupList: { groups: [exampleGroup] },
  ChangedReviewGroup: { ...exampleGroup, warnings: [] },
  OwnAbsenceRequest: ownAbsenceRequest,
  AbsenceRequest: { absent: { account_id: 'acc_5p2m7wq3k6xj4d2a' }, ...ownAbsenceRequest },
  Absence: exampleAbsence,
  AbsenceList: { absences: [exampleAbsence] },
  SecretRequest: secretRequest,
  Secret: storedSecret,
  SecretNeed: secretNeed,
  SecretList: { secrets: [storedSecret], needs: [secretNeed], can_write: true },
  SecretChanged: { secret: storedSecret, warnings: [] },
  SecretConfirmation: { version: 1, bound_to: storedSecret.bound_to },
  SecretReference: { env: 'ACTUATOR_PAYMENTS_TOKEN' },
  ToolImport: toolImport,
  ToolProposal: exampleProposedTool,
  ToolChange: toolChange,
  ChangedTool: exampleChangedTool,
  Tool: exampleTool,
  ToolHealth: exampleToolHealth,
  Numbers: exampleNumbers,
  ToolTest: toolTest,
  ToolTested: exampleTestedTool,
  LocalHost: { host: 'localhost:3000' },
  PushSubscriptionRequest: pushSubscriptionRequest,
  PushSubscription: examplePushSubscription,
  PushState: examplePushState,
  WebhookRequest: webhookRequest,
  Webhook: exampleWebhook,
  WebhookSecret: { webhook: exampleWebhook, secret: webhookSecret },
  WebhookRotation: { overlap_ms: 86_400_000 },
  WebhookDelivery: exampleDelivery,
  WebhookMessage: exampleMessage,
  Integration: agentIntegration,
  ConfigFile: {
    tenants: [{ tenant_id, mock_actuators: ['payments'], policy: examplePolicy }],
  },
  Readiness: { status: 'ready', checks: { database: 'ok', queue: 'ok' } },
}

/** Named examples of the bodies of an endpoint, where one component has several faces. */
export interface EndpointExamples {
  body?: Readonly<Record<string, unknown>>
  answers?: Readonly<Record<number, Readonly<Record<string, unknown>>>>
}

const catalogBodies = { with_note: catalogChange, bare: catalogChange.catalog }

export const endpointExamples: Readonly<Record<string, EndpointExamples>> = {
  ready: {
    answers: {
      503: {
        unavailable: { status: 'unavailable', checks: { database: 'down', queue: 'ok' } },
        draining: { status: 'draining', checks: { database: 'ok', queue: 'ok' } },
      },
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
  decide_approvals: { body: { two: exampleBatch }, answers: { 200: { one_too_late: exampleResults } } },
  reject_action: { answers: { 200: { rejected: rejectedResponse } } },
  list_admin_keys: { answers: { 200: { keys: { api_keys: [adminKey], next_cursor: null } } } },
  read_own_admin_key: { answers: { 200: { admin: exampleOperator } } },
  revoke_admin_key: { answers: { 200: { revoked: { key: { ...adminKey, revoked: true } } } } },
  revoke_key: { answers: { 200: { revoked: { key: { ...agentKey, revoked: true } } } } },
  replace_policy: { body: { with_note: policyChange, bare: policyChange.policy } },
  rollback_policy: { answers: { 200: { as_before: { ...thirdRevision, regressions: [] } } } },
  list_policy_revisions: {
    answers: {
      200: { newest_first: { revisions: [thirdRevision, secondRevision, firstRevision], next_cursor: null } },
    },
  },
  create_catalog: { body: catalogBodies },
  revise_catalog: { body: catalogBodies },
  pause: { answers: { 200: { paused: pausedState } } },
  resume: {
    body: { resumed: { ...pauseRequest, reason: 'The provider is back.' } },
    answers: { 200: { nothing_frozen: { freezes: [] } } },
  },
  unfreeze: {
    body: { released: { ...freezeRequest, reason: 'The provider has put it right.' } },
    answers: { 200: { nothing_frozen: { freezes: [] } } },
  },
}
