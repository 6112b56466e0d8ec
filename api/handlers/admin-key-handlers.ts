import type { adminKeyEndpoints } from '../../shared/contract/endpoints/admin-key-endpoints.ts'
import { listAdminKeys, mintAdminKey, revokeAdminKey } from '../../shared/flow/tenant/admin-keys.ts'
import type { Handlers } from './handler.ts'

export const adminKeyHandlers: Handlers<typeof adminKeyEndpoints> = {
  async list_admin_keys(context, { query }) {
    return { status: 200, body: await listAdminKeys(context, { limit: query.limit, cursor: query.cursor }) }
  },
  async read_own_admin_key(_context, { principal }) {
    return { status: 200, body: principal }
  },
  async mint_admin_key(context, { body, principal }) {
    return { status: 201, body: await mintAdminKey(context, body, principal) }
  },
  async revoke_admin_key(context, { params, body, principal }) {
    const asked = { keyId: params.key_id, allowLast: body.allow_last }
    return { status: 200, body: { key: await revokeAdminKey(context, asked, principal) } }
  },
}
