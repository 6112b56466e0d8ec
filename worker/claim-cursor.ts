import type { Claimed, Claimer } from '../shared/flow/execution/claim-jobs.ts'

/** Lines of tenants that are looked at in vain, one after another. */
const linesMax = 8

/**
 * Where claims begin and when they go on: each begins where the last one ended, and after a sweep or a failure however
 * long work is due.
 */
export function createClaimCursor() {
  let after = ''
  let since: string | null = null
  let sweeping = true
  let failed = false
  /** A bound keeps jobs that are due. */
  let bounded = false
  /** Calls that ended since the claim began: what kept a job may have ended while that was found out. */
  let ended = 0
  let passedFirst: string | undefined
  let lines = 0

  /** Nobody in line could run, there are others, and the line has not come round. */
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
    /** Whether to claim again at once. */
    end(claimed: Claimed): boolean {
      failed = false
      after = claimed.after
      // Where not everybody was looked at, what was known of the others stands.
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
