import type { ActionStatus } from '../../contract/action/status.ts'
import { isAtRest } from '../../lifecycle/status.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import type { Context } from '../core/context.ts'

export interface Seen {
  status: ActionStatus
  event_count: number
}

/** Wait, read-only, until the action is at rest or `ms` have passed. */
export async function waitUntilSettled(
  context: Context,
  action: { tenant_id: string; action_id: string },
  seen: Seen,
  ms: number,
): Promise<void> {
  const deadline = monotonicMs() + ms
  for (let last = seen; !isAtRest(last.status); ) {
    const left = context.watch.closed() ? 0 : deadline - monotonicMs()
    if (left <= 0) return
    await context.watch.changed(action.action_id, last.event_count, left)
    const now = await context.readVersion({ ...action, key_to_confirm: null })
    if (!now) return
    last = now
  }
}
