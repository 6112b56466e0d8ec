/** A failed attempt: `attempts` counts from one, and `jitter` is a random number in [0, 1). */
export interface FailedAttempt {
  attempts: number
  jitter: number
  retry_after_ms: number | null
}

const spread = 0.2
const retryAfterMsMax = 86_400_000

/**
 * Returns the milliseconds until the next attempt: the scheduled delay ± 20 %, and at least the delay that the
 * endpoint asked for, up to a day. Returns null if the schedule has no further entry.
 */
export function nextAttemptMs(
  schedule: readonly number[],
  { attempts, jitter, retry_after_ms }: FailedAttempt,
): number | null {
  const planned = schedule[attempts - 1]
  if (planned === undefined) return null
  const spreadMs = planned * (1 - spread + 2 * spread * jitter)
  return Math.round(Math.max(spreadMs, Math.min(retry_after_ms ?? 0, retryAfterMsMax)))
}
