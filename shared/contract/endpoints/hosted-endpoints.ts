import { z } from 'zod'
import { inboxQuerySchema } from '../action/inbox-schema.ts'
import { actionIdSchema, tenantIdSchema } from '../base/identifier.ts'
import { actionEndpoints, integrationEndpoints } from './action-endpoints.ts'
import { adminEndpoints } from './admin-endpoints.ts'
import { streamEndpoints } from './audit-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { operatorEndpoints } from './operator-endpoints.ts'
import { policyEndpoints } from './policy-endpoints.ts'
import { queueEndpoints } from './queue-endpoints.ts'
import { routeEndpoints } from './route-endpoints.ts'
import { secretEndpoints } from './secret-endpoints.ts'
import { toolEndpoints } from './tool-endpoints.ts'
import { verificationEndpoints } from './verification-endpoints.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const actionParams = z.strictObject({ tenant_id: tenantIdSchema, action_id: actionIdSchema })

/** A row of another surface as the owner of the tenant has it: the same answers behind one guard. */
function owned<Row extends Endpoint>(row: Row, path: string): Owned<Row> {
  const errors = [...new Set([...row.errors, 'tenant_not_found' as const])]
  return { ...row, path: `/v1/accounts/tenants/{tenant_id}${path}`, access: 'session', hosted: true, errors }
}

type Owned<Row extends Endpoint> = Omit<Row, 'path' | 'access' | 'errors'> &
  Pick<Endpoint, 'path' | 'errors'> & { access: 'session'; hosted: true }

/** Rows of the endpoint table about an owner's application (specification.md#endpoints, Hosted dashboard). */
export const hostedEndpoints = {
  mint_owned_key: owned(adminEndpoints.mint_key, '/api-keys'),
  list_owned_keys: owned(adminEndpoints.list_keys, '/api-keys'),
  revoke_owned_key: owned(adminEndpoints.revoke_key, '/api-keys/{key_id}/revoke'),
  read_owned_integration: {
    ...owned(integrationEndpoints.integration, '/integration'),
    summary: 'What an agent of the application begins with: where to call, an example and code that runs.',
    params: tenantParams,
  },
  read_owned_policy: owned(adminEndpoints.read_policy, '/policy'),
  replace_owned_policy: owned(adminEndpoints.replace_policy, '/policy'),
  list_owned_policy_revisions: owned(policyEndpoints.list_policy_revisions, '/policy/revisions'),
  read_owned_catalog: owned(policyEndpoints.read_catalog, '/catalog'),
  revise_owned_catalog: {
    ...owned(policyEndpoints.revise_catalog, '/catalog'),
    errors: [
      'tenant_not_found',
      'revision_mismatch',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
    summary: 'Make or revise the catalog for future proposals; `If-Match` guards against lost updates.',
  },
  list_owned_catalog_revisions: owned(policyEndpoints.list_catalog_revisions, '/catalog/revisions'),
  check_owned_policy: owned(policyEndpoints.check_policy, '/policy/check'),
  diff_owned_policy: owned(verificationEndpoints.diff_policy, '/policy/diff'),
  validate_owned_policy: {
    ...owned(adminEndpoints.validate_policy, '/policy/validate'),
    params: tenantParams,
  },
  list_owned_actions: { ...owned(actionEndpoints.list_actions, '/actions'), params: tenantParams },
  list_owned_approvals: { ...owned(actionEndpoints.list_approvals, '/approvals'), params: tenantParams },
  owned_inbox: {
    ...actionEndpoints.inbox,
    path: '/v1/accounts/inbox',
    access: 'session',
    hosted: true,
    summary: 'Held actions of all applications, what ends soonest first; filtered and searched.',
    query: inboxQuerySchema.extend({
      tenant_id: tenantIdSchema.optional().describe('Of this application alone.'),
    }),
    errors: ['tenant_not_found'],
  },
  decide_owned_approvals: { ...owned(actionEndpoints.decide_approvals, '/approvals'), params: tenantParams },
  read_owned_approval: {
    ...owned(actionEndpoints.read_approval, '/approvals/{action_id}'),
    params: actionParams,
  },
  read_owned_action: { ...owned(actionEndpoints.read_action, '/actions/{action_id}'), params: actionParams },
  export_owned_audit: {
    ...owned(actionEndpoints.export_audit, '/actions/{action_id}/audit-export'),
    params: actionParams,
  },
  approve_owned_action: {
    ...owned(actionEndpoints.approve_action, '/actions/{action_id}/approve'),
    params: actionParams,
  },
  reject_owned_action: {
    ...owned(actionEndpoints.reject_action, '/actions/{action_id}/reject'),
    params: actionParams,
  },
  list_owned_routes: owned(routeEndpoints.list_routes, '/routes'),
  put_owned_route: owned(routeEndpoints.put_route, '/routes/{name}'),
  delete_owned_route: owned(routeEndpoints.delete_route, '/routes/{name}'),
  list_owned_groups: owned(routeEndpoints.list_groups, '/groups'),
  put_owned_group: owned(routeEndpoints.put_group, '/groups/{name}'),
  delete_owned_group: owned(routeEndpoints.delete_group, '/groups/{name}'),
  list_owned_absences: owned(routeEndpoints.list_absences, '/absences'),
  put_owned_absence: {
    ...owned(routeEndpoints.put_own_absence, '/absence'),
    params: tenantParams,
  },
  comment_owned_action: {
    ...owned(actionEndpoints.comment_action, '/actions/{action_id}/comments'),
    params: actionParams,
  },
  list_owned_secrets: owned(secretEndpoints.list_secrets, '/secrets'),
  put_owned_secret: owned(secretEndpoints.put_secret, '/secrets/{name}'),
  confirm_owned_secret: owned(secretEndpoints.confirm_secret, '/secrets/{name}/confirm'),
  delete_owned_secret: owned(secretEndpoints.delete_secret, '/secrets/{name}'),
  list_owned_tools: owned(toolEndpoints.list_tools, '/tools'),
  read_owned_tool: owned(toolEndpoints.read_tool, '/tools/{system}'),
  read_owned_tool_health: owned(toolEndpoints.read_tool_health, '/tools/{system}/health'),
  import_owned_tool: owned(toolEndpoints.import_tool, '/tool-imports'),
  change_owned_tool: owned(toolEndpoints.change_tool, '/tools/{system}'),
  remove_owned_tool: owned(toolEndpoints.remove_tool, '/tools/{system}'),
  test_owned_tool: owned(toolEndpoints.test_tool, '/tools/{system}/test'),
  read_owned_freezes: owned(queueEndpoints.read_freezes, '/freezes'),
  pause_owned_tenant: owned(operatorEndpoints.pause, '/pause'),
  resume_owned_tenant: owned(operatorEndpoints.resume, '/resume'),
  follow_owned_tenant: { ...owned(streamEndpoints.follow_tenant, '/stream'), params: tenantParams },
} as const satisfies Record<string, Endpoint>
