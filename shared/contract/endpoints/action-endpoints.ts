import { z } from 'zod'
import {
  actionSummarySchema,
  auditExportSchema,
  cancellationRequestSchema,
  decisionRequestSchema,
  decisionResponseSchema,
  heldActionSchema,
  traceSchema,
} from '../action/action.ts'
import { actionStatusSchema } from '../action/action-status.ts'
import { tlogProofsSchema } from '../action/audit-log.ts'
import { commentRequestSchema, commentResponseSchema } from '../action/comment-schema.ts'
import {
  approvalRefusals,
  decisionBatchSchema,
  decisionResultsSchema,
  editRequestSchema,
  editResponseSchema,
} from '../action/decision-schema.ts'
import {
  inboxGroupsQuerySchema,
  inboxGroupsSchema,
  inboxQuerySchema,
  inboxSchema,
} from '../action/inbox-schema.ts'
import { proposalSchema } from '../action/proposal-schema.ts'
import { reviewSchema } from '../action/review-schema.ts'
import { verdictSchema } from '../action/verdict.ts'
import { actionIdSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { integrationSchema } from '../configuration/getting-started.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, logSizeSchema, nextCursorSchema, wholeNumberSchema } from './paging.ts'

const paging = {
  limit: listLimitSchema,
  cursor: actionIdSchema.optional().describe('`next_cursor` of the page before.'),
}
const actionParams = z.strictObject({ action_id: actionIdSchema })
const decisionAnswers = {
  200: { description: 'Decided; settled where it was approved.', body: decisionResponseSchema },
  202: {
    description:
      'Approved; execution is durably queued, or more approvals are needed: see `approvals`. Poll `polling_url`.',
    body: decisionResponseSchema,
    headers: ['location', 'retry-after'],
  },
} as const

export const actionEndpoints = {
  submit_action: {
    method: 'POST',
    path: '/v1/actions',
    access: 'agent',
    summary: 'Submit an action proposal; the gate decides.',
    description:
      'The service executes what is allowed; the caller never performs the side effect itself. A repeat with the same ' +
      'body returns the existing action in its current state.',
    headers: ['prefer'],
    body: proposalSchema,
    answers: {
      200: { description: 'Decided: executed, held or denied.', body: verdictSchema },
      202: {
        description: 'Allowed; execution is durably queued. Poll `polling_url`.',
        body: verdictSchema,
        headers: ['location', 'retry-after'],
      },
    },
    errors: ['tenant_not_found', 'action_erased', 'proposal_conflict', 'too_many_held', 'concurrent_change'],
  },
  list_actions: {
    method: 'GET',
    path: '/v1/actions',
    access: 'agent',
    summary: 'Recent actions of the tenant, newest first.',
    query: z.strictObject({ status: actionStatusSchema.optional(), ...paging }),
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ actions: z.array(actionSummarySchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  read_action: {
    method: 'GET',
    path: '/v1/actions/{action_id}',
    access: 'agent_or_approver',
    summary: 'The audited trace of an action. Read-only; `wait` long-polls.',
    description:
      'A key of an approver reads what was held for a person; of every other action it is told that there is none.',
    headers: ['if-none-match'],
    params: actionParams,
    query: z.strictObject({
      wait: wholeNumberSchema(limits.wait_seconds_max)
        .describe('Seconds to wait for a change, or for the action to settle.')
        .optional(),
    }),
    answers: {
      200: { description: 'The trace.', body: traceSchema, headers: ['etag', 'retry-after'] },
      304: {
        description: 'Unchanged since `If-None-Match`.',
        body: z.null(),
        headers: ['etag', 'retry-after'],
      },
    },
    errors: ['action_not_found', 'action_erased'],
  },
  export_audit: {
    method: 'GET',
    path: '/v1/actions/{action_id}/audit-export',
    access: 'agent',
    summary: 'Proof-bearing audit record with an integrity version.',
    params: actionParams,
    query: z.strictObject({
      from_size: logSizeSchema
        .optional()
        .describe('Of a checkpoint that is kept: the export then proves that the log continues it.'),
      format: z
        .enum(['export', 'tlog-proof'])
        .default('export')
        .describe('`tlog-proof`: one proof per event that other programs read (C2SP tlog-proof).'),
    }),
    answers: {
      200: {
        description: 'The export, or its proofs.',
        body: z.union([auditExportSchema, tlogProofsSchema]),
      },
    },
    errors: ['action_not_found'],
  },
  list_approvals: {
    method: 'GET',
    path: '/v1/approvals',
    access: 'approver',
    summary: 'Held actions of the tenant, newest first.',
    query: z.strictObject(paging),
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ approvals: z.array(heldActionSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  inbox: {
    method: 'GET',
    path: '/v1/inbox',
    access: 'approver',
    summary: 'Held actions of the tenant, what ends soonest first; filtered and searched.',
    query: inboxQuerySchema,
    answers: { 200: { description: 'One page.', body: inboxSchema } },
    errors: [],
  },
  inbox_groups: {
    method: 'GET',
    path: '/v1/inbox/groups',
    access: 'approver',
    summary: 'How many held actions wait, by agent, operation, system, risk or route.',
    query: inboxGroupsQuerySchema,
    answers: { 200: { description: 'The groups.', body: inboxGroupsSchema } },
    errors: [],
  },
  decide_approvals: {
    method: 'POST',
    path: '/v1/approvals',
    access: 'approver',
    counted: 'batches',
    summary: 'Decide several held actions at once; the answer has a result for each.',
    description:
      'Each decision is judged as if it came alone, and is an event of its own. What is not named is not decided. Sent ' +
      'again, it changes nothing: what is decided is answered as decided.',
    body: decisionBatchSchema,
    answers: {
      200: {
        description: 'What became of each; execution goes on by itself.',
        body: decisionResultsSchema,
      },
    },
    errors: [],
  },
  read_approval: {
    method: 'GET',
    path: '/v1/approvals/{action_id}',
    access: 'approver',
    summary: 'One held action, with all that was asked and what would be sent.',
    description: 'Only while it is held: afterwards its trace tells how it was decided.',
    params: actionParams,
    answers: { 200: { description: 'The held action.', body: heldActionSchema } },
    errors: ['action_not_found'],
  },
  read_review: {
    method: 'GET',
    path: '/v1/approvals/{action_id}/review',
    access: 'approver',
    summary: 'What catalog, policy and history say about a held action.',
    description:
      'It helps to decide, and decides nothing. It is there for whatever was held, decided or not.',
    params: actionParams,
    answers: { 200: { description: 'What is known.', body: reviewSchema } },
    errors: ['action_not_found'],
  },
  approve_action: {
    method: 'POST',
    path: '/v1/actions/{action_id}/approve',
    access: 'approver',
    summary: 'Approve a held action; it is executed once it has the approvals that it needs.',
    headers: ['prefer'],
    params: actionParams,
    body: decisionRequestSchema,
    answers: decisionAnswers,
    errors: approvalRefusals,
  },
  reject_action: {
    method: 'POST',
    path: '/v1/actions/{action_id}/reject',
    access: 'approver',
    summary: 'Reject a held action; nothing is executed.',
    params: actionParams,
    body: decisionRequestSchema,
    answers: { 200: decisionAnswers[200] },
    errors: ['action_not_found', 'action_not_approvable', 'not_on_route', 'wrong_issuer'],
  },
  edit_action: {
    method: 'POST',
    path: '/v1/actions/{action_id}/edit',
    access: 'approver',
    summary: 'Change the parameters of a held action, and approve what comes of it.',
    description:
      'The gate decides the edited proposal as a new action. The edited one ends as denied and names the new one. Where ' +
      'the new one is held, the editor’s approval is its first.',
    headers: ['prefer'],
    params: actionParams,
    body: editRequestSchema,
    answers: {
      200: { description: 'Edited; settled where it was executed.', body: editResponseSchema },
      202: {
        description: 'Edited; it is queued, or more approvals are needed. Poll `polling_url`.',
        body: editResponseSchema,
        headers: ['location', 'retry-after'],
      },
    },
    errors: [
      'action_not_found',
      'action_not_approvable',
      'own_proposal',
      'proposal_mismatch',
      'frozen',
      'edit_denied',
      'concurrent_change',
    ],
  },
  comment_action: {
    method: 'POST',
    path: '/v1/actions/{action_id}/comments',
    access: 'approver',
    summary: 'Say something about a held action, or ask its agent for changes; it stays held.',
    description:
      'The agent reads it as `comments` of the verdict and of the trace. Nothing is decided by it.',
    params: actionParams,
    body: commentRequestSchema,
    answers: { 200: { description: 'Recorded.', body: commentResponseSchema } },
    errors: ['action_not_found', 'action_not_approvable', 'not_on_route', 'too_many_comments'],
  },
  cancel_action: {
    method: 'POST',
    path: '/v1/actions/{action_id}/cancel',
    access: 'agent',
    summary: 'Withdraw a held action; only the key that proposed it can.',
    params: actionParams,
    body: cancellationRequestSchema,
    answers: { 200: { description: 'Withdrawn; nothing is executed.', body: decisionResponseSchema } },
    errors: ['action_not_found', 'action_not_approvable', 'not_the_proposer'],
  },
} as const satisfies Record<string, Endpoint>

export const integrationEndpoints = {
  integration: {
    method: 'GET',
    path: '/v1/integration',
    access: 'agent_or_approver',
    proves: 'uncounted',
    summary: 'Where to call, an example proposal derived from the policy, and code that runs.',
    answers: { 200: { description: 'The integration bundle of this key.', body: integrationSchema } },
    errors: ['tenant_not_found'],
  },
} as const satisfies Record<string, Endpoint>
