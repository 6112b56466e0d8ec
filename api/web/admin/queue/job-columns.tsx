import type { QueuedJob } from '../../../../shared/contract/service-state-schema.ts'
import type { Column } from '../../ui/table.tsx'
import { ActionLink, OperationName, TenantLink } from '../parts/job-links.tsx'

export const actionColumn: Column<QueuedJob> = {
  title: 'Action',
  cell: job => (
    <>
      <OperationName system={job.target_system} operation={job.operation} />
      <span className="block text-sm">
        <ActionLink tenantId={job.tenant_id} actionId={job.action_id} />{' '}
        <TenantLink tenantId={job.tenant_id} />
      </span>
    </>
  ),
}

export function LeaseOwner({ job }: { job: QueuedJob }) {
  return <code className="font-mono text-[0.8125rem] break-all">{job.lease_owner ?? '—'}</code>
}
