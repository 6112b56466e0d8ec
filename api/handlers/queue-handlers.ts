import type { KeyPrincipal } from '../../shared/contract/action/verdict.ts'
import type { queueEndpoints } from '../../shared/contract/endpoints/queue-endpoints.ts'
import { readNumbers } from '../../shared/flow/action/read-history.ts'
import { readFreezeState } from '../../shared/flow/execution/freezes.ts'
import { listJobs, readQueue, readQueueHistory } from '../../shared/flow/execution/read-queue.ts'
import { requireTenant } from '../../shared/flow/tenant/tenants.ts'
import { actionHandlers } from './action-handlers.ts'
import type { Handlers } from './handler.ts'

export const queueHandlers: Handlers<typeof queueEndpoints, 'read_freezes' | 'read_numbers'> = {
  async read_queue(context) {
    return { status: 200, body: await readQueue(context) }
  },
  async read_queue_history(context, { query }) {
    return { status: 200, body: await readQueueHistory(context, query.minutes) }
  },
  async list_jobs(context, { query }) {
    const { view, limit, tenant_id = null, cursor: after = null } = query
    return { status: 200, body: await listJobs(context, { view, limit, tenant_id, after }) }
  },
  async read_numbers(context, { params, query }) {
    await requireTenant(context, params.tenant_id)
    return { status: 200, body: await readNumbers(context, { ...params, ...query }) }
  },
  async read_freezes(context, { params }) {
    return { status: 200, body: await readFreezeState(context, params.tenant_id) }
  },
  async list_tenant_actions(context, request) {
    await requireTenant(context, request.params.tenant_id)
    return actionHandlers.list_actions(context, { ...request, principal: ofTenant(request) })
  },
  read_tenant_action: (context, request) =>
    actionHandlers.read_action(context, { ...request, principal: ofTenant(request) }),
  export_tenant_audit: (context, request) =>
    actionHandlers.export_audit(context, { ...request, principal: ofTenant(request) }),
}

/** Who asks, as somebody of the tenant that the path names. */
function ofTenant({ principal, params }: { principal: KeyPrincipal; params: { tenant_id: string } }) {
  return { ...principal, tenant_id: params.tenant_id }
}
