import type { integrationEndpoints } from '../../shared/contract/endpoints/action-endpoints.ts'
import { integrationBundle } from '../../shared/flow/tenant/integration.ts'
import type { Handlers } from './handler.ts'

export const integrationHandlers: Handlers<typeof integrationEndpoints> = {
  async integration(context, { principal }) {
    const scope = principal.scope === 'approver' ? 'approver' : 'agent'
    return { status: 200, body: await integrationBundle(context, principal.tenant_id, scope) }
  },
}
