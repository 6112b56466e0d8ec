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

/** Waits, without writing, until the action settles or `ms` milliseconds have passed. */
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
 * Retries an attempt after 50 ms and 250 ms if the database is unreachable, which covers a reconnect; the caller
 * sees longer outages. `again` is true for a retry, because the earlier attempt may have been committed and its
 * answer lost.
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
