import { z } from 'zod'
import {
  completePasswordResetRequestSchema,
  loginRequestSchema,
  logoutRequestSchema,
  offeredPasswordResetSchema,
  ownedTenantCreatedSchema,
  ownedTenantRequestSchema,
  ownedTenantSchema,
  passwordResetReadRequestSchema,
  passwordResetRequestSchema,
  sessionProfileSchema,
  signedUpSchema,
  signupRequestSchema,
} from '../account.ts'
import { savedViewsSchema } from '../action/inbox-schema.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'

export const signedOutSchema = z.strictObject({
  ended: z.int().min(1).describe('How many sessions.'),
  end_session_url: z
    .string()
    .nullable()
    .describe(
      'Address where the session at the issuer ends; null where there is none, or it cannot be asked.',
    ),
})

/** Rows of the endpoint table for accounts and sessions (specification.md#endpoints, Hosted dashboard). */
export const accountEndpoints = {
  sign_up: {
    method: 'POST',
    path: '/v1/accounts/signup',
    access: 'none',
    proves: 'uncounted',
    hosted: true,
    local: true,
    summary: 'Create account, organization, first application and first agent key; begins a session.',
    description:
      'The first agent key is shown once. An address that has accounts is answered like any other: an account is known ' +
      'by address and password together.',
    body: signupRequestSchema,
    answers: { 201: { description: 'Created.', body: signedUpSchema, headers: ['set-cookie'] } },
    errors: ['cross_site_request', 'account_conflict', 'storage_unavailable'],
  },
  log_in: {
    method: 'POST',
    path: '/v1/accounts/login',
    access: 'none',
    hosted: true,
    local: true,
    summary: 'Begin a session.',
    body: loginRequestSchema,
    answers: { 200: { description: 'Logged in.', body: sessionProfileSchema, headers: ['set-cookie'] } },
    errors: ['cross_site_request', 'login_refused', 'storage_unavailable'],
  },
  request_password_reset: {
    method: 'POST',
    path: '/v1/accounts/password-resets',
    access: 'none',
    hosted: true,
    local: true,
    summary: 'Ask for an e-mail with a link to choose a new password.',
    description:
      'The answer is the same, and takes as long, whether or not the address has an account. A worker finds the accounts and ' +
      'sends the e-mail. Requests for one address are counted.',
    body: passwordResetRequestSchema,
    answers: {
      202: { description: 'Heard.', body: z.strictObject({ status: z.literal('accepted') }) },
    },
    errors: ['cross_site_request', 'mail_not_configured', 'storage_unavailable'],
  },
  read_password_reset: {
    method: 'POST',
    path: '/v1/accounts/password-resets/read',
    access: 'none',
    hosted: true,
    local: true,
    summary: 'Whose password the holder of a link may choose.',
    body: passwordResetReadRequestSchema,
    answers: { 200: { description: 'The link is good.', body: offeredPasswordResetSchema } },
    errors: ['cross_site_request', 'reset_not_found', 'storage_unavailable'],
  },
  complete_password_reset: {
    method: 'POST',
    path: '/v1/accounts/password-resets/complete',
    access: 'none',
    hosted: true,
    local: true,
    summary: 'Choose a new password with a link; ends every session of the account.',
    description:
      'A link is good once. Browsers in which the account was signed in are forgotten, and its links to Slack end. It begins ' +
      'no session.',
    body: completePasswordResetRequestSchema,
    answers: {
      200: {
        description: 'Changed.',
        body: z.strictObject({ ended: z.int().min(0).describe('How many sessions.') }),
      },
    },
    errors: ['cross_site_request', 'reset_not_found', 'account_conflict', 'storage_unavailable'],
  },
  read_session: {
    method: 'GET',
    path: '/v1/accounts/session',
    access: 'session',
    hosted: true,
    summary: 'Session profile, with the token for writes.',
    answers: { 200: { description: 'Who is logged in.', body: sessionProfileSchema } },
    errors: [],
  },
  log_out: {
    method: 'POST',
    path: '/v1/accounts/logout',
    access: 'session',
    hosted: true,
    summary: 'End the session, or every session of the account.',
    body: logoutRequestSchema,
    answers: {
      200: {
        description: 'Ended; the cookie is cleared.',
        body: signedOutSchema,
        headers: ['set-cookie'],
      },
    },
    errors: [],
  },
  list_saved_views: {
    method: 'GET',
    path: '/v1/accounts/views',
    access: 'session',
    hosted: true,
    summary: 'Views of the inbox that you saved.',
    answers: { 200: { description: 'All of them.', body: savedViewsSchema } },
    errors: [],
  },
  replace_saved_views: {
    method: 'PUT',
    path: '/v1/accounts/views',
    access: 'session',
    hosted: true,
    summary: 'Save these views of the inbox and no others.',
    description: 'They are yours alone, whichever application you look at.',
    body: savedViewsSchema,
    answers: { 200: { description: 'As they are now.', body: savedViewsSchema } },
    errors: [],
  },
  list_owned_tenants: {
    method: 'GET',
    path: '/v1/accounts/tenants',
    access: 'session',
    hosted: true,
    summary: 'Applications in which the account has a role.',
    query: z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() }),
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ tenants: z.array(ownedTenantSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  create_owned_tenant: {
    method: 'POST',
    path: '/v1/accounts/tenants',
    access: 'session',
    roles: ['owner'],
    proves: 'uncounted',
    hosted: true,
    summary: 'Create an application from a policy template; its first agent key is shown once.',
    body: ownedTenantRequestSchema,
    answers: { 201: { description: 'Created.', body: ownedTenantCreatedSchema } },
    errors: ['tenant_conflict'],
  },
} as const satisfies Record<string, Endpoint>
