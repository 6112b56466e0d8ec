import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Finding, Idempotency, Outcome } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'

/** One call of an actuator. All attempts of an action share one `idempotency_key`, which no other action uses. */
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
  /** The deadline of the attempt (ISO 8601, UTC). After it, the downstream should refuse the request. */
  not_after: string
  /** The URL to which the downstream reports the end of this attempt, or null without a callback. */
  callback_url: string | null
  traceparent: string
  /** A signal that aborts at the deadline or when the lease is lost. From then on the outcome is unknown. */
  signal: AbortSignal
  /**
   * Returns true once the clock says that the lease or the attempt has expired; nothing may be sent
   * afterwards. The last check before sending uses this method, because the timer behind `signal` may fire
   * late.
   */
  isLate(): boolean
  /**
   * Returns the milliseconds left for the call. An earlier step, such as fetching a token, takes only a part
   * of these.
   */
  timeLeftMs(): number
}

/** The answer of a downstream that accepts a call now and finishes it later. The call is never sent again. */
export interface Accepted {
  class: 'accepted'
  dispatched: Dispatched
  rule: string
}

/**
 * A performer of side effects (specification.md#actuators). An error thrown by `invoke` counts as `unknown`,
 * never as `failed`, because the request may have left before the error.
 */
export interface Actuator {
  readonly name: string
  readonly idempotency: Idempotency
  idempotencyOf?(operation: string): Idempotency
  /** Returns true if the operation only reads, so that even a call with an unknown outcome changed nothing. */
  changesNothing?(operation: string): boolean
  /**
   * Milliseconds for which the downstream remembers a key; if absent, one day. Retries use only the first 80
   * %.
   */
  readonly key_retention_ms?: number
  /**
   * Milliseconds after `not_after` from which a key that the look-up does not find proves that nothing
   * happened and nothing will. Set it only if the downstream refuses requests after `not_after` and its
   * look-up is strongly consistent.
   */
  readonly absence_proves_after_ms?: number
  /** Milliseconds after which the actuator itself ends a call. If absent, only the signal ends the call. */
  readonly timeout_ms?: number
  /**
   * Returns the registered request of an operation, because a key protects only the same request to the same
   * address. If this method is absent, the request never changes.
   */
  requestOf?(operation: string): JsonValue
  invoke(invocation: Invocation): Promise<Outcome | Accepted>
  /**
   * Asks the downstream about an accepted operation and changes nothing there. Only `ok` and `failed` end the
   * operation; after any other result it is still running.
   */
  poll?(dispatched: Dispatched, invocation: Invocation): Promise<Outcome>
  calledBack?(called: CalledBack): Outcome | Promise<Outcome>
  /** Looks up the idempotency key downstream. This has no effect there, except that it may void the key. */
  lookup?(attempt: ReconcileAttempt): Promise<Finding>
}

export interface CalledBack extends Pick<Invocation, 'tenant_id' | 'operation' | 'callback_url'> {
  body: JsonValue
  /** True if no worker will read this callback again. */
  isLast: boolean
}

/** The call of the latest attempt, whose outcome is unknown, with a new deadline for the look-up. */
export type ReconcileAttempt = Invocation

export type PlannedCall = Omit<
  Invocation,
  'signal' | 'attempt' | 'not_after' | 'callback_url' | 'traceparent' | 'isLate' | 'timeLeftMs'
>

/** The error thrown if the lease or the attempt expired before the first byte was sent. */
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
