import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import {
  apiKeySchema,
  changedPolicySchema,
  keyIssuedSchema,
  keyRequestSchema,
  policyChangeSchema,
  policyStateSchema,
  policyValidationSchema,
  tenantCreatedSchema,
  tenantRequestSchema,
  tenantSchema,
} from '../configuration/tenant.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'

const pagingQuery = z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() })
const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const keyParams = z.strictObject({
  tenant_id: tenantIdSchema,
  key_id: z
    .string()
    .regex(/^a[gpmd]k_[a-z2-7]{16}$/)
    .meta({ description: 'Key identifier.', examples: ['agk_mk7l2cixren6w72w'] }),
})

export const adminEndpoints = {
  list_tenants: {
    method: 'GET',
    path: '/v1/tenants',
    access: 'admin',
    summary: 'Tenants and their current policies.',
    query: pagingQuery,
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ tenants: z.array(tenantSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  create_tenant: {
    method: 'POST',
    path: '/v1/tenants',
    access: 'admin',
    proves: 'uncounted',
    summary: 'Create a tenant and mint its first agent key, shown once.',
    body: tenantRequestSchema,
    answers: { 201: { description: 'Created.', body: tenantCreatedSchema } },
    errors: ['tenant_conflict'],
  },
  mint_key: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/api-keys',
    access: 'admin',
    proves: 'uncounted',
    summary: 'Mint a key of an agent or of a role; the secret is shown once.',
    params: tenantParams,
    body: keyRequestSchema,
    answers: { 201: { description: 'Minted.', body: keyIssuedSchema } },
    errors: ['tenant_not_found', 'too_many_keys'],
  },
  list_keys: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/api-keys',
    access: 'admin',
    summary: 'Key metadata of a tenant.',
    params: tenantParams,
    query: pagingQuery,
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ api_keys: z.array(apiKeySchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: ['tenant_not_found'],
  },
  revoke_key: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/api-keys/{key_id}/revoke',
    access: 'admin',
    summary: 'Revoke a key, effective at the next request on every process.',
    params: keyParams,
    answers: { 200: { description: 'Revoked.', body: z.strictObject({ key: apiKeySchema }) } },
    errors: ['key_not_found', 'tenant_not_found'],
  },
  read_policy: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/policy',
    access: 'admin',
    summary: 'The policy in force, with its revision as ETag.',
    params: tenantParams,
    answers: { 200: { description: 'The policy.', body: policyStateSchema, headers: ['etag'] } },
    errors: ['tenant_not_found'],
  },
  replace_policy: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/policy',
    access: 'admin',
    proves: 'counted',
    summary: 'Replace the policy for future proposals; `If-Match` guards against lost updates.',
    headers: ['if-match'],
    params: tenantParams,
    body: z.union([policyChangeSchema, documentSchema('Policy')]),
    answers: {
      200: {
        description: 'The policy in force.',
        body: changedPolicySchema,
        headers: ['etag'],
      },
    },
    errors: [
      'tenant_not_found',
      'revision_mismatch',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  validate_policy: {
    method: 'POST',
    path: '/v1/policies/validate',
    access: 'admin',
    proves: 'counted',
    summary: 'Validate and normalize a policy; changes nothing.',
    body: documentSchema('Policy'),
    answers: {
      200: { description: 'The policy is valid.', body: policyValidationSchema },
    },
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
