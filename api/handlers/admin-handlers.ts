import type { adminEndpoints } from '../../shared/contract/endpoints/admin-endpoints.ts'
import { ServiceError } from '../../shared/contract/errors.ts'
import { listKeys, mintKey, revokeKey } from '../../shared/flow/keys.ts'
import { readPolicy, replacePolicy } from '../../shared/flow/policies.ts'
import { validatePolicy } from '../../shared/flow/policy-document.ts'
import { createTenant, listTenants } from '../../shared/flow/tenants.ts'
import type { Handlers } from './handler.ts'

export const adminHandlers: Handlers<typeof adminEndpoints> = {
  async list_tenants(context, { query }) {
    return { status: 200, body: await listTenants(context, { limit: query.limit, cursor: query.cursor }) }
  },
  async create_tenant(context, { body, principal }) {
    return { status: 201, body: await createTenant(context, body, principal) }
  },
  async mint_key(context, { params, body }) {
    return { status: 201, body: await mintKey(context, params.tenant_id, body) }
  },
  async list_keys(context, { params, query }) {
    return {
      status: 200,
      body: await listKeys(context, params.tenant_id, { limit: query.limit, cursor: query.cursor }),
    }
  },
  async revoke_key(context, { params }) {
    return { status: 200, body: { key: await revokeKey(context, params.tenant_id, params.key_id) } }
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
  async validate_policy(_context, { body }) {
    return { status: 200, body: { valid: true, ...validatePolicy(body) } }
  },
}

function revisionTag(revision: number): string {
  return `"${revision}"`
}

/** The revision that `If-Match` names; null without the header or with `*`. */
function expectedRevision(ifMatch: string | null): number | null {
  if (ifMatch === null || ifMatch === '*') return null
  const [, revision] = /^"(\d{1,9})"$/.exec(ifMatch) ?? []
  if (!revision)
    throw new ServiceError('invalid_header', 'If-Match must be the ETag of one revision, such as "3"')
  return Number(revision)
}
