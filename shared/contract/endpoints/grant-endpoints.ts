import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { grantIdSchema } from '../configuration/grant-clause.ts'
import {
  grantListSchema,
  grantRequestSchema,
  grantRevocationSchema,
  grantSchema,
  madeGrantSchema,
} from '../configuration/grant-schema.ts'
import type { Endpoint } from './endpoint.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })

/** Rows of the endpoint table for bounded grants (specification.md#bounded-grants). */
export const grantEndpoints = {
  list_grants: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/grants',
    access: 'admin',
    summary: 'Grants of a tenant, with how often each was used.',
    params: tenantParams,
    answers: { 200: { description: 'Newest first.', body: grantListSchema } },
    errors: ['tenant_not_found'],
  },
  make_grant: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/grants',
    access: 'admin',
    summary: 'Allow an agent one operation within bounds, a few times and until an end, without a person.',
    description:
      'It is proved first that it allows nothing beyond its bounds and nothing that was denied. Otherwise the answer is `grant_not_proved`, with the proposal that shows it.',
    proves: 'counted',
    params: tenantParams,
    body: grantRequestSchema,
    answers: { 201: { description: 'The grant, with an example of what it allows.', body: madeGrantSchema } },
    errors: ['tenant_not_found', 'grant_not_proved', 'too_many_grants', 'concurrent_change'],
  },
  revoke_grant: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/grants/{grant_id}/revoke',
    access: 'admin',
    summary: 'Revoke a grant; what it would have allowed is held from now on.',
    description: 'What it allowed before goes on. The same twice is once.',
    params: z.strictObject({ tenant_id: tenantIdSchema, grant_id: grantIdSchema }),
    body: grantRevocationSchema,
    answers: { 200: { description: 'The grant as it is now.', body: grantSchema } },
    errors: ['tenant_not_found', 'grant_not_found'],
  },
} as const satisfies Record<string, Endpoint>
