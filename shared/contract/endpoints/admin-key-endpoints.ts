import { z } from 'zod'
import { keyPrincipalSchema } from '../action/verdict.ts'
import {
  adminKeyIssuedSchema,
  adminKeyRequestSchema,
  adminKeyRevocationSchema,
  apiKeySchema,
} from '../configuration/tenant.ts'
import { operatorPrincipalSchema } from '../operator-schema.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'

export const adminKeyEndpoints = {
  list_admin_keys: {
    method: 'GET',
    path: '/v1/admin-keys',
    access: 'admin',
    summary: 'Metadata of the admin keys and on-call keys (extension).',
    query: z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() }),
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ api_keys: z.array(apiKeySchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  read_own_admin_key: {
    method: 'GET',
    path: '/v1/admin-keys/own',
    access: 'admin',
    summary: 'Whose request it is, and whether they may change anything (extension).',
    answers: {
      200: {
        description: 'The key of the request, or the operator who is signed in.',
        body: z.union([keyPrincipalSchema, operatorPrincipalSchema]),
      },
    },
    errors: [],
  },
  mint_admin_key: {
    method: 'POST',
    path: '/v1/admin-keys',
    access: 'admin',
    summary: 'Mint an admin key or an on-call key, which may expire; the secret is shown once (extension).',
    body: adminKeyRequestSchema,
    answers: { 201: { description: 'Minted.', body: adminKeyIssuedSchema } },
    errors: [],
  },
  revoke_admin_key: {
    method: 'POST',
    path: '/v1/admin-keys/{key_id}/revoke',
    access: 'admin',
    summary:
      'Revoke an admin key or an on-call key, effective at the next request on every process (extension).',
    description:
      'The last key that works and does not expire is kept, unless `allow_last` says that it is meant: then only a start with `--bootstrap-admin-key-name` makes another.',
    params: z.strictObject({
      key_id: z
        .string()
        .regex(/^adk_[a-z2-7]{16}$/)
        .meta({ description: 'Key identifier.', examples: ['adk_mk7l2cixren6w72w'] }),
    }),
    body: adminKeyRevocationSchema,
    answers: { 200: { description: 'Revoked.', body: z.strictObject({ key: apiKeySchema }) } },
    errors: ['key_not_found', 'last_admin_key'],
  },
} as const satisfies Record<string, Endpoint>
