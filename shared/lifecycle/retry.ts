/** Bounds of the back-off between attempts, and between rounds of reconcile; milliseconds (specification.md#execution). */
export interface RetryTerms {
  retry_ms_min: number
  retry_ms_max: number
  /** Of what a downstream asks for. */
  retry_after_ms_max: number
  reconcile_ms_min: number
}

/** Exponential back-off before attempt `attempt + 1`: the base doubled per attempt, capped; the caller adds jitter. */
export function retryDelayMs(attempt: number, terms: RetryTerms): number {
  return Math.min(terms.retry_ms_max, terms.retry_ms_min * 2 ** Math.min(attempt - 1, 30))
}

const roundsGrow = [1, 3, 12, 60, 360]

/** Before round `rounds + 1` of reconcile: 10 s, 30 s, 2 min, 10 min, 1 h, then hourly, where the first is 10 s. */
export function reconcileDelayMs(rounds: number, terms: Pick<RetryTerms, 'reconcile_ms_min'>): number {
  return terms.reconcile_ms_min * (roundsGrow[Math.min(rounds, roundsGrow.length - 1)] ?? 1)
}

/** `jitter` from 0 to 1 spreads a delay by ±20 %. */
export function spread(delayMs: number, jitter: number): number {
  return Math.round(delayMs * (0.8 + 0.4 * jitter))
}
