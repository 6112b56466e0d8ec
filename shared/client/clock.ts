/** Milliseconds that only grow, whatever happens to the time of day. */
export function elapsedMs(): number {
  return performance.now()
}

/** The time of day, for dates that a server writes. */
export function epochMs(): number {
  return Date.now()
}
