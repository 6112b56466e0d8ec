import type { QueuedJob } from '../../../../shared/contract/service-state-schema.ts'
import { StatusBadge } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'
import { actionColumn, LeaseOwner } from './job-columns.tsx'
import type { JobView } from './job-views.ts'
import { LookUp } from './queue-unknown.tsx'

export function JobsTable({ rows, view }: { rows: readonly QueuedJob[]; view: JobView }) {
  return <Table caption="Jobs" columns={columnsOf(view)} rows={rows} keyOf={job => job.action_id} />
}

function columnsOf(view: JobView): Column<QueuedJob>[] {
  return [...common, ...special[view], tries, error]
}

const common: readonly Column<QueuedJob>[] = [
  actionColumn,
  { title: 'Status', cell: job => <StatusBadge status={job.status} /> },
  { title: 'Made', cell: job => <Time at={job.created_at} /> },
]

const due: Column<QueuedJob> = { title: 'Due', cell: job => <Time at={job.next_run_at} /> }
const lookUp: Column<QueuedJob> = { title: 'Look-up', cell: job => <LookUp job={job} /> }

const special: Readonly<Record<JobView, readonly Column<QueuedJob>[]>> = {
  due: [due],
  later: [{ ...due, title: 'Next try' }],
  stopped: [due],
  leased: [
    {
      title: 'Worker',
      cell: job => (
        <>
          <LeaseOwner job={job} />
          {job.lease_expires_at && (
            <span className="block text-sm text-soft">
              lease until <Time at={job.lease_expires_at} />
            </span>
          )}
        </>
      ),
    },
  ],
  failed: [{ ...due, title: 'Ended' }],
  unknown: [lookUp],
  needs_operator: [lookUp],
}

const tries: Column<QueuedJob> = {
  title: 'Tries',
  cell: job => (
    <span className="whitespace-nowrap tabular-nums">
      {job.attempt} of {job.max_attempts}
    </span>
  ),
}

const error: Column<QueuedJob> = {
  title: 'Last error',
  cell: job => <CellText text={job.last_error} />,
}
