import type { Claimed, Claimer } from '../shared/flow/execution/claim-jobs.ts'

/** A claim looks at up to 8 groups of tenants in a row that cannot run anything, so that a pass is bounded. */
const linesMax = 8

/**
 * Keeps the position of the last claim. Each claim begins after the tenant where the last one ended, and skips the
 * time before which no job was pending. The first claim after a sweep or a failure skips no time, because a job
 * may be committed later than jobs that are due after it.
 */
export function createClaimCursor() {
  let after = ''
  let since: string | null = null
  let sweeping = true
  let failed = false
  let bounded = false
  /** Counts the calls that ended since the claim began, because they may have made room for a job that it left. */
  let ended = 0
  let passedFirst: string | undefined
  let lines = 0

  /**
   * Returns true if no tenant in this group can run, further tenants exist and the walk has not come back to its
   * first.
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
      // A claim that left tenants out says nothing about them, so the earlier result still holds for them.
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
