import type { QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { Card, Facts } from '../../ui/card.tsx'

/** Shows the wake-ups in the queue beside the jobs in Postgres, because only Postgres is authoritative. */
export function QueueDoorbell({ snapshot: { jobs, doorbell } }: { snapshot: QueueSnapshot }) {
  return (
    <Card title="Doorbell and truth" hint="Wake-ups in the queue beside jobs in Postgres">
      <div className="grid gap-6 sm:grid-cols-2">
        <div>
          <h3 className="mb-2 text-sm font-semibold">Jobs (Postgres, the truth)</h3>
          <Facts
            facts={[
              ['Due', formatNumber(jobs.due)],
              ['Executing', formatNumber(jobs.leased)],
              ['Later', formatNumber(jobs.later)],
            ]}
          />
        </div>
        <div>
          <h3 className="mb-2 text-sm font-semibold">Wake-ups (doorbell)</h3>
          {doorbell ? (
            <Facts
              facts={[
                ['Waiting', formatNumber(doorbell.waiting)],
                ['Being taken', formatNumber(doorbell.active)],
                ['Delayed', formatNumber(doorbell.delayed)],
                ['Failed', formatNumber(doorbell.failed)],
              ]}
            />
          ) : (
            <p className="text-warn">It does not answer.</p>
          )}
        </div>
      </div>
      <p className="mt-4 text-sm text-soft">
        The numbers need not agree: one wake-up can stand for many jobs, and a lost one delays a job until the
        next sweep finds it in Postgres, never longer.
      </p>
    </Card>
  )
}
