import type { ActionStatus, CountedApproval } from '../contract/action/action-status.ts'
import type { ActionEventKind, Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { RouteDemand } from '../contract/configuration/route-schema.ts'

/**
 * One audit entry of a change, before it is sealed. `from` and `to` are the action's statuses before and after the
 * change.
 */
export interface Entry {
  kind: ActionEventKind
  from: ActionStatus | null
  to: ActionStatus
  principal: Principal
  payload: JsonObject
  payload_text?: string | undefined
}

/**
 * The report of a callback: the current attempt succeeded (`done`) or failed (`failed`), or an earlier attempt
 * succeeded (`done_before`). The report is kept when the next attempt begins, because the effect of an earlier
 * attempt remains.
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
 * The execution job after a change. Times are durations in milliseconds, which the database adds to its own clock.
 * The write requires that the row still has the fencing token `expected_token`; null if no row exists yet.
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
  /** The number of attempts that provably had no effect. They do not count against `max_attempts`. */
  uncounted: number
  leases_lost: number
  /** The time at which retries of attempts without effect end (ISO 8601, UTC); null before the first attempt. */
  retry_until: string | null
  /** True if an operator has to resolve the action, because the service will not make another attempt. */
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

/** The action as read under its row lock. A decision uses no other data. */
export interface ActionState {
  action_id: string
  tenant_id: string
  /** The database's time, read after the lock was taken; ISO 8601 UTC with milliseconds. */
  at: string
  status: ActionStatus
  event_count: number
  hold_expired: boolean
  frozen: boolean
  key_id: string
  proposal_hash: string
  /** Hash of the planned request that an approval covers; null if the action is not held. */
  planned_hash: string | null
  /** Null if the action is not held, or if a single approval by any approver releases it. */
  quorum: Quorum | null
  /**
   * True if a late result or a callback says that the effect occurred. It is read only if the outcome is, or once
   * was, unknown.
   */
  proven: boolean
  job: JobRecord | null
}

/**
 * The approvals that a held action needs, as its verdict recorded them, and the approvals that it has. Set if it
 * needs several approvals or has a route.
 */
export interface Quorum {
  required: number
  /** The person who holds the proposer's key. An approval by this person does not count. */
  proposer_holder: string
  given: readonly CountedApproval[]
  route: RouteTerms | null
}

/** The approval route of a held action, as its verdict recorded it, and the people who are now in its groups. */
export interface RouteTerms {
  name: string
  hash: string
  required: readonly RouteDemand[]
  /** The issuer at which approvers must have signed in; null if any credential is accepted. */
  issuer: string | null
  helping: string | null
  /** The group that is asked to help now, because nobody decided in time; null if no group is due. */
  asked_next: string | null
  people: ReadonlyMap<string, readonly string[]>
  absences: readonly Absence[]
}

export interface Absence {
  absent: string
  delegate: string
}

/**
 * The execution job as read under its row lock. `lease_expired` follows the database's clock. It is false while a
 * downstream works on an operation that it accepted.
 */
export interface JobRecord {
  state: JobState
  attempt: number
  max_attempts: number
  lease_owner: string | null
  lease_token: number
  lease_expired: boolean
  /** True if any earlier attempt may have had an effect. Later attempts do not reset it. */
  maybe_executed: boolean
  /**
   * True if the downstream of the latest attempt honours the idempotency key, so that the same request may be sent
   * again.
   */
  key_honoured: boolean
  rounds: number
  uncounted: number
  leases_lost: number
  retry_until: string | null
  needs_operator: boolean
  called_back: CalledBack | null
}
