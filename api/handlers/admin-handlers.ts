import type { adminEndpoints } from '../../shared/contract/endpoints/admin-endpoints.ts'
import { validatePolicy } from '../../shared/flow/core/policy-document.ts'
import { readPolicy, replacePolicy } from '../../shared/flow/policy/policies.ts'
import { listKeys, mintKey, revokeKey } from '../../shared/flow/tenant/keys.ts'
import { createTenant, listTenants } from '../../shared/flow/tenant/tenants.ts'
import { expectedRevision, type Handlers, revisionTag } from './handler.ts'

type OwnedRows =
  | 'mint_key'
  | 'list_keys'
  | 'revoke_key'
  | 'read_policy'
  | 'replace_policy'
  | 'validate_policy'

export const adminHandlers: Handlers<typeof adminEndpoints, OwnedRows> = {
  async list_tenants(context, { query }) {
    return { status: 200, body: await listTenants(context, { limit: query.limit, cursor: query.cursor }) }
  },
  async create_tenant(context, { body, principal }) {
    return { status: 201, body: await createTenant(context, body, principal) }
  },
  async mint_key(context, { params, body, principal }) {
    return { status: 201, body: await mintKey(context, params.tenant_id, body, principal) }
  },
  async list_keys(context, { params, query }) {
    return {
      status: 200,
      body: await listKeys(context, params.tenant_id, { limit: query.limit, cursor: query.cursor }),
    }
  },
  async revoke_key(context, { params, principal }) {
    const key = await revokeKey(context, params.tenant_id, params.key_id, principal)
    return { status: 200, body: { key } }
  },
  async read_policy(context, { params }) {
    const body = await readPolicy(context, params.tenant_id)
    return { status: 200, body, headers: { etag: revisionTag(body.revision) } }
  },
  async replace_policy(context, { params, body, principal, preferences }) {
    const expected = expectedRevision(preferences.if_match)
    const state = await replacePolicy(context, {
      tenant_id: params.tenant_id,
      body,
      author: principal,
      expected,
    })
    return { status: 200, body: state, headers: { etag: revisionTag(state.revision) } }
  },
  async validate_policy(context, { body }) {
    const { document: policy, hash: policy_hash, warnings } = await validatePolicy(context, body)
    return { status: 200, body: { valid: true, policy, policy_hash, warnings } }
  },
}
