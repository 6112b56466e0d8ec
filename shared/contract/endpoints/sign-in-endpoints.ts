import { sessionProfileSchema } from '../account.ts'
import {
  beginSignInRequestSchema,
  begunSignInSchema,
  completeSignInRequestSchema,
  signInWaysSchema,
} from '../identity.ts'
import type { Endpoint } from './endpoint.ts'

/** Rows of the endpoint table about signing in at an issuer (specification.md#sign-in-elsewhere). */
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
    errors: ['cross_site_request', 'issuer_not_found', 'issuer_unavailable', 'storage_unavailable'],
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
      'issuer_not_found',
      'issuer_unavailable',
      'storage_unavailable',
    ],
  },
} as const satisfies Record<string, Endpoint>
