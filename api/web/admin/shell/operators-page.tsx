import { useState } from 'react'
import type { Operator } from '../../../../shared/contract/operator-schema.ts'
import { useAct, usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Confirm } from '../../panels/confirm.tsx'
import { Plus, Users } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, ProblemNote, Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { InviteOperator } from './invite-operator.tsx'

const roles = { operator: 'Operator: everything', on_call: 'On call: reads' } as const
const states = {
  invited: ['warn', 'Invited'],
  expired: ['bad', 'Link expired'],
  active: ['good', 'Active'],
  removed: ['bad', 'Removed'],
} as const

export function OperatorsPage() {
  const may = useMay()
  const found = usePages('list_operators', { query: { limit: '50' } })
  const change = useAct('change_operator', { stale: ['list_operators'] })
  const [inviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<Operator | null>(null)
  const turn = ({ operator_id, role }: Operator): void =>
    change.mutate({
      params: { operator_id },
      body: { role: role === 'on_call' ? 'operator' : 'on_call' },
    })
  return (
    <Page
      title="Operators"
      lead="People who sign in to this console by name. An operator may change everything here. Somebody on call only reads."
      actions={
        may('invite_operator') && (
          <Button variant="primary" onClick={() => setInviting(true)}>
            <Plus className="size-4" aria-hidden /> Invite operator
          </Button>
        )
      }
    >
      {change.error && <ProblemNote error={change.error} />}
      <Card padded={false}>
        <Reading query={found} rows={4}>
          {({ pages }) => {
            const rows = pages.flatMap(page => page.operators)
            if (rows.length === 0) return <Empty icon={Users} title="Nobody was invited yet" />
            const acts = may('remove_operator') ? { onTurn: turn, onRemove: setRemoving } : null
            return <OperatorTable operators={rows} acts={acts} />
          }}
        </Reading>
        <LoadMore pages={found} what="operators" />
      </Card>
      <InviteOperator open={inviting} onClose={() => setInviting(false)} />
      <RemoveOperator removing={removing} onClose={() => setRemoving(null)} />
    </Page>
  )
}

interface Acts {
  onTurn(operator: Operator): void
  onRemove(operator: Operator): void
}

function OperatorTable({ operators, acts }: { operators: readonly Operator[]; acts: Acts | null }) {
  const columns: Column<Operator>[] = [
    {
      title: 'Name',
      cell: ({ label, operator_id }) => (
        <>
          <span className="block font-medium">
            <ForeignText text={label} />
          </span>
          <code className="block font-mono text-[0.8125rem] break-all text-soft">{operator_id}</code>
        </>
      ),
    },
    { title: 'Role', cell: ({ role }) => roles[role] },
    {
      title: 'Known as',
      cell: ({ identity }) =>
        identity ? (
          <>
            <ForeignText text={identity.subject} />
            <span className="block text-sm text-soft">
              <ForeignText text={identity.issuer} />
            </span>
          </>
        ) : (
          'Nobody yet'
        ),
    },
    { title: 'State', cell: ({ status }) => <Badge tone={states[status][0]}>{states[status][1]}</Badge> },
    ...(acts ? [actionColumn(acts)] : []),
  ]
  return (
    <Table caption="Operators" columns={columns} rows={operators} keyOf={({ operator_id }) => operator_id} />
  )
}

function actionColumn({ onTurn, onRemove }: Acts): Column<Operator> {
  return {
    title: 'Action',
    cell: operator =>
      operator.status === 'removed' ? (
        <span className="text-soft">None</span>
      ) : (
        <span className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => onTurn(operator)}>
            {operator.role === 'on_call' ? 'Make operator' : 'Put on call'}
            <span className="sr-only"> {operator.label}</span>
          </Button>
          <Button size="small" variant="danger" onClick={() => onRemove(operator)}>
            Remove<span className="sr-only"> {operator.label}</span>
          </Button>
        </span>
      ),
  }
}

function RemoveOperator({ removing, onClose }: { removing: Operator | null; onClose(): void }) {
  const remove = useAct('remove_operator', { stale: ['list_operators'] })
  return (
    <Confirm
      open={removing !== null}
      onClose={onClose}
      act={remove}
      input={() => ({ params: { operator_id: removing?.operator_id ?? '' } })}
      title="Remove this operator?"
      label="Remove operator"
      keep="Keep them"
      done="The operator is removed"
      detail="Their sessions have ended."
      danger
    >
      <p className="text-sm">
        {removing && <ForeignText text={removing.label} />} is signed out at once, and the link of an
        invitation ends. What they did goes on to have their name.
      </p>
    </Confirm>
  )
}
