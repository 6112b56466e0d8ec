import { z } from 'zod'
import { sessionProfileSchema } from '../account.ts'
import { issuerNameSchema } from '../configuration/issuer-schema.ts'
import {
  beginSignInRequestSchema,
  begunSignInSchema,
  completeSignInRequestSchema,
  linkedIdentitySchema,
  linkIdentityRequestSchema,
  logoutTokenRequestSchema,
  signInWaysSchema,
  unlinkIdentityRequestSchema,
} from '../identity.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * The part of a row for a back-channel logout. Dashboard and console share it
 * (specification.md#sign-in-elsewhere).
 */
export const departure = {
  description:
    'Ends the sessions that were begun by the session at the issuer, or all that the person began there. A token counts once.',
  params: z.strictObject({ issuer: issuerNameSchema }),
  body: logoutTokenRequestSchema,
  answers: {
    200: {
      description: 'Ended, where there were any.',
      body: z.strictObject({ status: z.literal('ended') }),
    },
  },
  errors: ['issuer_not_found', 'logout_refused', 'issuer_unavailable', 'storage_unavailable'],
} as const

export const signInEndpoints = {
  read_sign_in: {
    method: 'GET',
    path: '/v1/accounts/sign-in',
    access: 'none',
    hosted: true,
    summary: 'How people may sign in here.',
    answers: { 200: { description: 'What the page of log-in offers.', body: signInWaysSchema } },
    errors: [],
  },
  begin_sign_in: {
    method: 'POST',
    path: '/v1/accounts/sign-in',
    access: 'none',
    hosted: true,
    summary: 'Begin to sign in at an issuer of OpenID Connect.',
    description:
      'The answer binds the attempt to this browser by a cookie. The issuer sends the browser back to ' +
      '`/app/signed-in/{issuer}`, whose page completes the sign-in.',
    body: beginSignInRequestSchema,
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
  complete_sign_in: {
    method: 'POST',
    path: '/v1/accounts/sign-in/complete',
    access: 'none',
    hosted: true,
    summary: 'Begin a session with what an issuer sent the browser back with.',
    description: 'An attempt counts once, whatever comes of it.',
    body: completeSignInRequestSchema,
    answers: { 200: { description: 'Signed in.', body: sessionProfileSchema, headers: ['set-cookie'] } },
    errors: [
      'cross_site_request',
      'sign_in_refused',
      'identity_unknown',
      'identity_taken',
      'already_member',
      'invitation_used',
      'invitation_ended',
      'issuer_not_found',
      'issuer_unavailable',
      'storage_unavailable',
    ],
  },
  end_at_issuer: {
    method: 'POST',
    path: '/v1/accounts/sign-in/{issuer}/logout',
    access: 'none',
    hosted: true,
    form: true,
    summary: 'An issuer tells that somebody left it (OpenID Connect Back-Channel Logout).',
    ...departure,
  },
  list_identities: {
    method: 'GET',
    path: '/v1/accounts/identities',
    access: 'session',
    hosted: true,
    summary: 'Identities that open the account.',
    answers: {
      200: {
        description: 'All of them, the oldest first.',
        body: z.strictObject({ identities: z.array(linkedIdentitySchema) }),
      },
    },
    errors: [],
  },
  link_identity: {
    method: 'POST',
    path: '/v1/accounts/identities',
    access: 'session',
    hosted: true,
    summary: 'Begin to link the account to an identity at an issuer.',
    description: 'Completed as a sign-in is, in a session of the same account.',
    body: linkIdentityRequestSchema,
    answers: {
      200: { description: 'Where the browser goes.', body: begunSignInSchema, headers: ['set-cookie'] },
    },
    errors: ['issuer_not_found', 'issuer_unavailable'],
  },
  unlink_identity: {
    method: 'POST',
    path: '/v1/accounts/identities/unlink',
    access: 'session',
    hosted: true,
    summary: 'End a link, and every session that was begun by it.',
    body: unlinkIdentityRequestSchema,
    answers: {
      200: {
        description: 'Ended.',
        body: z.strictObject({ ended: z.int().min(0).describe('How many sessions.') }),
      },
    },
    errors: ['identity_not_found', 'last_identity'],
  },
} as const satisfies Record<string, Endpoint>
