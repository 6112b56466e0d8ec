/** Milliseconds of wall time since the epoch; never for order, which is the database's. */
export function wallTimeMs(): number {
  return Date.now()
}

/** Milliseconds on the monotonic clock: for deadlines inside the process. */
export function monotonicMs(): number {
  return performance.now()
}
