import type { Claimed, Claimer } from '../shared/flow/execution/claim-jobs.ts'

/** One pass examines at most 8 groups of tenants that cannot run any job, so that a pass stays short. */
const linesMax = 8

/**
 * Remembers where the last claim ended, so that the next claim begins with the tenant after it. A claim also skips
 * due times before which no job was pending. The first claim after a sweep or a failed claim skips none, because a
 * job can be committed later than jobs with a later due time.
 */
export function createClaimCursor() {
  let after = ''
  let since: string | null = null
  let sweeping = true
  let failed = false
  let bounded = false
  /** Calls that ended since the claim began. They may have freed a slot for a job that the claim left out. */
  let ended = 0
  let passedFirst: string | undefined
  let lines = 0

  /**
   * Returns true if the next group of tenants is worth a claim: this group could run no job, and the walk has not
   * returned to its first tenant.
   */
  const passesOn = (passed: readonly string[] | null): boolean => {
    const cameRound = passedFirst !== undefined && passed?.includes(passedFirst)
    lines += 1
    if (passed !== null && !cameRound && lines < linesMax) {
      passedFirst ??= passed[0]
      return true
    }
    passedFirst = undefined
    lines = 0
    return false
  }

  return {
    begin(): Pick<Claimer, 'after' | 'since'> {
      const from = { after, since: sweeping || failed ? null : since }
      sweeping = false
      failed = true
      ended = 0
      return from
    },
    end(claimed: Claimed): boolean {
      failed = false
      after = claimed.after
      // A claim that skipped some due times cannot clear the flag, because it did not see the skipped jobs.
      bounded = claimed.bounded || (bounded && claimed.since === null)
      since = claimed.since ?? since
      const on = passesOn(claimed.passed)
      return on || claimed.more || (claimed.bounded && ended > 0)
    },
    callEnded(): void {
      ended += 1
    },
    bounded: () => bounded,
    sweep(): void {
      sweeping = true
    },
  }
}
