/** Milliseconds of wall time since the epoch; never for order, which is the database's. */
export function wallTimeMs(): number {
  return Date.now()
}

/** The wall time that many milliseconds from now, for a header. */
export function afterNow(ms: number): Date {
  return new Date(Date.now() + ms)
}

/** A time of ISO 8601 in UTC that many milliseconds later, in the same form. */
export function laterBy(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString()
}

/** The database's clock as far as it is known here: each answer that tells it sets it, monotonic time carries it on. */
export interface DatabaseClock {
  /** Told the database's clock, ISO 8601 UTC, as late as the answer came: what is known is behind, never ahead. */
  heard(now: string): void
  /** ISO 8601 UTC with milliseconds; null while it was not told lately. */
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
      // The answer that came soonest is the most exact one; a clock that was set back is believed.
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

/** Milliseconds on the monotonic clock: for deadlines inside the process. */
export function monotonicMs(): number {
  return performance.now()
}

/** Milliseconds since it was made. */
export type Stopwatch = () => number

/**
 * Of two clocks it says the longer time: the monotonic one stands still while the machine sleeps, and the other can be set
 * back. What it says is never too short; a clock that is set forward makes it too long.
 */
export function createStopwatch(): Stopwatch {
  const [monotonic, wall] = [monotonicMs(), wallTimeMs()]
  return () => Math.max(monotonicMs() - monotonic, wallTimeMs() - wall)
}
