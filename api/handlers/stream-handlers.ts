import type { streamEndpoints } from '../../shared/contract/endpoints/audit-endpoints.ts'
import type { hostedEndpoints } from '../../shared/contract/endpoints/hosted-endpoints.ts'
import { memberRoles } from '../../shared/contract/role-schema.ts'
import { confirmSession } from '../../shared/flow/account/sessions.ts'
import { followLog, streamHolders } from '../../shared/flow/log/follow-log.ts'
import { confirmKey } from '../../shared/flow/tenant/authenticate-key.ts'
import type { Handlers } from './handler.ts'

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
  async follow_owned_tenant(context, { params, session, organization_id, preferences }) {
    const { tenant_id } = params
    const body = await followLog(context, {
      tenant_id,
      after: preferences.last_event_id,
      holders: streamHolders(`account ${session.account.account_id}`, tenant_id, organization_id),
      confirm: () => confirmSession(context, session, tenant_id, memberRoles),
    })
    return { status: 200, body }
  },
}
