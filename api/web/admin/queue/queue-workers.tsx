import type { QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { CircleCheck, CircleOff, ServerOff } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'

type SeenWorker = QueueSnapshot['workers'][number]

export function QueueWorkers({ snapshot }: { snapshot: QueueSnapshot }) {
  return (
    <Card title="Workers" hint="Seen not long ago, the last one first" padded={false}>
      <ScrollBox label="Workers">
        {snapshot.workers.length === 0 ? (
          <Empty icon={ServerOff} title="No worker was seen">
            Start one with <code className="font-mono">npm run start:worker</code>.
          </Empty>
        ) : (
          <Table
            caption="Workers"
            columns={columns}
            rows={snapshot.workers}
            keyOf={worker => worker.worker_id}
          />
        )}
      </ScrollBox>
    </Card>
  )
}

const columns: readonly Column<SeenWorker>[] = [
  {
    title: 'Worker',
    cell: worker => <code className="font-mono text-[0.8125rem] break-all">{worker.worker_id}</code>,
  },
  { title: 'State', cell: worker => <Life worker={worker} /> },
  { title: 'Running since', cell: worker => <Time at={worker.started_at} /> },
  { title: 'Leases', cell: worker => <span className="tabular-nums">{worker.leases}</span> },
]

function Life({ worker }: { worker: SeenWorker }) {
  if (worker.alive)
    return (
      <Badge tone="good">
        <CircleCheck className="size-3.5" aria-hidden /> Alive
      </Badge>
    )
  return (
    <>
      <Badge tone="bad">
        <CircleOff className="size-3.5" aria-hidden /> Gone
      </Badge>
      <Time at={worker.seen_at} className="block text-sm text-soft" />
    </>
  )
}
