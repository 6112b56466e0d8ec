import { Link } from 'react-router'
import type { QueueFailures as Failures } from '../../../../shared/contract/service-state-schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { CircleCheck } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'

export function QueueFailures({ failures }: { failures: readonly Failures[] }) {
  return (
    <Card
      title="Failures"
      hint="Actions that ended without an effect in the last hour"
      padded={failures.length === 0}
      actions={
        <Link to="/jobs?view=failed" className="text-sm font-medium text-accent underline underline-offset-2">
          All
        </Link>
      }
    >
      {failures.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-5 text-good" aria-hidden /> None in the last hour.
        </p>
      ) : (
        <Table caption="Failures" columns={columns} rows={failures} keyOf={keyOf} />
      )}
    </Card>
  )
}

const keyOf = ({ target_system, code }: Failures) => `${target_system} ${code}`

const columns: readonly Column<Failures>[] = [
  { title: 'System', cell: ({ target_system }) => <CellText text={target_system} /> },
  { title: 'Error', cell: ({ code }) => <CellText text={code} /> },
  { title: 'Last 5 minutes', cell: row => formatNumber(row.last_5_minutes), className: 'tabular-nums' },
  { title: 'Last hour', cell: row => formatNumber(row.last_hour), className: 'tabular-nums' },
  { title: 'Latest', cell: ({ latest_at }) => <Time at={latest_at} /> },
]
