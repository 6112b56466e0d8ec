import type { ActionStatus, CountedApproval } from '../contract/action/action-status.ts'
import type { ActionEventKind, Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { RouteDemand } from '../contract/configuration/route-schema.ts'

/** One audit entry of a change before it is sealed; `from` and `to` are the committed statuses around it. */
export interface Entry {
  kind: ActionEventKind
  from: ActionStatus | null
  to: ActionStatus
  principal: Principal
  payload: JsonObject
  payload_text?: string | undefined
}

/**
 * The report in a callback: the current attempt is done or failed, or an earlier attempt was done. It outlives the
 * attempt, since the effect of an attempt stays.
 */
export type CalledBack = 'done' | 'failed' | 'done_before'

/**
 * The states of an execution job:
 *
 * - `pending`: an allowing verdict, an approval, a retry or a reconcile round puts a job here, and the claim of a
 *   worker moves it on. A crash loses nothing, because any worker may claim the stored job.
 * - `leased`: the claim of a worker puts it here before the call, and the settlement with its fencing token moves
 *   it on. After a crash the lease expires and the attempt counts as unknown, because it may have had an effect.
 * - `unknown`: an attempt that may have had an effect puts it here; a reconcile round, a late result or an
 *   operator moves it on. A crash loses only the round, and a later round asks again.
 * - `done`: a recorded success or failure puts it here, and no further attempt follows.
 */
export type JobState = 'pending' | 'leased' | 'unknown' | 'done'

/**
 * The execution job as a change leaves it. Times are durations in milliseconds that the database adds to its own
 * clock; `expected_token` is the fencing number that the row must still carry (null: the row does not exist yet).
 */
export interface JobChange {
  state: JobState
  attempt: number
  max_attempts: number
  expected_token: number | null
  lease_token: number
  lease_owner: string | null
  lease_ms: number | null
  run_in_ms: number
  maybe_executed: boolean
  key_honoured: boolean
  rounds: number
  /** Attempts that provably had no effect; they do not count against `max_attempts`. */
  uncounted: number
  leases_lost: number
  /** The time at which retries of attempts without effect end (ISO 8601, UTC); null before the first attempt. */
  retry_until: string | null
  /** True if an operator has to resolve the action, because the service makes no further attempt. */
  needs_operator: boolean
  last_error: string | null
}

export interface Change {
  from: ActionStatus | null
  to: ActionStatus
  entries: readonly Entry[]
  job: JobChange | null
  /** Milliseconds that the action may wait for approval; null unless this change holds it. */
  hold_ms: number | null
}

/** The action as it was read under its row lock; a decision sees no other data. */
export interface ActionState {
  action_id: string
  tenant_id: string
  /** ISO 8601 UTC with milliseconds, from the database's clock, after the lock was taken. */
  at: string
  status: ActionStatus
  event_count: number
  hold_expired: boolean
  frozen: boolean
  key_id: string
  proposal_hash: string
  /** Hash of the planned request that an approval covers; null if the action is not held. */
  planned_hash: string | null
  /** Null if the action is not held, or any one approval releases it. */
  quorum: Quorum | null
  /**
   * True if a late result or a callback says that the effect occurred. Results are read only while the outcome is
   * unknown, or after it was.
   */
  proven: boolean
  job: JobRecord | null
}

/**
 * The approvals that a held action needs and has, frozen at its verdict; used for several approvals or a route.
 */
export interface Quorum {
  required: number
  /** The proposer's holder, whose own approval does not count. */
  proposer_holder: string
  given: readonly CountedApproval[]
  route: RouteTerms | null
}

/** The approval route of a held action, frozen at its verdict, and the current people of its groups. */
export interface RouteTerms {
  name: string
  hash: string
  required: readonly RouteDemand[]
  /** The issuer at which approvers must have signed in; null accepts any credential. */
  issuer: string | null
  helping: string | null
  /** The group that is due to be asked because nobody decided in time; null if none is due. */
  asked_next: string | null
  people: ReadonlyMap<string, readonly string[]>
  absences: readonly Absence[]
}

export interface Absence {
  absent: string
  delegate: string
}

/**
 * The execution job as it was read under its row lock. `lease_expired` follows the database's clock, and is false
 * while a downstream works on the accepted operation.
 */
export interface JobRecord {
  state: JobState
  attempt: number
  max_attempts: number
  lease_owner: string | null
  lease_token: number
  lease_expired: boolean
  /** True if an earlier attempt may have had an effect; it stays true over later attempts. */
  maybe_executed: boolean
  /**
   * True if the latest attempt's actuator takes a repeated idempotency key for the same request, so that a retry
   * is safe.
   */
  key_honoured: boolean
  rounds: number
  uncounted: number
  leases_lost: number
  retry_until: string | null
  needs_operator: boolean
  called_back: CalledBack | null
}
