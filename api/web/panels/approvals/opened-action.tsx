import { type ReactNode, useEffect, useState } from 'react'
import type { Trace } from '../../../../shared/contract/action/action.ts'
import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { isAtRest } from '../../../../shared/lifecycle/status.ts'
import { useCall } from '../../lib/query.tsx'
import { Reading } from '../../ui/state.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'

const followMs = 2_000

/**
 * Passes the trace of an action to its children, with the fields that only the list contains. Reads a decided
 * action every 2 s until it is settled.
 */
export function OpenedAction({
  actionId,
  held,
  children,
}: {
  actionId: string
  held: InboxAction | undefined
  children(view: HeldView, trace: Trace): ReactNode
}) {
  const { requests, params } = useDesk()
  const [moves, setMoves] = useState(false)
  const input = { params: { ...params, action_id: actionId } }
  const query = useCall(requests.read, input, { every: moves ? followMs : false })
  const trace = query.data
  const status = trace?.status ?? 'pending_approval'
  useEffect(() => setMoves(status !== 'pending_approval' && !isAtRest(status)), [status])
  if (trace) return children(viewOf(held, trace), trace)
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      <Reading query={query} rows={12}>
        {() => null}
      </Reading>
    </div>
  )
}

function viewOf(held: InboxAction | undefined, trace: Trace): HeldView {
  return {
    ...trace,
    approvals: trace.approvals,
    comments: trace.comments,
    route: held?.route,
    expires_at: held?.expires_at ?? null,
  }
}
