/**
 * Returns wall time in milliseconds since the epoch. Events are ordered by the database's clock, never by this
 * one.
 */
export function wallTimeMs(): number {
  return Date.now()
}

export function afterNow(ms: number): Date {
  return new Date(Date.now() + ms)
}

export function laterBy(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString()
}

/** An estimate of the database's clock: answers from the database set it, and monotonic time carries it on. */
export interface DatabaseClock {
  /** Takes the database's time in ISO 8601 UTC. The estimate lags by the answer's delay and never runs ahead. */
  heard(now: string): void
  /** ISO 8601 UTC with milliseconds; null if the last answer is more than 60 seconds old. */
  now(): string | null
}

const knownMs = 60_000
const jumpMs = 1_000

export function createDatabaseClock(): DatabaseClock {
  let offset = 0
  let heardAt = Number.NEGATIVE_INFINITY
  return {
    heard(now) {
      const at = monotonicMs()
      const told = Date.parse(now) - at
      // The fastest answer is the most exact. A clock that falls back by more than 1 second is accepted.
      const exacter = told > offset || offset - told > jumpMs
      if (!exacter && at - heardAt < knownMs) return
      offset = told
      heardAt = at
    },
    now() {
      const at = monotonicMs()
      return at - heardAt < knownMs ? new Date(at + offset).toISOString() : null
    },
  }
}

export function monotonicMs(): number {
  return performance.now()
}

export type Stopwatch = () => number

/**
 * Starts a stopwatch that takes the longer time of two clocks, because the monotonic clock stops while the machine
 * sleeps and wall time can be set to an earlier time. The result is never too short, but a clock that is set
 * forward makes it too long.
 */
export function createStopwatch(): Stopwatch {
  const [monotonic, wall] = [monotonicMs(), wallTimeMs()]
  return () => Math.max(monotonicMs() - monotonic, wallTimeMs() - wall)
}
