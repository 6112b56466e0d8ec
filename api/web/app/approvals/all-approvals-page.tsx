import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useCall } from '../../lib/query.tsx'
import { useSession } from '../../lib/session/session.ts'
import { ApprovalsDesk } from '../../panels/approvals/approvals-desk.tsx'
import { type Desk, DeskProvider } from '../../panels/approvals/desk.ts'
import { ownersDesk } from './owners-desk.ts'

export function AllApprovalsPage() {
  const { tenantId = '', actionId } = useParams()
  const session = useSession()
  const accountId = 'profile' in session ? session.profile.account.account_id : null
  const { data } = useCall('list_owned_tenants', { query: { limit: '200' } })
  const tenants = data?.tenants
  const desk = useMemo<Desk>(() => {
    const names = new Map(tenants?.map(({ tenant_id, name }) => [tenant_id, name]))
    return {
      ...ownersDesk(tenantId, accountId),
      push: null,
      absence: null,
      scope: { may: 'decide' },
      applicationOf: id => names.get(id) ?? id,
      home: '/approvals',
      pathOf: (id, tenant) => `/approvals/${tenant}/${id}`,
    }
  }, [tenantId, accountId, tenants])
  return (
    <DeskProvider value={desk}>
      <ApprovalsDesk actionId={actionId} polling />
    </DeskProvider>
  )
}
