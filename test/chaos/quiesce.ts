import { setTimeout as pause } from 'node:timers/promises'
import type { World } from './world.ts'

const quietMsMax = 200_000
const lookMs = 500

/** Nothing is open any more but what is left to an operator. */
const openWork = `
select a.action_id, a.status from action_gate.actions a left join action_gate.execution_jobs j using (action_id)
where a.status not in ('executed', 'execution_failed', 'denied')
  and not (a.status = 'outcome_unknown' and coalesce(j.needs_operator, false))`

/**
 * Waits until everything has come to rest after the last fault: no action that the service will still move, no call
 * that is still under way. Gives up after a bound; what is open then is for the checker to tell.
 */
export async function quiesce({ processes, postgres, downstreamUrl }: World): Promise<{ open: number }> {
  const tooLate = AbortSignal.timeout(quietMsMax)
  for (;;) {
    const up = [...processes.values()].every(each => each.ready() !== null)
    const open = await postgres.look<{ action_id: string }>(openWork)
    const { open: calls } = (await (await fetch(`${downstreamUrl}/open`)).json()) as { open: number }
    if (up && open.length + calls === 0) return { open: 0 }
    if (tooLate.aborted) return { open: open.length }
    await pause(lookMs)
  }
}
