import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useSession } from '../../lib/session/session.ts'
import { ApprovalsDesk } from '../../panels/approvals/approvals-desk.tsx'
import { DeskProvider } from '../../panels/approvals/desk.ts'
import { ownersDesk } from './owners-desk.ts'

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
