import { setTimeout as delay } from 'node:timers/promises'
import type { ActionStatus } from '../../contract/action/action-status.ts'
import { isAtRest } from '../../lifecycle/status.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { isOutage } from '../../runtime/outage.ts'
import type { Context } from '../core/context.ts'
import { readVersionTogether } from '../core/read-together.ts'

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
    const now = await readVersionTogether(context, { ...action, key_id: null })
    if (!now) return
    last = now
  }
}

const pausesMs = [50, 250]

/**
 * Make an attempt again when the database was out of reach, which is longer than a restart of a connection and shorter
 * than a caller's patience; longer outages are the caller's to see. The answer of a commit may have been lost: `again`
 * tells an attempt that an earlier one may have been committed.
 */
export async function retryOnOutage<Answer>(attempt: (again: boolean) => Promise<Answer>): Promise<Answer> {
  for (const [tries, pauseMs] of pausesMs.entries()) {
    try {
      return await attempt(tries > 0)
    } catch (error) {
      if (!isOutage(error)) throw error
      await delay(pauseMs)
    }
  }
  return attempt(true)
}
