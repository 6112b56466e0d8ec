/** Bounds of the back-off between attempts; milliseconds (contract section 7). */
export interface RetryTerms {
  retry_ms_min: number
  retry_ms_max: number
}

/** Exponential back-off before attempt `attempt + 1`: the base doubled per attempt, capped; the caller adds jitter. */
export function retryDelayMs(attempt: number, terms: RetryTerms): number {
  return Math.min(terms.retry_ms_max, terms.retry_ms_min * 2 ** Math.min(attempt - 1, 30))
}
