import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { admissionReportSchema, admissionRequestSchema } from '../configuration/admission.ts'
import { policyDiffRequestSchema, policyDiffSchema } from '../configuration/policy-diff.ts'
import {
  boundReportSchema,
  draftVerificationSchema,
  verificationGateSchema,
  verificationReportSchema,
  verificationRequestSchema,
  verificationSchema,
} from '../configuration/verification-schema.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })

/** Rows of the endpoint table for proofs (specification.md#verification-of-policies). */
export const verificationEndpoints = {
  verify_policy: {
    method: 'POST',
    path: '/v1/policies/verify',
    access: 'admin',
    proves: 'counted',
    summary: 'Prove that no proposal reaches forbidden outcomes of a policy, or find one that does.',
    description: 'Nothing is stored, and no tenant is asked about: actuators are taken to be registered.',
    body: draftVerificationSchema,
    answers: { 200: { description: 'What was proved.', body: verificationSchema } },
    errors: [],
  },
  verify_tenant_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/verify',
    access: 'admin',
    proves: 'counted',
    summary: 'Prove outcomes of what is in force, or of drafts, and store the report.',
    description:
      'The report is bound to the hashes of the policy and the catalog, and signed where audit signing is configured: ' +
      'at once as a rule, or a little later, when `signature` is still null.',
    params: tenantParams,
    body: verificationRequestSchema,
    answers: { 200: { description: 'The stored report.', body: verificationReportSchema } },
    errors: ['tenant_not_found'],
  },
  list_verifications: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/verification',
    access: 'admin',
    summary: 'Stored verification reports, newest first, and how each stands to what is in force now.',
    params: tenantParams,
    query: z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() }),
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ reports: z.array(boundReportSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: ['tenant_not_found'],
  },
  set_verification_gate: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/verification-gate',
    access: 'admin',
    summary: 'Whether revisions that break the latest passing report are refused (extension).',
    params: tenantParams,
    body: verificationGateSchema,
    answers: { 200: { description: 'As it is now.', body: verificationGateSchema } },
    errors: ['tenant_not_found'],
  },
  diff_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/diff',
    access: 'admin',
    proves: 'counted',
    summary: 'What drafts newly allow, hold and deny against what is in force (extension); records nothing.',
    params: tenantParams,
    body: policyDiffRequestSchema,
    answers: { 200: { description: 'Each kind of change, with witnesses.', body: policyDiffSchema } },
    errors: ['tenant_not_found'],
  },
  admit_policy: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/policy/admit',
    access: 'admin',
    proves: 'counted',
    summary:
      'Every hole of coverage, catalog, schemas, actuators, idempotency and deployment; changes nothing.',
    params: tenantParams,
    body: admissionRequestSchema,
    answers: { 200: { description: 'The holes, and whether one is blocking.', body: admissionReportSchema } },
    errors: ['tenant_not_found'],
  },
} as const satisfies Record<string, Endpoint>
