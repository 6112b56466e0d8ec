import type { ActionStatus, CountedApproval } from '../contract/action/action-status.ts'
import type { ActionEventKind, Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { RouteDemand } from '../contract/configuration/route-schema.ts'

/** One audit entry of a change, before it is sealed; `from` and `to` are the committed statuses around it. */
export interface Entry {
  kind: ActionEventKind
  from: ActionStatus | null
  to: ActionStatus
  principal: Principal
  payload: JsonObject
  /** The canonical text of the payload, where it was made before. */
  payload_text?: string | undefined
}

/**
 * What a downstream has called back: that the attempt under way is done, or that it failed, or that an earlier attempt was
 * done. It outlives the attempt, since an effect stays an effect.
 */
export type CalledBack = 'done' | 'failed' | 'done_before'

export type JobState = 'pending' | 'leased' | 'unknown' | 'done'

/**
 * The execution job as a change leaves it. Times are durations in milliseconds that the database adds to its own
 * clock; `lease_token` is the fencing number that the row must still carry (null: the row does not exist yet).
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
  /** Rounds of reconcile so far. */
  rounds: number
  /** Of the attempts, those that provably had no effect: they do not count against `max_attempts`. */
  uncounted: number
  /** Of the attempts, those whose worker did not report within its lease. */
  leases_lost: number
  /** Until when what had no effect is tried again (ISO 8601, UTC); null before the first attempt. */
  retry_until: string | null
  /** Nothing more is tried by itself: an operator has to find out. */
  needs_operator: boolean
  last_error: string | null
}

/** A change of one action as a value: entries to append, the status they lead to, and what becomes of its job. */
export interface Change {
  from: ActionStatus | null
  to: ActionStatus
  entries: readonly Entry[]
  job: JobChange | null
  /** How long the action may wait for a person, in milliseconds; null unless it is being held by this change. */
  hold_ms: number | null
}

/** What a decision may look at: the action as it was read under its row lock. */
export interface ActionState {
  action_id: string
  tenant_id: string
  /** ISO 8601 UTC with milliseconds, from the database's clock, after the lock was taken. */
  at: string
  status: ActionStatus
  event_count: number
  hold_expired: boolean
  /** A freeze of the tenant matches the action. */
  frozen: boolean
  /** The key that proposed it. */
  key_id: string
  /** Hash of the proposal that was decided. */
  proposal_hash: string
  /** Hash of the request that is approved with it; null where nobody holds it. */
  planned_hash: string | null
  /** Null where one approval by anybody frees it, or nobody holds it. */
  quorum: Quorum | null
  /**
   * A result that came after its lease, or a callback, says that it happened. Results are looked up where the outcome is
   * unknown, or was.
   */
  proven: boolean
  job: JobRecord | null
}

/** What a held action needs that needs several approvals, or those of a route, as it was frozen, and what it has. */
export interface Quorum {
  required: number
  /** Whose approval does not count. */
  proposer_holder: string
  given: readonly CountedApproval[]
  /** Null where any approver may decide. */
  route: RouteTerms | null
}

/** Of whom a held action takes its approvals, as it was frozen, and who these people are now. */
export interface RouteTerms {
  name: string
  hash: string
  required: readonly RouteDemand[]
  /** At which whoever decides must have signed in; null: whatever they decide with is as good. */
  issuer: string | null
  /** The group that helps since it was asked; else null. */
  helping: string | null
  /** The group that is to be asked now, since nobody decided for so long; else null. */
  asked_next: string | null
  /** Holders by group. */
  people: ReadonlyMap<string, readonly string[]>
  /** Absences that are under way: who acts for whom. */
  absences: readonly Absence[]
}

/** One holder acts for another. */
export interface Absence {
  absent: string
  delegate: string
}

/**
 * The execution job as it was read under its row lock; `lease_expired` by the database's clock, and never while a downstream
 * ends the attempt.
 */
export interface JobRecord {
  state: JobState
  attempt: number
  max_attempts: number
  lease_owner: string | null
  lease_token: number
  lease_expired: boolean
  /** An earlier attempt may have had an effect: sticky over the attempts of an action. */
  maybe_executed: boolean
  /** The actuator of the latest attempt treats a repeated idempotency key as the same request. */
  key_honoured: boolean
  rounds: number
  uncounted: number
  leases_lost: number
  retry_until: string | null
  needs_operator: boolean
  /** Null where nothing was called back. */
  called_back: CalledBack | null
}
