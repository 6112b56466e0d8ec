import { Link } from 'react-router'
import type { QueuedJob, QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { formatDuration } from '../../lib/format.ts'
import { Coffee } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { ageMs } from './diagnose.ts'
import { actionColumn, LeaseOwner } from './job-columns.tsx'

interface Leased {
  data: { jobs: QueuedJob[]; next_cursor: string | null } | undefined
  error: Error | null
  refetch(): unknown
}

export function QueueLeases({ leased, snapshot }: { leased: Leased; snapshot: QueueSnapshot }) {
  return (
    <Card
      title="Leases"
      hint="Calls under way, and the worker that holds each"
      padded={false}
      actions={
        <Link to="/jobs?view=leased" className="text-sm font-medium text-accent underline underline-offset-2">
          All
        </Link>
      }
    >
      <ScrollBox label="Leases">
        <Reading query={leased} rows={6}>
          {({ jobs }) =>
            jobs.length === 0 ? (
              <Empty icon={Coffee} title="No call is under way" />
            ) : (
              <Table caption="Leases" columns={columns(snapshot)} rows={jobs} keyOf={job => job.action_id} />
            )
          }
        </Reading>
      </ScrollBox>
    </Card>
  )
}

function columns(snapshot: QueueSnapshot): Column<QueuedJob>[] {
  return [
    actionColumn,
    {
      title: 'Worker',
      cell: job => <LeaseOwner job={job} />,
    },
    { title: 'For', cell: job => <Held job={job} snapshot={snapshot} />, className: 'whitespace-nowrap' },
  ]
}

function Held({ job, snapshot }: { job: QueuedJob; snapshot: QueueSnapshot }) {
  const expired = ageMs(snapshot, job.lease_expires_at) > 0
  return (
    <>
      <span className="tabular-nums">{formatDuration(ageMs(snapshot, job.updated_at))}</span>
      {expired && <span className="block text-sm text-warn">ran out</span>}
    </>
  )
}
