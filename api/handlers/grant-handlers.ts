import type { grantEndpoints } from '../../shared/contract/endpoints/grant-endpoints.ts'
import { listGrants, makeGrant, revokeGrant } from '../../shared/flow/tenant/manage-grants.ts'
import type { Handlers } from './handler.ts'

export const grantHandlers: Handlers<typeof grantEndpoints, keyof typeof grantEndpoints> = {
  async list_grants(context, { params }) {
    return { status: 200, body: await listGrants(context, params.tenant_id) }
  },
  async make_grant(context, { params, body: request, principal: author }) {
    return { status: 201, body: await makeGrant(context, params.tenant_id, { request, author }) }
  },
  async revoke_grant(context, { params, body: request, principal: author }) {
    return { status: 200, body: await revokeGrant(context, params, { request, author }) }
  },
}
