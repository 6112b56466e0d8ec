import type { Stopwatch } from '../runtime/clock.ts'
import { renewLeases as renewStored } from '../store/jobs.ts'
import type { ClaimedJob } from './claim-jobs.ts'
import type { Context } from './context.ts'

/** Extend the leases of running jobs; the answer holds the ids of those that are still held. */
export async function renewLeases(
  context: Context,
  jobs: readonly Pick<ClaimedJob, 'action_id' | 'token'>[],
): Promise<ReadonlySet<string>> {
  return context.store.write('all', writer => renewStored(writer, jobs, context.config.lease_ms))
}

/** A lease as its holder knows it: in the database it certainly lasts as long. */
export interface HeldLease {
  /** `since` was started before the renewal was sent. */
  renewed(since: Stopwatch): void
  over(): boolean
}

/** `since` was started before the claim was sent. */
export function holdLease(since: Stopwatch, leaseMs: number): HeldLease {
  let elapsed = since
  return {
    renewed(later) {
      elapsed = later
    },
    over: () => elapsed() >= leaseMs,
  }
}
