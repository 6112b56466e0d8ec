import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { memberRoles } from '../role-schema.ts'
import {
  slackAppRequestSchema,
  slackAppSchema,
  slackCodeSchema,
  slackCommandSchema,
  slackInteractionSchema,
  slackLinkSchema,
  slackReplySchema,
  slackStateSchema,
} from '../slack-schema.ts'
import type { Endpoint } from './endpoint.ts'

const params = z.strictObject({ tenant_id: tenantIdSchema })
const ofSlack = {
  access: 'none',
  hosted: true,
  form: true,
  signed: 'slack',
  headers: ['x-slack-request-timestamp', 'x-slack-signature'],
  params,
} as const

/** Rows of the endpoint table for decisions in Slack (specification.md#decisions-in-slack). */
export const slackEndpoints = {
  read_slack: {
    method: 'GET',
    path: '/v1/accounts/tenants/{tenant_id}/slack',
    access: 'session',
    hosted: true,
    roles: memberRoles,
    summary: 'The Slack app of the tenant, and which Slack user the account is linked to.',
    params,
    answers: { 200: { description: 'Both, where there are any.', body: slackStateSchema } },
    errors: ['tenant_not_found'],
  },
  put_slack_app: {
    method: 'PUT',
    path: '/v1/accounts/tenants/{tenant_id}/slack',
    access: 'session',
    hosted: true,
    roles: ['owner'],
    summary: 'Register the Slack app of the tenant: messages to its workspace have buttons from then on.',
    description: 'Every link ends: whoever knows a signing secret can decide as everybody who is linked.',
    params,
    body: slackAppRequestSchema,
    answers: { 200: { description: 'Registered.', body: slackAppSchema } },
    errors: ['tenant_not_found', 'webhooks_not_configured'],
  },
  delete_slack_app: {
    method: 'DELETE',
    path: '/v1/accounts/tenants/{tenant_id}/slack',
    access: 'session',
    hosted: true,
    roles: ['owner'],
    summary: 'Remove the Slack app with every link: its buttons decide nothing any more.',
    params,
    answers: { 200: { description: 'As it was.', body: slackAppSchema } },
    errors: ['tenant_not_found', 'slack_app_not_found'],
  },
  make_slack_code: {
    method: 'POST',
    path: '/v1/accounts/tenants/{tenant_id}/slack/code',
    access: 'session',
    hosted: true,
    roles: ['owner', 'approver'],
    summary: 'Make a code that links a Slack user to the account; it is shown once.',
    description: 'Good once, for ten minutes; the code before is good no more.',
    params,
    answers: { 201: { description: 'Made.', body: slackCodeSchema } },
    errors: ['tenant_not_found', 'slack_app_not_found'],
  },
  unlink_slack: {
    method: 'DELETE',
    path: '/v1/accounts/tenants/{tenant_id}/slack/link',
    access: 'session',
    hosted: true,
    roles: memberRoles,
    summary: 'End the link of the account: that Slack user decides nothing any more.',
    params,
    answers: { 200: { description: 'As it was.', body: slackLinkSchema } },
    errors: ['tenant_not_found', 'identity_not_found'],
  },
  decide_in_slack: {
    ...ofSlack,
    method: 'POST',
    path: '/v1/slack/interactions/{tenant_id}',
    summary: 'Slack tells that a button was pressed: the person who is linked decides.',
    description: 'What came of it is posted to the `response_url` of the request.',
    body: slackInteractionSchema,
    answers: { 200: { description: 'Taken.', body: z.strictObject({}) } },
    errors: ['slack_request_refused', 'storage_unavailable'],
  },
  command_in_slack: {
    ...ofSlack,
    method: 'POST',
    path: '/v1/slack/commands/{tenant_id}',
    summary: 'Slack tells that a command was sent: a code links, `unlink` ends the link.',
    body: slackCommandSchema,
    answers: { 200: { description: 'What Slack shows.', body: slackReplySchema } },
    errors: ['slack_request_refused', 'storage_unavailable'],
  },
} as const satisfies Record<string, Endpoint>
