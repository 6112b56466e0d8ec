import type { QueuedJob, QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { useCall } from '../../lib/query.tsx'
import { CircleCheck } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { actionColumn } from './job-columns.tsx'

const everyMs = 5_000
const shownMax = 5

export function QueueUnknown({ snapshot: { jobs } }: { snapshot: QueueSnapshot }) {
  const input = (view: 'needs_operator' | 'unknown') => ({ query: { view, limit: String(shownMax) } })
  const open = jobs.needs_operator + jobs.unknown
  const options = { every: everyMs, enabled: open > 0 }
  const left = useCall('list_jobs', input('needs_operator'), options)
  const sought = useCall('list_jobs', input('unknown'), options)
  if (open === 0)
    return (
      <Card title="Unknown outcomes">
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-5 text-good" aria-hidden /> None. Of every action that ran it is known
          what became of it.
        </p>
      </Card>
    )
  return (
    <Card
      title="Unknown outcomes"
      hint="It may or may not have happened; nothing is tried again until that is known"
      padded={false}
    >
      <Reading query={both(left, sought)} rows={4}>
        {rows => (
          <Table
            caption="Unknown outcomes"
            columns={unknownColumns}
            rows={rows}
            keyOf={job => job.action_id}
          />
        )}
      </Reading>
    </Card>
  )
}

interface Read {
  data: { jobs: QueuedJob[] } | undefined
  error: Error | null
  refetch(): unknown
}

function both(first: Read, second: Read) {
  const known = new Set(first.data?.jobs.map(({ action_id }) => action_id))
  // The two lists are read at different moments, so that a job can be in both. Its second row is dropped.
  const rest = second.data?.jobs.filter(({ action_id }) => !known.has(action_id))
  const data = first.data && rest ? [...first.data.jobs, ...rest] : undefined
  return {
    data,
    error: first.error ?? second.error,
    refetch: () => Promise.all([first.refetch(), second.refetch()]),
  }
}

const unknownColumns: readonly Column<QueuedJob>[] = [
  actionColumn,
  { title: 'Since', cell: job => <Time at={job.updated_at} /> },
  { title: 'Look-up', cell: job => <LookUp job={job} /> },
  {
    title: 'Next',
    cell: job => (
      <ButtonLink size="small" to={`/tenants/${job.tenant_id}/actions/${job.action_id}`}>
        {job.needs_operator ? 'Resolve' : 'Open'}
        <span className="sr-only"> {job.operation}</span>
      </ButtonLink>
    ),
  },
]

export function LookUp({ job }: { job: QueuedJob }) {
  const rounds = `${job.lookups} ${job.lookups === 1 ? 'round' : 'rounds'}`
  if (job.needs_operator)
    return (
      <>
        <Badge tone="odd">Needs a person</Badge>
        <span className="block text-sm text-soft">{rounds}, given up</span>
      </>
    )
  return (
    <>
      <Badge tone="info">Being looked up</Badge>
      <span className="block text-sm text-soft">
        {rounds}, next <Time at={job.next_run_at} />
      </span>
    </>
  )
}
