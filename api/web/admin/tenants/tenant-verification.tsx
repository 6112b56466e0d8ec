import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ShieldQuestion } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { Admission } from '../verification/admission.tsx'
import { ReportItem } from '../verification/report-item.tsx'
import { RunVerification } from '../verification/run-verification.tsx'
import { VerificationGateCard } from '../verification/verification-gate-card.tsx'

export function TenantVerification({ tenantId }: { tenantId: string }) {
  const reports = usePages('list_verifications', { params: { tenant_id: tenantId }, query: { limit: '10' } })
  const may = useMay()
  return (
    <div className="flex flex-col gap-6">
      {may('verify_tenant_policy') && <RunVerification tenantId={tenantId} />}
      <Card
        title="Reports"
        hint="Newest first; each is bound to the hashes of what it is about"
        padded={false}
      >
        <Reading query={reports} rows={5}>
          {({ pages }) => {
            const found = pages.flatMap(page => page.reports)
            if (found.length === 0)
              return (
                <Empty icon={ShieldQuestion} title="Nothing was proved yet">
                  A verification asks: of every proposal that anybody could send, can one reach what must not
                  happen?
                </Empty>
              )
            return (
              <ul className="divide-y divide-line">
                {found.map((report, place) => (
                  <ReportItem key={report.report_id} report={report} open={place === 0} />
                ))}
              </ul>
            )
          }}
        </Reading>
        <LoadMore pages={reports} what="reports" />
      </Card>
      {may('admit_policy') && <Admission tenantId={tenantId} />}
      {may('set_verification_gate') && <VerificationGateCard tenantId={tenantId} />}
    </div>
  )
}
