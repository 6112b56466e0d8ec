import { useParams } from 'react-router'
import type { AuditExport } from '../../../../shared/contract/action/action.ts'
import { call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { TraceView } from '../../panels/trace/trace-view.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'

/** The audited trace of one action. */
export function TracePage() {
  const { tenantId = '', actionId = '' } = useParams()
  const params = { tenant_id: tenantId, action_id: actionId }
  const query = useCall('read_owned_action', { params })
  const held = query.data?.status === 'pending_approval'
  return (
    <Page
      title={query.data ? titleOf(query.data.proposal.action) : 'Action'}
      trail={[{ to: `/a/${tenantId}/history`, label: 'History' }]}
      actions={
        held && (
          <ButtonLink variant="primary" to={`/a/${tenantId}/approvals/${actionId}`}>
            Decide
          </ButtonLink>
        )
      }
    >
      <Reading query={query} rows={12}>
        {trace => (
          <TraceView
            trace={trace}
            exportAudit={async () =>
              // Without `format` the answer is an export, not proofs.
              (await call('export_owned_audit', { params })) as AuditExport
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
