import { useSearchParams } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import { usePages } from '../../lib/query.tsx'
import { History } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { RiskBadge, StatusBadge, statusLabel } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'
import { ActionLink, OperationName } from '../parts/job-links.tsx'

const statuses: readonly ActionStatus[] = [
  'outcome_unknown',
  'pending_approval',
  'execution_pending',
  'executing',
  'executed',
  'execution_failed',
  'denied',
]

export function TenantActions({ tenantId }: { tenantId: string }) {
  const [search, setSearch] = useSearchParams()
  const status = statuses.find(name => name === search.get('status'))
  const actions = usePages('list_tenant_actions', {
    params: { tenant_id: tenantId },
    query: { limit: '50', ...(status ? { status } : {}) },
  })
  return (
    <Card
      title="Actions"
      padded={false}
      actions={
        <Field label="Status" bare>
          <Choice
            value={status ?? 'all'}
            onChoose={value => setSearch(value === 'all' ? {} : { status: value })}
            options={[
              { value: 'all', label: 'Every status' },
              ...statuses.map(value => ({ value, label: statusLabel(value) })),
            ]}
          />
        </Field>
      }
    >
      <Reading query={actions} rows={8}>
        {({ pages }) => {
          const rows = pages.flatMap(page => page.actions)
          if (rows.length === 0)
            return <Empty icon={History} title={status ? 'None of this status' : 'No action yet'} />
          return (
            <Table caption="Actions" columns={columns(tenantId)} rows={rows} keyOf={row => row.action_id} />
          )
        }}
      </Reading>
      <LoadMore pages={actions} what="actions" />
    </Card>
  )
}

function columns(tenantId: string): Column<ActionSummary>[] {
  return [
    {
      title: 'Action',
      cell: action => (
        <>
          <OperationName system={action.target_system} operation={action.operation} />
          <span className="block text-sm">
            <ActionLink tenantId={tenantId} actionId={action.action_id} />
          </span>
        </>
      ),
    },
    {
      title: 'The agent says',
      cell: ({ summary }) => <CellText text={summary} />,
    },
    { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Risk', cell: ({ effective_risk }) => <RiskBadge level={effective_risk} /> },
    { title: 'Made', cell: ({ created_at }) => <Time at={created_at} />, className: 'whitespace-nowrap' },
  ]
}
