import { z } from 'zod'
import { logoutRequestSchema } from '../account.ts'
import { begunSignInSchema, completeSignInRequestSchema } from '../identity.ts'
import {
  beginOperatorSignInSchema,
  operatorIdSchema,
  operatorInvitedSchema,
  operatorRequestSchema,
  operatorRoleRequestSchema,
  operatorSchema,
  operatorSessionSchema,
  operatorSignInWaysSchema,
} from '../operator-schema.ts'
import { signedOutSchema } from './account-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'
import { departure } from './sign-in-endpoints.ts'

const ofOperator = z.strictObject({ operator_id: operatorIdSchema })
const operatorNow = z.strictObject({ operator: operatorSchema })

/** Rows of the endpoint table for named operators and their sign-in (specification.md#operators, extension). */
export const consoleEndpoints = {
  list_operators: {
    method: 'GET',
    path: '/v1/operators',
    access: 'admin',
    summary: 'Operators who may sign in to the console, also those who were removed (extension).',
    query: z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() }),
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ operators: z.array(operatorSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  invite_operator: {
    method: 'POST',
    path: '/v1/operators',
    access: 'admin',
    summary: 'Invite an operator; the link is shown once, ends, and is good once (extension).',
    body: operatorRequestSchema,
    answers: { 201: { description: 'Invited.', body: operatorInvitedSchema } },
    errors: [],
  },
  change_operator: {
    method: 'POST',
    path: '/v1/operators/{operator_id}/role',
    access: 'admin',
    summary: 'Change what an operator may do, from their next request on (extension).',
    params: ofOperator,
    body: operatorRoleRequestSchema,
    answers: { 200: { description: 'As it is now.', body: operatorNow } },
    errors: ['operator_not_found'],
  },
  remove_operator: {
    method: 'POST',
    path: '/v1/operators/{operator_id}/remove',
    access: 'admin',
    summary: 'Remove an operator: their invitation and their sessions end at once (extension).',
    description: 'Who was an operator stays in the list, so that what they did goes on to have a name.',
    params: ofOperator,
    answers: { 200: { description: 'Removed.', body: operatorNow } },
    errors: ['operator_not_found'],
  },
  read_operator_sign_in: {
    method: 'GET',
    path: '/v1/operators/sign-in',
    access: 'none',
    console: true,
    summary: 'Where operators sign in (extension).',
    answers: { 200: { description: 'What the console offers.', body: operatorSignInWaysSchema } },
    errors: [],
  },
  begin_operator_sign_in: {
    method: 'POST',
    path: '/v1/operators/sign-in',
    access: 'none',
    console: true,
    summary: 'Begin to sign in to the console at an issuer of OpenID Connect (extension).',
    description:
      'The answer binds the attempt to this browser by a cookie. The issuer sends the browser back to ' +
      '`/admin/signed-in/{issuer}`, whose page completes the sign-in.',
    body: beginOperatorSignInSchema,
    answers: {
      200: { description: 'Where the browser goes.', body: begunSignInSchema, headers: ['set-cookie'] },
    },
    errors: [
      'cross_site_request',
      'issuer_not_found',
      'invitation_not_found',
      'issuer_unavailable',
      'storage_unavailable',
    ],
  },
  complete_operator_sign_in: {
    method: 'POST',
    path: '/v1/operators/sign-in/complete',
    access: 'none',
    console: true,
    summary: 'Begin a session of the console with what an issuer sent the browser back with (extension).',
    description: 'An attempt counts once, whatever comes of it.',
    body: completeSignInRequestSchema,
    answers: { 200: { description: 'Signed in.', body: operatorSessionSchema, headers: ['set-cookie'] } },
    errors: [
      'cross_site_request',
      'sign_in_refused',
      'identity_unknown',
      'identity_taken',
      'invitation_not_found',
      'invitation_used',
      'invitation_ended',
      'issuer_not_found',
      'issuer_unavailable',
      'storage_unavailable',
    ],
  },
  end_operators_at_issuer: {
    method: 'POST',
    path: '/v1/operators/sign-in/{issuer}/logout',
    access: 'none',
    console: true,
    form: true,
    summary: 'An issuer tells that an operator left it (OpenID Connect Back-Channel Logout, extension).',
    ...departure,
  },
  read_operator_session: {
    method: 'GET',
    path: '/v1/operators/session',
    access: 'operator',
    summary: 'Who is signed in to the console, until when, and the CSRF token (extension).',
    answers: { 200: { description: 'The session of the request.', body: operatorSessionSchema } },
    errors: [],
  },
  sign_out_operator: {
    method: 'POST',
    path: '/v1/operators/logout',
    access: 'operator',
    summary: 'End this session of the console, or all of the operator (extension).',
    body: logoutRequestSchema,
    answers: {
      200: { description: 'Ended; the cookie is cleared.', body: signedOutSchema, headers: ['set-cookie'] },
    },
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
