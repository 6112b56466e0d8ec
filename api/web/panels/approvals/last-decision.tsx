import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import { isAtRest } from '../../../../shared/lifecycle/status.ts'
import { useCall } from '../../lib/query.tsx'
import { X } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import type { DecisionKind } from './decision-dialog.tsx'
import { type Desk, useDesk } from './desk.ts'

export interface Decision {
  actionId: string
  kind: DecisionKind
  operation: string
  system: string
  status: ActionStatus
  /** The parameters of the decided action's application, because the desk may show another application by now. */
  params: Desk['params']
  tracePath: string | null
}

const became: Partial<Record<ActionStatus, string>> = {
  executed: 'It was executed.',
  execution_pending: 'It is queued and runs as soon as a worker takes it.',
  executing: 'It is being executed.',
  execution_failed: 'It was tried and failed: it had no effect.',
  outcome_unknown: 'It may or may not have happened: somebody has to look.',
  denied: 'Nothing was executed.',
  pending_approval: 'It waits for other people to approve it too.',
}

/** Shows the last decision, and follows its action until the action is settled. */
export function LastDecision({
  decision: { actionId, kind, operation, system, status: first, params, tracePath },
  onDismiss,
}: {
  decision: Decision
  onDismiss(): void
}) {
  const [rests, setRests] = useState(isAtRest(first))
  const { requests } = useDesk()
  const { data } = useCall(
    requests.read,
    { params: { ...params, action_id: actionId } },
    { every: rests ? false : 2_000 },
  )
  const status = data && data.status !== 'pending_approval' ? data.status : first
  useEffect(() => setRests(isAtRest(status)), [status])
  return (
    <div className="mb-4 flex items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2.5 shadow-card">
      <p role="status" className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
        <StatusBadge status={status} />
        <span className="min-w-0">
          You {kind === 'approve' ? 'approved' : 'rejected'} <ForeignText text={operation} /> on{' '}
          <ForeignText text={system} />. {became[status]}
        </span>
        {tracePath && (
          <Link
            to={tracePath}
            className="inline-flex min-h-6 items-center rounded font-medium text-accent underline underline-offset-2"
          >
            See its trace
          </Link>
        )}
      </p>
      <Button variant="quiet" size="icon" aria-label="Dismiss" onClick={onDismiss}>
        <X className="size-4" aria-hidden />
      </Button>
    </div>
  )
}
