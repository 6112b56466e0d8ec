import type { hostedEndpoints } from '../../shared/contract/endpoints/hosted-endpoints.ts'
import type { streamEndpoints } from '../../shared/contract/endpoints/stream-endpoints.ts'
import { followLog } from '../../shared/flow/follow-log.ts'
import { confirmKey } from '../../shared/flow/keys.ts'
import { confirmSession } from '../../shared/flow/sessions.ts'
import type { Handlers } from './handler.ts'

type Rows = typeof streamEndpoints & Pick<typeof hostedEndpoints, 'follow_owned_tenant'>

export const streamHandlers: Handlers<Rows> = {
  async follow_tenant(context, { principal, preferences }) {
    const { key_id, tenant_id } = principal
    const body = await followLog(context, {
      tenant_id,
      after: preferences.last_event_id,
      holder: key_id,
      confirm: () => confirmKey(context, key_id),
    })
    return { status: 200, body }
  },
  async follow_owned_tenant(context, { params, session, preferences }) {
    const { tenant_id } = params
    const body = await followLog(context, {
      tenant_id,
      after: preferences.last_event_id,
      holder: session.account.account_id,
      confirm: () => confirmSession(context, session, tenant_id),
    })
    return { status: 200, body }
  },
}
