import { holderOf } from '../../../../shared/lifecycle/holder.ts'
import type { Desk } from '../../panels/approvals/desk.ts'

export function ownersDesk(tenantId: string, accountId: string | null): Desk {
  return {
    requests: {
      list: 'owned_inbox',
      groups: 'owned_inbox_groups',
      read: 'read_owned_action',
      review: 'read_owned_review',
      approve: 'approve_owned_action',
      reject: 'reject_owned_action',
      edit: 'edit_owned_action',
      comment: 'comment_owned_action',
      decide: 'decide_owned_approvals',
    },
    push: {
      read: 'read_owned_push',
      subscribe: 'subscribe_owned_push',
      unsubscribe: 'unsubscribe_owned_push',
    },
    absence: { read: 'read_owned_absences', decline: 'decline_owned_absence' },
    params: { tenant_id: tenantId },
    scope: { tenant_id: tenantId },
    applicationOf: null,
    savesViews: true,
    person: accountId === null ? null : { id: accountId, holder: holderOf({ account_id: accountId }) },
    home: `/a/${tenantId}/approvals`,
    pathOf: actionId => `/a/${tenantId}/approvals/${actionId}`,
    tracePathOf: actionId => `/a/${tenantId}/history/${actionId}`,
    grantPathOf: actionId => `/a/${tenantId}/grants?from=${actionId}`,
  }
}
