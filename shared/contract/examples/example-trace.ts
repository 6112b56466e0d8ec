import type {
  ActionSummary,
  AuditExport,
  DecisionResponse,
  HeldAction,
  ResolutionResponse,
  Trace,
} from '../action/action.ts'
import type { TlogProofs } from '../action/audit-log.ts'
import type { Comment, CommentResponse } from '../action/comment-schema.ts'
import type { EditResponse } from '../action/decision-schema.ts'
import type { PlannedRequest } from '../action/planned-request.ts'
import type { Supersedes } from '../action/proposal-schema.ts'
import type { HeldCounts, Review } from '../action/review-schema.ts'
import type { JsonObject } from '../base/json.ts'
import { exampleAuditKey, exampleLog, exampleStatement } from './example-log.ts'
import { exampleOperation, mediumRefund } from './example-policy.ts'
import { recordedVerdict } from './example-verdicts.ts'

const action_id = 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf'
const tenant_id = 'web-shop'
const created_at = '2026-11-21T01:04:58.038Z'
const result = { ok: true, detail: { executed: 'refund', target: 'payments', dry_run: true } }

const events: Trace['events'] = [
  {
    sequence: 0,
    kind: 'proposal_received',
    at: '2026-11-21T01:04:58.038Z',
    principal: { id: 'agk_mk7l2cixren6w72w', kind: 'agent' },
    body: mediumRefund as unknown as JsonObject,
    leaf_hash: 'sha256:7b1039d1fc5c136527c940bdc2081f0d0e81ec671e1dde8555c1a4eda63bd0eb',
  },
  {
    sequence: 1,
    kind: 'verdict',
    at: '2026-11-21T01:04:58.038Z',
    principal: { id: 'gate', kind: 'gate' },
    body: recordedVerdict as unknown as JsonObject,
    leaf_hash: 'sha256:02c9242936a0094de621271af615437aa16c064cf681b59dd3c8c43b10ef2e44',
  },
  {
    sequence: 2,
    kind: 'approval',
    at: '2026-11-21T01:04:58.075Z',
    principal: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver' },
    body: { name: 'support lead', note: 'photo of the damage checked' },
    leaf_hash: 'sha256:4326bc426e9ab71cabe5eea088f2253e0448a221cfad0dcbcdbeca7aac032047',
  },
  {
    sequence: 3,
    kind: 'execution_attempt',
    at: '2026-11-21T01:04:58.090Z',
    principal: { id: 'wrk_2myexwxmndb32wyr', kind: 'worker' },
    body: {
      actuator: { idempotency: 'key_honoured', kind: 'mock', name: 'payments' },
      attempt: 1,
      idempotency_key: 'n-rV4vUOg4-JzWsqqLhyN9HY3jDKq21BHmjKYMJGDEg',
      token: 3,
    },
    leaf_hash: 'sha256:eb873324e0655ab7fc6e60197b5d810debfc5f9a6b2158716fa3a74e4c756b1e',
  },
  {
    sequence: 4,
    kind: 'execution',
    at: '2026-11-21T01:04:58.096Z',
    principal: { id: 'wrk_2myexwxmndb32wyr', kind: 'worker' },
    body: {
      attempt: 1,
      outcome: 'ok',
      result: { detail: { dry_run: true, executed: 'refund', target: 'payments' }, ok: true },
      token: 3,
    },
    leaf_hash: 'sha256:b751e97092eba9cbed405122671c6436bedd4a10c0a4af531955b504d06a2b91',
  },
]

const exampleOutcome: NonNullable<Trace['outcome']> = {
  status: 'executed',
  code: 'executed',
  message: 'the actuator reported success',
  by: { id: 'wrk_2myexwxmndb32wyr', kind: 'worker', name: null },
  try_again: false,
}

export const exampleTrace: Trace = {
  action_id,
  tenant_id,
  proposal: mediumRefund,
  status: 'executed',
  verdict: recordedVerdict,
  approval: {
    decision: 'approved',
    principal: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver' },
    note: 'photo of the damage checked',
    at: '2026-11-21T01:04:58.075Z',
  },
  outcome: exampleOutcome,
  execution: { outcome: 'ok', attempt: 1, result, error: null, at: '2026-11-21T01:04:58.096Z' },
  job: {
    state: 'done',
    attempt: 1,
    max_attempts: 5,
    next_run_at: '2026-11-21T01:04:58.098Z',
    lease_owner: null,
    last_error: null,
  },
  audit_root: 'sha256:307faa0d414e560c84ebbd60cbdd3fe5028462ca8c45aac42b4b9a7cf285ed6c',
  events,
  created_at,
  updated_at: '2026-11-21T01:04:58.096Z',
}

const plannedRefund: PlannedRequest = {
  kind: 'http',
  method: 'POST',
  url: 'https://payments.example/v1/orders/order-1001/refunds',
  headers: {},
  auth: { type: 'bearer', token: { env: 'ACTUATOR_PAYMENTS_TOKEN' } },
  body: { amount: 45, currency: 'EUR' },
}

export const exampleHeldAction: HeldAction = {
  action_id,
  status: 'pending_approval',
  proposal: mediumRefund,
  verdict: {
    ...recordedVerdict,
    actuator: { name: 'payments', kind: 'http' },
    request: plannedRefund,
    request_hash: 'sha256:affbf8b3c597507450419a5d9df540d1f092cb241ecd640c800d927f63ceddc3',
  },
  review_route: 'support-leads',
  created_at,
  expires_at: '2026-11-28T01:04:58.038Z',
}

export const exampleSummary: ActionSummary = {
  action_id: 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
  proposal_id: 'refund-1002',
  status: 'executed',
  decision: 'needs_approval',
  agent_id: 'support-agent',
  summary: 'Refund 45 EUR for an order that arrived damaged',
  target_system: 'payments',
  operation: 'refund',
  effective_risk: 'medium',
  created_at: '2026-11-21T01:04:58.038Z',
  updated_at: '2026-11-21T01:04:58.096Z',
}

export const approvedResponse: DecisionResponse = {
  action_id,
  action_status: 'executed',
  result,
  outcome: exampleOutcome,
  audit_root: exampleTrace.audit_root,
  trace: events,
}

export const approvedPendingResponse: DecisionResponse = {
  action_id,
  action_status: 'execution_pending',
  audit_root: 'sha256:09e63fac0fcbb368c572f587c093c2b37740399856b399a7670bf15d25b99c4c',
  trace: events.slice(0, 3),
  polling_url: `/v1/actions/${action_id}`,
}

export const exampleComment: Comment = {
  kind: 'change_request',
  principal: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver' },
  name: 'support lead',
  text: 'Refund at most 40 EUR: the shipping was paid back.',
  at: '2026-11-21T01:04:58.052Z',
}

export const exampleCommented: CommentResponse = {
  action_id,
  action_status: 'pending_approval',
  audit_root: 'sha256:09e63fac0fcbb368c572f587c093c2b37740399856b399a7670bf15d25b99c4c',
  comments: [exampleComment],
}

export const exampleSupersedes: Supersedes = {
  action_id: 'act_01m7xt54rqkekmzk83p3wjhdq1zr5k7mjv5e',
  editor: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver' },
  name: 'support lead',
}

export const exampleEdited: EditResponse = { ...approvedResponse, supersedes: exampleSupersedes.action_id }

export const resolvedResponse: ResolutionResponse = {
  action_id: exampleTrace.action_id,
  action_status: 'executed',
  audit_root: exampleTrace.audit_root,
}

export const rejectedResponse: DecisionResponse = {
  action_id: 'act_01m7xt54rqkekmzk83p3wjhdq1zr5k7mjv5e',
  action_status: 'denied',
  audit_root: 'sha256:c11a91521a4f0e77e3a0694214bfba53024a52ee5a0870f0c78f3c4e532b4a4c',
  outcome: {
    status: 'denied',
    code: 'rejected',
    message: 'the customer withdrew the claim',
    by: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver', name: 'support lead' },
    try_again: false,
  },
  trace: [
    {
      ...{
        sequence: 0,
        kind: 'proposal_received',
        at: '2026-11-21T01:04:58.134Z',
        principal: { id: 'agk_mk7l2cixren6w72w', kind: 'agent' },
        leaf_hash: 'sha256:cb9f6986fe08a460d5a492f088f83bf20cca7919f61675c60106cab7cfa00c8d',
      },
      body: { ...mediumRefund, proposal_id: 'refund-1005' } as unknown as JsonObject,
    },
    {
      ...{
        sequence: 1,
        kind: 'verdict',
        at: '2026-11-21T01:04:58.134Z',
        principal: { id: 'gate', kind: 'gate' },
        leaf_hash: 'sha256:e7667561960605a34f271e6d678c1b2dd2c67fba0a1f9a93ad97f21b64f14e3a',
      },
      body: {
        ...recordedVerdict,
        proposal_hash: 'sha256:c65cff47786fed27dd89361d34b2f7309ccbb34400e51166077c3cff2284af68',
      } as unknown as JsonObject,
    },
    {
      sequence: 2,
      kind: 'rejection',
      at: '2026-11-21T01:04:58.145Z',
      principal: { id: 'apk_qvsbnxi5zxffjxdg', kind: 'approver' },
      body: { name: 'support lead', note: 'the customer withdrew the claim' },
      leaf_hash: 'sha256:c0b317cd5174fb26f348a024335338bd7284f56aa9167fb077eb1a847c77d29a',
    },
  ],
}

export const exampleExport: AuditExport = {
  integrity_version: 'canonical-signed-v1',
  tenant_id,
  action_id,
  exported_at: '2026-11-21T01:04:58.123Z',
  events: [
    {
      event:
        '{"at":"2026-11-21T01:04:58.038Z","kind":"proposal_received","payload_commit":"e460b9a268c3f8596033f5fcb13f1911f5b8db15a1719453c60af2a4551f7062","prev":null,"principal":{"id":"agk_mk7l2cixren6w72w","kind":"agent"},"sequence":0,"stream":"action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf","tenant_id":"web-shop","v":1}',
      salt: 'lP4gNyxUav0KMVIRzkOtJM6b4ajcXy0AvVZYs8esn1o=',
      payload: mediumRefund as unknown as JsonObject,
    },
    {
      event:
        '{"at":"2026-11-21T01:04:58.038Z","kind":"verdict","payload_commit":"7aa1c7b113e8261a4a9415cb3f4d36f3a517851e231992f45982dc3faa1a1591","prev":"7b1039d1fc5c136527c940bdc2081f0d0e81ec671e1dde8555c1a4eda63bd0eb","principal":{"id":"gate","kind":"gate"},"sequence":1,"stream":"action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf","tenant_id":"web-shop","v":1}',
      salt: 'hU0As15vNqRJD0aZMKoZIvRVU7I10BX+8Oj3mHZCHTA=',
      payload: recordedVerdict as unknown as JsonObject,
    },
    {
      event:
        '{"at":"2026-11-21T01:04:58.075Z","kind":"approval","payload_commit":"0376c4660cc8f962de9b9f96500808631fb347c394eb398b2fa426462d70fa6f","prev":"02c9242936a0094de621271af615437aa16c064cf681b59dd3c8c43b10ef2e44","principal":{"id":"apk_qvsbnxi5zxffjxdg","kind":"approver"},"sequence":2,"stream":"action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf","tenant_id":"web-shop","v":1}',
      salt: 'z6gwADjHwgdWAfzOi7VnM/v8CvBcFE570Emwo592VBI=',
      payload: events[2]?.body ?? null,
    },
    {
      event:
        '{"at":"2026-11-21T01:04:58.090Z","kind":"execution_attempt","payload_commit":"c0d2a7c2abd6ebf760373c3a491ed5109a6156cf35329dca5a0ec1001f24ae9e","prev":"4326bc426e9ab71cabe5eea088f2253e0448a221cfad0dcbcdbeca7aac032047","principal":{"id":"wrk_2myexwxmndb32wyr","kind":"worker"},"sequence":3,"stream":"action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf","tenant_id":"web-shop","v":1}',
      salt: 'l8751jCJm/o000q6kb4sds9KGCYgucTuWdOZTpZblWc=',
      payload: events[3]?.body ?? null,
    },
    {
      event:
        '{"at":"2026-11-21T01:04:58.096Z","kind":"execution","payload_commit":"5093f58f6405205aafca520530bdc280d6d4694696db09f3a16f347f41a01a32","prev":"eb873324e0655ab7fc6e60197b5d810debfc5f9a6b2158716fa3a74e4c756b1e","principal":{"id":"wrk_2myexwxmndb32wyr","kind":"worker"},"sequence":4,"stream":"action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf","tenant_id":"web-shop","v":1}',
      salt: '/32ZQpFO7EeDhMPqt1BdScEh2u0fQeF+ErEU+aSvUgk=',
      payload: events[4]?.body ?? null,
    },
  ],
  audit_root: exampleTrace.audit_root,
  statement: exampleStatement,
  log: exampleLog,
  keys: [exampleAuditKey],
  digest: 'sha256:4d3fd9a1a6080f0fb4c7289986ad21e40bac00bff071e16b9e8552875b1aa538',
}

export const exampleTlogProofs: TlogProofs = {
  tenant_id,
  action_id,
  origin: exampleLog.origin,
  proofs: exampleLog.entries.map(({ index, proof }, sequence) => ({
    sequence,
    event: exampleExport.events[sequence]?.event ?? '',
    proof: `c2sp.org/tlog-proof@v1\nindex ${index}\n${proof.join('\n')}\n\n${exampleLog.checkpoint}`,
  })),
}

export const exampleHeldCounts: HeldCounts = {
  asked: 14,
  waiting: 1,
  approved: 11,
  rejected: 2,
  expired: 0,
  withdrawn: 0,
  edited: 0,
}

export const exampleReview: Review = {
  action_id,
  reviewed: exampleOperation,
  in_force: { decision: 'needs_approval', policy: recordedVerdict.policy, catalog: recordedVerdict.catalog },
  history: {
    since: '2026-11-20T01:04:58.038Z',
    by_key: exampleHeldCounts,
    of_operation: { ...exampleHeldCounts, asked: 9, approved: 8, rejected: 0 },
    complete: true,
  },
  spared: [{ approval_required_at: 'high', this_action: true, by_key: 12, of_operation: 9 }],
}
