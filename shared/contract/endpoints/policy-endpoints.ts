import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import { catalogChangeSchema, catalogRevisionSchema, changedCatalogSchema } from '../configuration/catalog.ts'
import {
  checkedProposalSchema,
  policyCheckSchema,
  policyReplaySchema,
  replayReportSchema,
} from '../configuration/policy-check.ts'
import { policyRollbackSchema, policyStateSchema, restoredPolicySchema } from '../configuration/tenant.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, revisionNumberSchema } from './paging.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const revisionParams = tenantParams.extend({ revision: revisionNumberSchema })
const revisionPage = z.strictObject({ limit: listLimitSchema, cursor: revisionNumberSchema.optional() })
const catalogBody = z.union([catalogChangeSchema, documentSchema('Catalog')])

/** Rows of the endpoint table for revisions, drafts and the catalog (specification.md#endpoints, Admin). */
export const policyEndpoints = {
  list_policy_revisions: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/policy/revisions',
    access: 'admin',
    summary: 'Revisions of the policy, newest first.',
    params: tenantParams,
    query: revisionPage,
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ revisions: z.array(policyStateSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: ['tenant_not_found'],
  },
  rollback_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/rollback',
    access: 'admin',
    proves: 'counted',
    summary: 'Make a new revision with the content of an old one.',
    params: tenantParams,
    body: policyRollbackSchema,
    answers: { 200: { description: 'The policy in force.', body: restoredPolicySchema, headers: ['etag'] } },
    errors: [
      'tenant_not_found',
      'revision_not_found',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  check_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/check',
    access: 'admin',
    proves: 'counted',
    summary: 'Decide a proposal under the documents in force, or drafts; records nothing.',
    params: tenantParams,
    body: policyCheckSchema,
    answers: { 200: { description: 'What the gate says.', body: checkedProposalSchema } },
    errors: ['tenant_not_found'],
  },
  replay_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/replay',
    access: 'admin',
    proves: 'counted',
    summary: 'Decide recorded proposals again under drafts; records nothing.',
    params: tenantParams,
    body: policyReplaySchema,
    answers: { 200: { description: 'What would have been decided otherwise.', body: replayReportSchema } },
    errors: ['tenant_not_found'],
  },
  read_catalog: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/catalog',
    access: 'admin',
    summary: 'The catalog in force, with its revision as ETag.',
    params: tenantParams,
    answers: { 200: { description: 'The catalog.', body: catalogRevisionSchema, headers: ['etag'] } },
    errors: ['tenant_not_found', 'catalog_not_found'],
  },
  create_catalog: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/catalog',
    access: 'admin',
    proves: 'counted',
    summary: 'Create the reviewed operation catalog.',
    params: tenantParams,
    body: catalogBody,
    answers: { 201: { description: 'Created.', body: changedCatalogSchema, headers: ['etag'] } },
    errors: [
      'tenant_not_found',
      'catalog_conflict',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  revise_catalog: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/catalog',
    access: 'admin',
    proves: 'counted',
    summary: 'Revise the catalog for future proposals; `If-Match` guards against lost updates.',
    headers: ['if-match'],
    params: tenantParams,
    body: catalogBody,
    answers: {
      200: { description: 'The catalog in force.', body: changedCatalogSchema, headers: ['etag'] },
    },
    errors: [
      'tenant_not_found',
      'catalog_not_found',
      'revision_mismatch',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  list_catalog_revisions: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/catalog/revisions',
    access: 'admin',
    summary: 'Revisions of the catalog, newest first.',
    params: tenantParams,
    query: revisionPage,
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ revisions: z.array(catalogRevisionSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: ['tenant_not_found'],
  },
  read_catalog_revision: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/catalog/revisions/{revision}',
    access: 'admin',
    summary: 'One revision of the catalog.',
    params: revisionParams,
    answers: { 200: { description: 'The revision.', body: catalogRevisionSchema } },
    errors: ['catalog_not_found', 'tenant_not_found'],
  },
} as const satisfies Record<string, Endpoint>
