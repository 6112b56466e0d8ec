import { useParams } from 'react-router'
import type { AuditExport } from '../../../../shared/contract/action/action.ts'
import { call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { TraceView } from '../../panels/trace/trace-view.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'

export function TracePage() {
  const { tenantId = '', actionId = '' } = useParams()
  const params = { tenant_id: tenantId, action_id: actionId }
  const may = useMay()
  const query = useCall('read_owned_action', { params })
  const held = query.data?.status === 'pending_approval'
  return (
    <Page
      title={query.data ? titleOf(query.data.proposal.action) : 'Action'}
      trail={may('list_owned_actions') ? [{ to: `/a/${tenantId}/history`, label: 'History' }] : []}
      actions={
        held && (
          <ButtonLink variant="primary" to={`/a/${tenantId}/approvals/${actionId}`}>
            {may('approve_owned_action') ? 'Decide' : 'Read'}
          </ButtonLink>
        )
      }
    >
      <Reading query={query} rows={12}>
        {trace => (
          <TraceView
            trace={trace}
            exportAudit={
              may('export_owned_audit')
                ? // The cast is safe because the endpoint returns proofs only for requests with `format`.
                  async () => (await call('export_owned_audit', { params })) as AuditExport
                : null
            }
          />
        )}
      </Reading>
    </Page>
  )
}

function titleOf({ operation, target_system }: { operation: string; target_system: string }): string {
  return `${operation} on ${target_system}`
}
