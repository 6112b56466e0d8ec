import type { Context } from '../shared/flow/core/context.ts'
import { type ClaimedJob, renewLeases } from '../shared/flow/execution/claim-jobs.ts'
import { createStopwatch } from '../shared/runtime/clock.ts'

/**
 * Renews the leases of running jobs. If a lease is lost and another worker may repeat the call, it aborts the
 * call.
 */
export interface LeaseHeartbeat {
  /**
   * Renews a job's lease until `release`. `over` aborts the call on `giveUp` or if a lost lease lets it be
   * repeated.
   */
  keep(job: ClaimedJob): { over: AbortSignal; release(): void }
  giveUp(): void
  close(): void
}

interface Kept {
  job: ClaimedJob
  over: AbortController
  renewalsMissed: number
}

/** Two failed renewals in a row count as a lost lease, because a lease lasts only three renewal intervals. */
const renewalsMissedMax = 2

export function createLeaseHeartbeat(context: Context): LeaseHeartbeat {
  const kept = new Set<Kept>()
  const renew = async (): Promise<void> => {
    const held = [...kept]
    if (held.length === 0) return
    const since = createStopwatch()
    try {
      const still = await renewLeases(
        context,
        held.map(({ job }) => job),
      )
      for (const entry of held) {
        if (still.has(entry.job.token)) {
          entry.renewalsMissed = 0
          entry.job.lease.renewed(since)
        } else lose(entry, 'the lease was lost')
      }
    } catch (error) {
      context.events.failed('renew_leases', error)
      for (const entry of held) {
        entry.renewalsMissed += 1
        if (entry.renewalsMissed >= renewalsMissedMax) lose(entry, 'the lease could not be renewed')
      }
    }
  }
  const renewing = setInterval(() => void renew(), context.config.lease_ms / 3)
  return {
    keep(job) {
      const entry = { job, over: new AbortController(), renewalsMissed: 0 }
      kept.add(entry)
      return { over: entry.over.signal, release: () => kept.delete(entry) }
    },
    giveUp() {
      for (const { over } of kept) over.abort(new Error('the worker is shutting down'))
    },
    close: () => clearInterval(renewing),
  }
}

/**
 * Aborts a call whose lease is lost. A call without an idempotency key runs on to its own deadline, because no
 * other worker repeats it and an abort would only lose its answer.
 */
function lose({ job, over }: Kept, why: string): void {
  if (job.actuator.idempotency !== 'none') over.abort(new Error(why))
}
