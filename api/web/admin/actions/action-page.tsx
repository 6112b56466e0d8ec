import { useState } from 'react'
import { useParams } from 'react-router'
import type { AuditExport, Trace } from '../../../../shared/contract/action/action.ts'
import { call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { TraceView } from '../../panels/trace/trace-view.tsx'
import { Card } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ResolveForm } from './resolve-form.tsx'

const everyMs = 2_000
const finals: readonly Trace['status'][] = ['executed', 'denied', 'execution_failed']

export function ActionPage() {
  const { tenantId = '', actionId = '' } = useParams()
  const params = { tenant_id: tenantId, action_id: actionId }
  const may = useMay()
  const [settled, setSettled] = useState(false)
  const action = useCall('read_tenant_action', { params }, { every: settled ? false : everyMs })
  const final = action.data !== undefined && finals.includes(action.data.status)
  if (final !== settled) setSettled(final)
  return (
    <Page
      title="Action"
      lead={<Digest value={actionId} what="Action id" short={40} />}
      trail={[
        { to: '/tenants', label: 'Tenants' },
        { to: `/tenants/${tenantId}`, label: tenantId },
        { to: `/tenants/${tenantId}/actions`, label: 'Actions' },
      ]}
      actions={action.data && <StatusBadge status={action.data.status} />}
    >
      <Reading query={action} rows={12}>
        {trace => (
          <div className="flex flex-col gap-6">
            {trace.status === 'outcome_unknown' && (
              <Card
                title="What became of it?"
                hint="The outcome is unknown. Find out at the system, then record it."
              >
                {may('resolve_action') ? (
                  <ResolveForm trace={trace} />
                ) : (
                  <p className="text-soft">Your on-call key reads: whoever has an admin key records it.</p>
                )}
              </Card>
            )}
            <TraceView
              trace={trace}
              exportAudit={async () => (await call('export_tenant_audit', { params })) as AuditExport}
            />
          </div>
        )}
      </Reading>
    </Page>
  )
}
