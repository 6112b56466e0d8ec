import type { JobChange, JobRecord } from './change.ts'

export function newJob(attemptsMax: number): JobChange {
  return {
    state: 'pending',
    attempt: 0,
    max_attempts: attemptsMax,
    expected_token: null,
    lease_token: 0,
    lease_owner: null,
    lease_ms: null,
    run_in_ms: 0,
    maybe_executed: false,
    key_honoured: false,
    rounds: 0,
    uncounted: 0,
    leases_lost: 0,
    retry_until: null,
    needs_operator: false,
    last_error: null,
  }
}

/** Copies a job with changes. The copy has no lease unless the changes name an owner. */
export function changeJob(job: JobRecord, changed: Partial<JobChange>): JobChange {
  return {
    state: job.state,
    attempt: job.attempt,
    max_attempts: job.max_attempts,
    expected_token: job.lease_token,
    lease_token: job.lease_token,
    lease_owner: null,
    lease_ms: null,
    run_in_ms: 0,
    maybe_executed: job.maybe_executed,
    key_honoured: job.key_honoured,
    rounds: job.rounds,
    uncounted: job.uncounted,
    leases_lost: job.leases_lost,
    retry_until: job.retry_until,
    needs_operator: job.needs_operator,
    last_error: null,
    ...changed,
  }
}

export function attemptsLeft({ attempt, uncounted, max_attempts }: JobRecord): boolean {
  return attempt - uncounted < max_attempts
}

/** Returns the job after a change. Its lease cannot be expired, because the lease has just begun. */
export function jobLeft(change: JobChange): JobRecord {
  return { lease_expired: false, called_back: null, ...change }
}

/**
 * Bounds in milliseconds of the back-off between attempts and between reconcile rounds
 * (specification.md#execution).
 */
export interface RetryTerms {
  retry_ms_min: number
  retry_ms_max: number
  retry_after_ms_max: number
  reconcile_ms_min: number
}

/** Returns the back-off in ms before attempt `attempt + 1`, without jitter; the caller adds the jitter. */
export function retryDelayMs(attempt: number, terms: RetryTerms): number {
  return Math.min(terms.retry_ms_max, terms.retry_ms_min * 2 ** Math.min(attempt - 1, 30))
}

const roundsGrow = [1, 3, 12, 60, 360]

/**
 * Returns the delay before round `rounds + 1`. With a minimum of 10 s the delays are 10 s, 30 s, 2 min, 10 min, 1
 * h, then hourly.
 */
export function reconcileDelayMs(rounds: number, terms: Pick<RetryTerms, 'reconcile_ms_min'>): number {
  return terms.reconcile_ms_min * (roundsGrow[Math.min(rounds, roundsGrow.length - 1)] ?? 1)
}

/** Spreads a delay by up to ±20 %; `jitter` is between 0 and 1. */
export function spread(delayMs: number, jitter: number): number {
  return Math.round(delayMs * (0.8 + 0.4 * jitter))
}
