import type { secretEndpoints } from '../../shared/contract/endpoints/secret-endpoints.ts'
import {
  confirmSecret,
  deleteSecret,
  listSecrets,
  putSecret,
} from '../../shared/flow/tenant/manage-secrets.ts'
import type { Handlers } from './handler.ts'

export const secretHandlers: Handlers<
  typeof secretEndpoints,
  'put_secret' | 'confirm_secret' | 'delete_secret' | 'list_secrets'
> = {
  async list_secrets(context, { params }) {
    return { status: 200, body: await listSecrets(context, params.tenant_id) }
  },
  async put_secret(context, { params, body: request, principal: author }) {
    return { status: 200, body: await putSecret(context, params, { request, author }) }
  },
  async confirm_secret(context, { params, body: request, principal: author }) {
    return { status: 200, body: await confirmSecret(context, params, { request, author }) }
  },
  async delete_secret(context, { params, principal: author }) {
    return { status: 200, body: { secret: await deleteSecret(context, params, author) } }
  },
}
