import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Finding, Idempotency, Outcome } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'

/** One call of an actuator. All attempts of an action share one `idempotency_key`, and no other action has it. */
export interface Invocation {
  tenant_id: string
  action_id: string
  idempotency_key: string
  attempt: number
  target_system: string
  operation: string
  parameters: JsonObject
  /** The hash of the tool schema that the catalog commits to (specification.md#catalogs), or null. */
  tool_schema_hash: string | null
  /** The moment (ISO 8601, UTC) at which the attempt is over; the downstream should refuse it afterwards. */
  not_after: string
  /** The address at which the downstream reports the end of this attempt, or null if there is none. */
  callback_url: string | null
  traceparent: string
  /** The signal that aborts at the deadline or on loss of the lease; the outcome is unknown from then on. */
  signal: AbortSignal
  /**
   * Returns true once the lease or the attempt's time has run out by the clock. The last check before sending
   * uses it, because a timer may fire late; nothing is sent after it returns true.
   */
  isLate(): boolean
  /** Returns the milliseconds left for the call, so that steps before its request can leave some of them. */
  timeLeftMs(): number
}

/** An answer by which the downstream takes a call and ends it later, so that it is never sent again. */
export interface Accepted {
  class: 'accepted'
  dispatched: Dispatched
  rule: string
}

/**
 * A performer of side effects (specification.md#actuators). An error from `invoke` counts as `unknown`, never
 * as `failed`, because the effect may have left before it.
 */
export interface Actuator {
  readonly name: string
  readonly idempotency: Idempotency
  idempotencyOf?(operation: string): Idempotency
  /** Returns true if the operation only reads, so that no outcome of its call can have changed anything. */
  changesNothing?(operation: string): boolean
  /** Milliseconds for which the downstream keeps a key (absent: a day); retries use only the first 80 %. */
  readonly key_retention_ms?: number
  /**
   * Milliseconds after `not_after` from which an absent key proves that nothing happened and nothing will. It
   * is set only if the downstream refuses requests after `not_after` and its look-up is strongly consistent.
   */
  readonly absence_proves_after_ms?: number
  /** Milliseconds after which the actuator ends a call itself; if absent, only the signal ends it. */
  readonly timeout_ms?: number
  /**
   * Returns the registered request of an operation, because a key protects only the same request to the same
   * address. If absent, the request never changes.
   */
  requestOf?(operation: string): JsonValue
  invoke(invocation: Invocation): Promise<Outcome | Accepted>
  /**
   * Asks the downstream about an accepted operation and changes nothing there. Only `ok` and `failed` end the
   * operation; any other result leaves it running.
   */
  poll?(dispatched: Dispatched, invocation: Invocation): Promise<Outcome>
  calledBack?(called: CalledBack): Outcome | Promise<Outcome>
  /** Looks the key up downstream; it changes nothing there, but may void the key. */
  lookup?(attempt: ReconcileAttempt): Promise<Finding>
}

export interface CalledBack extends Pick<Invocation, 'tenant_id' | 'operation' | 'callback_url'> {
  body: JsonValue
  /** True if no later judgement of this callback follows. */
  isLast: boolean
}

/** A look-up of an attempt with unknown outcome: the latest attempt's call with its own deadline. */
export type ReconcileAttempt = Invocation

export type PlannedCall = Omit<
  Invocation,
  'signal' | 'attempt' | 'not_after' | 'callback_url' | 'traceparent' | 'isLate' | 'timeLeftMs'
>

/** An error that says the lease or the attempt's time ran out before the first byte was sent. */
export class TooLate extends Error {
  readonly code = 'too_late'

  constructor() {
    super('the time of the attempt was over before the request was sent')
  }
}

export function isTooLate(error: unknown): boolean {
  if (error instanceof TooLate) return true
  return error instanceof Error && isTooLate(error.cause)
}
