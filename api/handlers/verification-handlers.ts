import type { verificationEndpoints } from '../../shared/contract/endpoints/verification-endpoints.ts'
import { admitPolicy } from '../../shared/flow/policy/admit-policy.ts'
import { setVerificationGate } from '../../shared/flow/policy/change-proved.ts'
import { listReports } from '../../shared/flow/policy/list-reports.ts'
import { diffPolicy } from '../../shared/flow/policy/try-drafts.ts'
import { verifyDraft, verifyTenantPolicy } from '../../shared/flow/policy/verify-policy.ts'
import type { Handlers } from './handler.ts'

export const verificationHandlers: Handlers<typeof verificationEndpoints, 'diff_policy'> = {
  async verify_policy(context, { body }) {
    return { status: 200, body: await verifyDraft(context, body) }
  },
  async verify_tenant_policy(context, { params, body: request, principal: author }) {
    return { status: 200, body: await verifyTenantPolicy(context, { ...params, request, author }) }
  },
  async list_verifications(context, { params, query }) {
    const { limit, cursor } = query
    return { status: 200, body: await listReports(context, params.tenant_id, { limit, cursor }) }
  },
  async set_verification_gate(context, { params, body: gate, principal: author }) {
    return { status: 200, body: await setVerificationGate(context, { ...params, gate, author }) }
  },
  async diff_policy(context, { params, body }) {
    return { status: 200, body: await diffPolicy(context, params.tenant_id, body) }
  },
  async admit_policy(context, { params, body: request, principal: author, now }) {
    return { status: 200, body: await admitPolicy(context, { ...params, request, author, now }) }
  },
}
