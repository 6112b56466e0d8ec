import type { QueuedJob } from '../../../../shared/contract/service-state-schema.ts'
import type { Column } from '../../ui/table.tsx'
import { ActionLink, OperationName, TenantLink } from '../parts/job-links.tsx'

/** Which action a job executes, and whose it is. */
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

/** The worker that holds a job. */
export function LeaseOwner({ job }: { job: QueuedJob }) {
  return <code className="font-mono text-[0.8125rem] break-all">{job.lease_owner ?? '—'}</code>
}
