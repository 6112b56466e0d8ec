import type { QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { useNow } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { classes } from '../../ui/classes.ts'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { diagnose } from './diagnose.ts'
import { QueueCounts } from './queue-counts.tsx'
import { QueueDenials } from './queue-denials.tsx'
import { QueueDoorbell } from './queue-doorbell.tsx'
import { QueueFailures } from './queue-failures.tsx'
import { QueueLeases } from './queue-leases.tsx'
import { QueueLog } from './queue-log.tsx'
import { QueueStops } from './queue-stops.tsx'
import { QueueUnknown } from './queue-unknown.tsx'
import { QueueVerdict } from './queue-verdict.tsx'
import { QueueWorkers } from './queue-workers.tsx'

const everyMs = 2_000
const historyMs = 30_000
const staleMs = 10_000

export function QueuePage() {
  const queue = useCall('read_queue', {}, { every: everyMs })
  return (
    <Page title="Queue" lead={<Freshness at={queue.dataUpdatedAt} />}>
      <Reading query={queue} rows={14}>
        {snapshot => <QueueBody snapshot={snapshot} />}
      </Reading>
    </Page>
  )
}

function QueueBody({ snapshot }: { snapshot: QueueSnapshot }) {
  const leased = useCall('list_jobs', { query: { view: 'leased', limit: '50' } }, { every: everyMs })
  const history = useCall('read_queue_history', { query: { minutes: '60' } }, { every: historyMs })
  const samples = history.data?.samples ?? []
  const diagnosis = diagnose({ snapshot, samples })
  return (
    <div className="flex flex-col gap-6">
      <QueueVerdict diagnosis={diagnosis} />
      <QueueCounts snapshot={snapshot} samples={samples} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <QueueLeases leased={leased} snapshot={snapshot} />
        <QueueWorkers snapshot={snapshot} />
      </div>
      <QueueFailures failures={snapshot.failures} />
      <QueueDenials denials={snapshot.denials} />
      <QueueUnknown snapshot={snapshot} />
      <QueueStops freezes={snapshot.freezes} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <QueueDoorbell snapshot={snapshot} />
        <QueueLog snapshot={snapshot} />
      </div>
    </div>
  )
}

/** Shows the age of the figures, so that old figures of an unreachable service do not look fresh. */
function Freshness({ at }: { at: number }) {
  const now = useNow()
  const age = at === 0 ? 0 : now - at
  const stale = age >= staleMs
  return (
    <span className={classes(stale && 'font-medium text-warn')}>
      {stale
        ? `Not updated for ${formatDuration(age)}.`
        : 'Why actions are or are not executing. Updated every 2 seconds.'}
    </span>
  )
}
