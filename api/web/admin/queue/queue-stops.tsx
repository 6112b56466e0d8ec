import type { QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { CircleCheck } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'
import { TenantLink } from '../parts/job-links.tsx'
import { StopBadge, scopeText } from './stop-words.tsx'

type Stop = QueueSnapshot['freezes'][number]

export function QueueStops({ freezes }: { freezes: readonly Stop[] }) {
  return (
    <Card title="Freezes and pauses" hint="In force now, in any tenant" padded={freezes.length === 0}>
      {freezes.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-5 text-good" aria-hidden /> None. Nothing is kept back by a person.
        </p>
      ) : (
        <Table
          caption="Freezes and pauses"
          columns={columns}
          rows={freezes}
          keyOf={stop => `${stop.tenant_id} ${stop.effect} ${scopeText(stop)}`}
        />
      )}
    </Card>
  )
}

const columns: readonly Column<Stop>[] = [
  { title: 'Tenant', cell: stop => <TenantLink tenantId={stop.tenant_id} /> },
  { title: 'What', cell: stop => <StopBadge effect={stop.effect} /> },
  { title: 'Of', cell: stop => scopeText(stop) },
  { title: 'Reason', cell: stop => <CellText text={stop.reason} /> },
  { title: 'Since', cell: stop => <Time at={stop.created_at} />, className: 'whitespace-nowrap' },
]
