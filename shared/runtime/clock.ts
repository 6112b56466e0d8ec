/** Milliseconds of wall time since the epoch; never for order, which is the database's. */
export function wallTimeMs(): number {
  return Date.now()
}

/** A time of ISO 8601 in UTC that many milliseconds later, in the same form. */
export function laterBy(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString()
}

/** Milliseconds on the monotonic clock: for deadlines inside the process. */
export function monotonicMs(): number {
  return performance.now()
}
