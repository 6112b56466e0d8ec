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

/** Estimates the database's clock. Answers from the database set the clock, and monotonic time advances it. */
export interface DatabaseClock {
  /**
   * Takes the time from a database answer, in ISO 8601 UTC. The estimate is late by the delay of the answer, never
   * early.
   */
  heard(now: string): void
  /**
   * The estimate in ISO 8601 UTC with milliseconds; null if the database last told its time over 60 seconds ago.
   */
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
      // The highest offset had the least delay. An offset that is over 1 second lower shows a changed clock.
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
 * Starts a stopwatch that reads two clocks and takes the longer time. The monotonic clock stops while the machine
 * sleeps, and wall time can be set back. The result is therefore never too short, but too long if wall time is set
 * forward.
 */
export function createStopwatch(): Stopwatch {
  const [monotonic, wall] = [monotonicMs(), wallTimeMs()]
  return () => Math.max(monotonicMs() - monotonic, wallTimeMs() - wall)
}
