import { useMemo } from 'react'
import { useParams } from 'react-router'
import { holderOf } from '../../../../shared/lifecycle/holder.ts'
import { useSession } from '../../lib/session.ts'
import { ApprovalsDesk } from '../../panels/approvals/approvals-desk.tsx'
import { type Desk, DeskProvider } from '../../panels/approvals/desk.ts'

/** What waits in an application of the owner, and what they decide about it. */
export function ApprovalsPage() {
  const { tenantId = '', actionId } = useParams()
  const session = useSession()
  const accountId = 'profile' in session ? session.profile.account.account_id : null
  const desk = useMemo(() => ownersDesk(tenantId, accountId), [tenantId, accountId])
  return (
    <DeskProvider value={desk}>
      <ApprovalsDesk actionId={actionId} />
    </DeskProvider>
  )
}

function ownersDesk(tenantId: string, accountId: string | null): Desk {
  return {
    requests: {
      list: 'owned_inbox',
      read: 'read_owned_action',
      approve: 'approve_owned_action',
      reject: 'reject_owned_action',
      comment: 'comment_owned_action',
      decide: 'decide_owned_approvals',
    },
    params: { tenant_id: tenantId },
    person: accountId === null ? null : { id: accountId, holder: holderOf({ account_id: accountId }) },
    catalogOf: tenantId,
    home: `/a/${tenantId}/approvals`,
    pathOf: actionId => `/a/${tenantId}/approvals/${actionId}`,
    tracePathOf: actionId => `/a/${tenantId}/history/${actionId}`,
  }
}
