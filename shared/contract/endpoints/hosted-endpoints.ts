import { z } from 'zod'
import { historyPageSchema, historyQuerySchema } from '../action/history-schema.ts'
import { inboxGroupsQuerySchema, inboxQuerySchema } from '../action/inbox-schema.ts'
import { actionIdSchema, tenantIdSchema } from '../base/identifier.ts'
import { subscriptionIdSchema } from '../push-schema.ts'
import { type MemberRole, memberRoles } from '../role-schema.ts'
import { actionEndpoints, integrationEndpoints } from './action-endpoints.ts'
import { adminEndpoints } from './admin-endpoints.ts'
import { streamEndpoints } from './audit-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { grantEndpoints } from './grant-endpoints.ts'
import { operatorEndpoints } from './operator-endpoints.ts'
import { policyEndpoints } from './policy-endpoints.ts'
import { pushEndpoints } from './push-endpoints.ts'
import { queueEndpoints } from './queue-endpoints.ts'
import { routeEndpoints } from './route-endpoints.ts'
import { secretEndpoints } from './secret-endpoints.ts'
import { toolEndpoints } from './tool-endpoints.ts'
import { verificationEndpoints } from './verification-endpoints.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const actionParams = z.strictObject({ tenant_id: tenantIdSchema, action_id: actionIdSchema })

const inboxTenants = {
  tenant_id: tenantIdSchema.optional().describe('Of this application alone.'),
  may: z
    .enum(['read', 'decide'])
    .default('read')
    .describe('`decide`: of the applications where you may decide, and of no other.'),
}

const members = {
  keyReaders: ['owner', 'auditor'],
  authors: ['owner', 'policy_author'],
  approvers: ['owner', 'approver'],
  operators: ['owner', 'operator'],
  toolReaders: ['owner', 'operator', 'auditor'],
  inboxReaders: ['owner', 'approver', 'auditor'],
  readers: ['owner', 'policy_author', 'operator', 'auditor'],
  everybody: memberRoles,
} as const satisfies Record<string, readonly MemberRole[]>

/** Offers an existing row under the path of a tenant, to the tenant's members with a session or a key. */
function owned<Row extends Endpoint>(
  row: Row,
  path: string,
  roles: readonly MemberRole[],
): Owned<Row, 'member'> {
  return { ...row, ...placed(row, path), access: 'member', roles }
}

/** Offers an existing row to owners only. It requires a session, because no key has the role of an owner. */
function ofOwner<Row extends Endpoint>(row: Row, path: string): Owned<Row, 'session'> {
  return { ...row, ...placed(row, path), access: 'session', roles: ['owner'] }
}

function placed({ errors }: Endpoint, path: string) {
  return {
    path: `/v1/accounts/tenants/{tenant_id}${path}`,
    hosted: true,
    errors: [...new Set([...errors, 'tenant_not_found' as const])],
  } as const
}

type Owned<Row extends Endpoint, Access extends Endpoint['access']> = Omit<
  Row,
  'path' | 'access' | 'errors'
> &
  Pick<Endpoint, 'path' | 'errors'> & { access: Access; hosted: true; roles: readonly MemberRole[] }

/** Rows of the endpoint table for an owner's application (specification.md#endpoints, Hosted dashboard). */
export const hostedEndpoints = {
  mint_owned_key: ofOwner(adminEndpoints.mint_key, '/api-keys'),
  list_owned_keys: owned(adminEndpoints.list_keys, '/api-keys', members.keyReaders),
  revoke_owned_key: ofOwner(adminEndpoints.revoke_key, '/api-keys/{key_id}/revoke'),
  read_owned_integration: {
    ...owned(integrationEndpoints.integration, '/integration', members.readers),
    summary: 'What an agent of the application begins with: where to call, an example and code that runs.',
    params: tenantParams,
  },
  read_owned_policy: owned(adminEndpoints.read_policy, '/policy', members.readers),
  replace_owned_policy: owned(adminEndpoints.replace_policy, '/policy', members.authors),
  list_owned_policy_revisions: owned(
    policyEndpoints.list_policy_revisions,
    '/policy/revisions',
    members.readers,
  ),
  read_owned_catalog: owned(policyEndpoints.read_catalog, '/catalog', members.everybody),
  revise_owned_catalog: {
    ...owned(policyEndpoints.revise_catalog, '/catalog', members.authors),
    errors: [
      'tenant_not_found',
      'revision_mismatch',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
    summary: 'Make or revise the catalog for future proposals; `If-Match` guards against lost updates.',
  },
  list_owned_catalog_revisions: owned(
    policyEndpoints.list_catalog_revisions,
    '/catalog/revisions',
    members.readers,
  ),
  check_owned_policy: owned(policyEndpoints.check_policy, '/policy/check', members.authors),
  diff_owned_policy: owned(verificationEndpoints.diff_policy, '/policy/diff', members.authors),
  validate_owned_policy: {
    ...owned(adminEndpoints.validate_policy, '/policy/validate', members.authors),
    params: tenantParams,
  },
  list_owned_actions: {
    ...owned(actionEndpoints.list_actions, '/actions', members.readers),
    params: tenantParams,
  },
  search_owned_history: {
    method: 'GET',
    path: '/v1/accounts/tenants/{tenant_id}/history',
    access: 'member',
    hosted: true,
    roles: members.readers,
    summary: 'Actions of the tenant that meet every filter, newest first.',
    params: tenantParams,
    query: historyQuerySchema,
    answers: { 200: { description: 'One page.', body: historyPageSchema } },
    errors: ['tenant_not_found'],
  },
  list_owned_approvals: {
    ...owned(actionEndpoints.list_approvals, '/approvals', members.inboxReaders),
    params: tenantParams,
  },
  owned_inbox: {
    ...actionEndpoints.inbox,
    path: '/v1/accounts/inbox',
    access: 'session',
    hosted: true,
    summary: 'Held actions of all applications, what ends soonest first; filtered and searched.',
    query: inboxQuerySchema.extend(inboxTenants),
    errors: ['tenant_not_found'],
  },
  owned_inbox_groups: {
    ...actionEndpoints.inbox_groups,
    path: '/v1/accounts/inbox/groups',
    access: 'session',
    hosted: true,
    query: inboxGroupsQuerySchema.extend(inboxTenants),
    errors: ['tenant_not_found'],
  },
  decide_owned_approvals: {
    ...owned(actionEndpoints.decide_approvals, '/approvals', members.approvers),
    params: tenantParams,
  },
  read_owned_approval: {
    ...owned(actionEndpoints.read_approval, '/approvals/{action_id}', members.inboxReaders),
    params: actionParams,
  },
  read_owned_review: {
    ...owned(actionEndpoints.read_review, '/approvals/{action_id}/review', members.inboxReaders),
    params: actionParams,
  },
  read_owned_action: {
    ...owned(actionEndpoints.read_action, '/actions/{action_id}', members.everybody),
    params: actionParams,
  },
  export_owned_audit: {
    ...owned(actionEndpoints.export_audit, '/actions/{action_id}/audit-export', members.readers),
    params: actionParams,
  },
  approve_owned_action: {
    ...owned(actionEndpoints.approve_action, '/actions/{action_id}/approve', members.approvers),
    params: actionParams,
  },
  reject_owned_action: {
    ...owned(actionEndpoints.reject_action, '/actions/{action_id}/reject', members.approvers),
    params: actionParams,
  },
  edit_owned_action: {
    ...owned(actionEndpoints.edit_action, '/actions/{action_id}/edit', members.approvers),
    params: actionParams,
  },
  list_owned_routes: owned(routeEndpoints.list_routes, '/routes', members.everybody),
  put_owned_route: ofOwner(routeEndpoints.put_route, '/routes/{name}'),
  delete_owned_route: ofOwner(routeEndpoints.delete_route, '/routes/{name}'),
  list_owned_review_groups: owned(routeEndpoints.list_review_groups, '/groups', members.everybody),
  put_owned_review_group: ofOwner(routeEndpoints.put_review_group, '/groups/{name}'),
  delete_owned_review_group: ofOwner(routeEndpoints.delete_review_group, '/groups/{name}'),
  list_owned_absences: owned(routeEndpoints.list_absences, '/absences', members.everybody),
  put_owned_absence: {
    ...owned(routeEndpoints.put_own_absence, '/absence', members.approvers),
    params: tenantParams,
  },
  read_owned_absences: {
    ...owned(routeEndpoints.read_own_absences, '/absence', members.approvers),
    params: tenantParams,
  },
  decline_owned_absence: {
    ...owned(routeEndpoints.decline_absence, '/absence/decline', members.approvers),
    params: tenantParams,
  },
  list_owned_grants: owned(grantEndpoints.list_grants, '/grants', members.everybody),
  make_owned_grant: owned(grantEndpoints.make_grant, '/grants', members.authors),
  revoke_owned_grant: owned(grantEndpoints.revoke_grant, '/grants/{grant_id}/revoke', members.authors),
  list_owned_webhooks: owned(webhookEndpoints.list_webhooks, '/webhooks', members.toolReaders),
  create_owned_webhook: ofOwner(webhookEndpoints.create_webhook, '/webhooks'),
  replace_owned_webhook: ofOwner(webhookEndpoints.replace_webhook, '/webhooks/{webhook_id}'),
  delete_owned_webhook: ofOwner(webhookEndpoints.delete_webhook, '/webhooks/{webhook_id}'),
  list_owned_deliveries: owned(
    webhookEndpoints.list_deliveries,
    '/webhooks/{webhook_id}/deliveries',
    members.toolReaders,
  ),
  redeliver_owned: ofOwner(
    webhookEndpoints.redeliver,
    '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  ),
  read_owned_push: {
    ...owned(pushEndpoints.read_push, '/push-subscriptions', members.approvers),
    params: tenantParams,
  },
  subscribe_owned_push: {
    ...owned(pushEndpoints.subscribe_push, '/push-subscriptions', members.approvers),
    params: tenantParams,
  },
  unsubscribe_owned_push: {
    ...owned(pushEndpoints.unsubscribe_push, '/push-subscriptions/{subscription_id}', members.approvers),
    params: z.strictObject({ tenant_id: tenantIdSchema, subscription_id: subscriptionIdSchema }),
  },
  comment_owned_action: {
    ...owned(actionEndpoints.comment_action, '/actions/{action_id}/comments', members.approvers),
    params: actionParams,
  },
  list_owned_secrets: owned(secretEndpoints.list_secrets, '/secrets', members.toolReaders),
  put_owned_secret: owned(secretEndpoints.put_secret, '/secrets/{name}', members.operators),
  confirm_owned_secret: owned(secretEndpoints.confirm_secret, '/secrets/{name}/confirm', members.operators),
  delete_owned_secret: owned(secretEndpoints.delete_secret, '/secrets/{name}', members.operators),
  list_owned_tools: owned(toolEndpoints.list_tools, '/tools', members.readers),
  read_owned_tool: owned(toolEndpoints.read_tool, '/tools/{system}', members.readers),
  read_owned_tool_health: owned(toolEndpoints.read_tool_health, '/tools/{system}/health', members.readers),
  import_owned_tool: owned(toolEndpoints.import_tool, '/tool-imports', members.operators),
  change_owned_tool: owned(toolEndpoints.change_tool, '/tools/{system}', members.operators),
  remove_owned_tool: owned(toolEndpoints.remove_tool, '/tools/{system}', members.operators),
  test_owned_tool: owned(toolEndpoints.test_tool, '/tools/{system}/test', members.operators),
  read_owned_numbers: owned(queueEndpoints.read_numbers, '/numbers', members.readers),
  read_owned_freezes: owned(queueEndpoints.read_freezes, '/freezes', members.everybody),
  pause_owned_tenant: owned(operatorEndpoints.pause, '/pause', members.operators),
  resume_owned_tenant: {
    ...owned(operatorEndpoints.resume, '/resume', members.operators),
    errors: ['tenant_not_found', 'freeze_not_found', 'stopped_by_operator'],
  },
  freeze_owned_tenant: owned(operatorEndpoints.freeze, '/freeze', members.operators),
  unfreeze_owned_tenant: {
    ...owned(operatorEndpoints.unfreeze, '/unfreeze', members.operators),
    errors: ['tenant_not_found', 'freeze_not_found', 'stopped_by_operator'],
  },
  follow_owned_tenant: {
    ...owned(streamEndpoints.follow_tenant, '/stream', members.everybody),
    params: tenantParams,
  },
} as const satisfies Record<string, Endpoint>
