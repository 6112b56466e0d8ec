/** What an attempt that failed knows: its number from one, a number in [0, 1), and what the endpoint asked for. */
export interface FailedAttempt {
  attempts: number
  jitter: number
  retry_after_ms: number | null
}

const spread = 0.2
const retryAfterMsMax = 86_400_000

/**
 * When to try again, in milliseconds from now: by the schedule, give or take a fifth, and not before the endpoint asked
 * for it, a day at most. Null when the schedule has no further entry.
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
