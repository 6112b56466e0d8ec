import type { streamEndpoints } from '../../shared/contract/endpoints/audit-endpoints.ts'
import type { hostedEndpoints } from '../../shared/contract/endpoints/hosted-endpoints.ts'
import { followLog, streamHolders } from '../../shared/flow/log/follow-log.ts'
import { confirmKey } from '../../shared/flow/tenant/authenticate-key.ts'
import { confirmReader, type Handlers } from './handler.ts'

type Rows = typeof streamEndpoints & Pick<typeof hostedEndpoints, 'follow_owned_tenant'>

export const streamHandlers: Handlers<Rows> = {
  async follow_tenant(context, { principal, organization_id, preferences }) {
    const { key_id, tenant_id } = principal
    const body = await followLog(context, {
      tenant_id,
      after: preferences.last_event_id,
      holders: streamHolders(`key ${key_id}`, tenant_id, organization_id),
      confirm: () => confirmKey(context, key_id),
    })
    return { status: 200, body }
  },
  async follow_owned_tenant(context, { params, principal, session, organization_id, preferences }) {
    const { tenant_id } = params
    const name = 'key_id' in principal ? `key ${principal.key_id}` : `account ${principal.account_id}`
    const body = await followLog(context, {
      tenant_id,
      after: preferences.last_event_id,
      holders: streamHolders(name, tenant_id, organization_id),
      confirm: () => confirmReader(context, principal, session),
    })
    return { status: 200, body }
  },
}
