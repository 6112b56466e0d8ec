import type { QueueDenials as Denials } from '../../../../shared/contract/service-state-schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { CircleCheck } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'
import { ActionLink, OperationName, TenantLink } from '../parts/job-links.tsx'

export function QueueDenials({ denials }: { denials: readonly Denials[] }) {
  return (
    <Card
      title="Denied in a row"
      hint="Agents that were denied four times or more, with nothing else between"
      padded={denials.length === 0}
    >
      {denials.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-5 text-good" aria-hidden /> No agent.
        </p>
      ) : (
        <Table caption="Denied in a row" columns={columns} rows={denials} keyOf={keyOf} />
      )}
    </Card>
  )
}

const keyOf = ({ tenant_id, key_id, target_system, operation }: Denials) =>
  `${tenant_id} ${key_id} ${target_system} ${operation}`

const columns: readonly Column<Denials>[] = [
  { title: 'Tenant', cell: ({ tenant_id }) => <TenantLink tenantId={tenant_id} /> },
  { title: 'Agent', cell: ({ agent_id, key_id }) => <CellText text={agent_id ?? key_id} /> },
  {
    title: 'Operation',
    cell: ({ target_system, operation }) => <OperationName system={target_system} operation={operation} />,
  },
  { title: 'Reason', cell: ({ code }) => <CellText text={code} /> },
  { title: 'Times', cell: ({ count }) => formatNumber(count), className: 'tabular-nums' },
  { title: 'Latest', cell: ({ latest_at }) => <Time at={latest_at} /> },
  {
    title: 'Action',
    cell: ({ tenant_id, latest_action_id }) => (
      <ActionLink tenantId={tenant_id} actionId={latest_action_id} />
    ),
  },
]
