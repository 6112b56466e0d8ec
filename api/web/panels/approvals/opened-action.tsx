import type { ReactNode } from 'react'
import type { HeldAction, Trace } from '../../../../shared/contract/action/action.ts'
import { useCall } from '../../lib/query.tsx'
import { Reading } from '../../ui/state.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'

/** Gives what is known of an action: from the list at once, and from its trace how it stands. */
export function OpenedAction({
  actionId,
  held,
  children,
}: {
  actionId: string
  held: HeldAction | undefined
  children(view: HeldView, trace: Trace | undefined): ReactNode
}) {
  const { requests, params } = useDesk()
  const query = useCall(requests.read, { params: { ...params, action_id: actionId } })
  const trace = query.data
  const view = viewOf(held, trace)
  if (view) return children(view, trace)
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      <Reading query={query} rows={12}>
        {() => null}
      </Reading>
    </div>
  )
}

/** The trace is the later word on how an action stands. */
function viewOf(held: HeldAction | undefined, trace: Trace | undefined): HeldView | null {
  const known = trace ?? held
  return known
    ? {
        ...known,
        approvals: known.approvals,
        comments: known.comments,
        route: held?.route,
        expires_at: held?.expires_at ?? null,
      }
    : null
}
