import type { queueEndpoints } from '../../shared/contract/endpoints/queue-endpoints.ts'
import { readNumbers } from '../../shared/flow/action/read-history.ts'
import { readFreezeState } from '../../shared/flow/execution/freezes.ts'
import { listJobs, readQueue, readQueueHistory } from '../../shared/flow/execution/read-queue.ts'
import { requireTenant } from '../../shared/flow/tenant/tenants.ts'
import { exportAuditOf, listActionsOf, readTraceOf } from './action-handlers.ts'
import { confirmAdmin, type Handlers } from './handler.ts'

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
  async list_tenant_actions(context, { params, query }) {
    await requireTenant(context, params.tenant_id)
    return listActionsOf(context, params.tenant_id, query)
  },
  read_tenant_action: (context, { principal, operator, params, query, preferences }) =>
    readTraceOf(
      context,
      {
        ...params,
        key_id: null,
        held_only: false,
        confirm: () => confirmAdmin(context, principal, operator),
      },
      { query, preferences },
    ),
  export_tenant_audit: (context, { params, query }) => exportAuditOf(context, params, query),
}
