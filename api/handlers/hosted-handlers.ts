import type { integrationEndpoints } from '../../shared/contract/endpoints/action-endpoints.ts'
import type { hostedEndpoints } from '../../shared/contract/endpoints/hosted-endpoints.ts'
import { inboxTenants } from '../../shared/flow/account/owned-tenants.ts'
import { findInHistory } from '../../shared/flow/action/read-history.ts'
import { groupInbox, readInbox } from '../../shared/flow/action/read-inbox.ts'
import { putCatalog } from '../../shared/flow/policy/catalogs.ts'
import { integrationBundle } from '../../shared/flow/tenant/integration.ts'
import { actionHandlers } from './action-handlers.ts'
import { adminHandlers } from './admin-handlers.ts'
import { grantHandlers } from './grant-handlers.ts'
import { expectedRevision, type Handlers, revisionTag } from './handler.ts'
import { operatorHandlers } from './operator-handlers.ts'
import { policyHandlers } from './policy-handlers.ts'
import { pushHandlers } from './push-handlers.ts'
import { queueHandlers } from './queue-handlers.ts'
import { routeHandlers } from './route-handlers.ts'
import { secretHandlers } from './secret-handlers.ts'
import { toolHandlers } from './tool-handlers.ts'
import { verificationHandlers } from './verification-handlers.ts'
import { webhookHandlers } from './webhook-handlers.ts'

/** Handlers of an owner's rows. Most are handlers of other surfaces, so that both surfaces behave alike. */
export const hostedHandlers: Handlers<Omit<typeof hostedEndpoints, 'follow_owned_tenant'>> = {
  mint_owned_key: adminHandlers.mint_key,
  list_owned_keys: adminHandlers.list_keys,
  revoke_owned_key: adminHandlers.revoke_key,
  async read_owned_integration(context, { params }) {
    return {
      status: 200,
      body: await integrationBundle(context, params.tenant_id, { scope: 'agent', key_id: null }),
    }
  },
  read_owned_policy: adminHandlers.read_policy,
  replace_owned_policy: adminHandlers.replace_policy,
  list_owned_policy_revisions: policyHandlers.list_policy_revisions,
  read_owned_catalog: policyHandlers.read_catalog,
  async revise_owned_catalog(context, { params, body, principal: author, preferences }) {
    const expected = expectedRevision(preferences.if_match)
    const made = await putCatalog(context, { ...params, body, author, expected })
    return { status: 200, body: made, headers: { etag: revisionTag(made.revision) } }
  },
  list_owned_catalog_revisions: policyHandlers.list_catalog_revisions,
  check_owned_policy: policyHandlers.check_policy,
  diff_owned_policy: verificationHandlers.diff_policy,
  validate_owned_policy: adminHandlers.validate_policy,
  list_owned_actions: actionHandlers.list_actions,
  async search_owned_history(context, { params, query }) {
    return { status: 200, body: await findInHistory(context, { ...params, query }) }
  },
  list_owned_approvals: actionHandlers.list_approvals,
  async owned_inbox(context, { session, query: { tenant_id, may, ...query } }) {
    const tenantIds = await inboxTenants(context, session, { tenant_id, may })
    return { status: 200, body: await readInbox(context, { tenantIds, viewer: session.account, query }) }
  },
  async owned_inbox_groups(context, { session, query: { tenant_id, may, ...query } }) {
    const tenantIds = await inboxTenants(context, session, { tenant_id, may })
    return { status: 200, body: await groupInbox(context, { tenantIds, query }) }
  },
  decide_owned_approvals: actionHandlers.decide_approvals,
  read_owned_approval: actionHandlers.read_approval,
  read_owned_review: actionHandlers.read_review,
  read_owned_action: actionHandlers.read_action,
  export_owned_audit: actionHandlers.export_audit,
  approve_owned_action: actionHandlers.approve_action,
  list_owned_tools: toolHandlers.list_tools,
  read_owned_tool: toolHandlers.read_tool,
  read_owned_tool_health: toolHandlers.read_tool_health,
  import_owned_tool: toolHandlers.import_tool,
  change_owned_tool: toolHandlers.change_tool,
  remove_owned_tool: toolHandlers.remove_tool,
  test_owned_tool: toolHandlers.test_tool,
  reject_owned_action: actionHandlers.reject_action,
  edit_owned_action: actionHandlers.edit_action,
  list_owned_routes: routeHandlers.list_routes,
  put_owned_route: routeHandlers.put_route,
  delete_owned_route: routeHandlers.delete_route,
  list_owned_review_groups: routeHandlers.list_review_groups,
  put_owned_review_group: routeHandlers.put_review_group,
  delete_owned_review_group: routeHandlers.delete_review_group,
  list_owned_absences: routeHandlers.list_absences,
  put_owned_absence: routeHandlers.put_own_absence,
  read_owned_absences: routeHandlers.read_own_absences,
  decline_owned_absence: routeHandlers.decline_absence,
  list_owned_grants: grantHandlers.list_grants,
  make_owned_grant: grantHandlers.make_grant,
  revoke_owned_grant: grantHandlers.revoke_grant,
  list_owned_webhooks: webhookHandlers.list_webhooks,
  create_owned_webhook: webhookHandlers.create_webhook,
  replace_owned_webhook: webhookHandlers.replace_webhook,
  delete_owned_webhook: webhookHandlers.delete_webhook,
  list_owned_deliveries: webhookHandlers.list_deliveries,
  redeliver_owned: webhookHandlers.redeliver,
  read_owned_push: pushHandlers.read_push,
  subscribe_owned_push: pushHandlers.subscribe_push,
  unsubscribe_owned_push: pushHandlers.unsubscribe_push,
  comment_owned_action: actionHandlers.comment_action,
  list_owned_secrets: secretHandlers.list_secrets,
  put_owned_secret: secretHandlers.put_secret,
  confirm_owned_secret: secretHandlers.confirm_secret,
  delete_owned_secret: secretHandlers.delete_secret,
  read_owned_numbers: queueHandlers.read_numbers,
  read_owned_freezes: queueHandlers.read_freezes,
  pause_owned_tenant: operatorHandlers.pause,
  resume_owned_tenant: operatorHandlers.resume,
  freeze_owned_tenant: operatorHandlers.freeze,
  unfreeze_owned_tenant: operatorHandlers.unfreeze,
}

export const integrationHandlers: Handlers<typeof integrationEndpoints> = {
  async integration(context, { principal }) {
    const { tenant_id, key_id } = principal
    const scope = principal.scope === 'approver' ? 'approver' : 'agent'
    return { status: 200, body: await integrationBundle(context, tenant_id, { scope, key_id }) }
  },
}
