import type { JobChange, JobRecord } from './change.ts'

/** The job of an action that is granted: due at once. */
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

/** A job as it is, but for what is given; nobody holds its lease unless that says so. */
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

/** Whether one more attempt may have an effect; those that provably had none do not count. */
export function attemptsLeft({ attempt, uncounted, max_attempts }: JobRecord): boolean {
  return attempt - uncounted < max_attempts
}

/** What a change leaves of a job: a lease that it took has only just begun. */
export function jobLeft(change: JobChange): JobRecord {
  return { lease_expired: false, ...change }
}
