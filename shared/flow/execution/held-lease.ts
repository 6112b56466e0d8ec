import type { Stopwatch } from '../../runtime/clock.ts'

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
