import type { ReactNode } from 'react'
import type { Trace } from '../../../../shared/contract/action/action.ts'
import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { useCall } from '../../lib/query.tsx'
import { Reading } from '../../ui/state.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'

/** Gives what is known of an action: its trace, and what only the list says of how long it waits and for whom. */
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
  const query = useCall(requests.read, { params: { ...params, action_id: actionId } })
  const trace = query.data
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
