import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Finding, Idempotency, Outcome } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'

/** One call of an actuator. `idempotency_key` is the same over all attempts of an action and shared by no other. */
export interface Invocation {
  tenant_id: string
  action_id: string
  idempotency_key: string
  attempt: number
  target_system: string
  operation: string
  parameters: JsonObject
  /** Hash of the tool schema that the catalog commits to (specification.md#catalogs), or null. */
  tool_schema_hash: string | null
  /** After this moment (ISO 8601, UTC) the service takes the attempt for over: a downstream that can, refuses it then. */
  not_after: string
  /** Where the downstream tells how this attempt ended, of this attempt alone; null: nowhere. */
  callback_url: string | null
  /** Header of W3C Trace Context for whatever is called: this attempt in the trace of its proposal. */
  traceparent: string
  /** Aborted when the deadline passes or the lease is lost; the outcome is then unknown whatever is returned. */
  signal: AbortSignal
  /**
   * Whether the lease, or the time of the attempt, is over by the clock, whatever timers have not fired yet: looked at last
   * before anything is sent, and nothing is sent once it says so.
   */
  isLate(): boolean
  /** How long the call may still take, in milliseconds: what comes before its request must leave some of it. */
  timeLeftMs(): number
}

/** The downstream took a call and ends it later: it is dispatched, not done, and never asked for again. */
export interface Accepted {
  class: 'accepted'
  dispatched: Dispatched
  rule: string
}

/**
 * What performs side effects (specification.md#actuators). `invoke` returns the outcome's class; anything it throws may have
 * happened after the effect left, so it counts as `unknown`, never as `failed`.
 */
export interface Actuator {
  readonly name: string
  /** Whether the downstream treats a repeated idempotency key as the same request. */
  readonly idempotency: Idempotency
  /** The same of one operation. Absent: of each what `idempotency` says. */
  idempotencyOf?(operation: string): Idempotency
  /** Whether an operation only reads: whatever comes of its call, nothing happened. Absent: none is known to. */
  changesNothing?(operation: string): boolean
  /** How long the downstream remembers a key, in milliseconds; it is repeated in the first 80 % of that. Absent: a day. */
  readonly key_retention_ms?: number
  /**
   * Only where the downstream refuses requests that arrive after `not_after` and its look-up is strongly consistent: how
   * long after `not_after`, in milliseconds, an absent key is proof that nothing happened and nothing will.
   */
  readonly absence_proves_after_ms?: number
  /** After so many milliseconds it ends a call by itself. Absent: it goes on until the signal is aborted. */
  readonly timeout_ms?: number
  /**
   * How the downstream is asked for an operation, as it is registered: a key means the same only to the same request at the
   * same place. Absent: it never changes.
   */
  requestOf?(operation: string): JsonValue
  invoke(invocation: Invocation): Promise<Outcome | Accepted>
  /**
   * What became of an operation that the downstream accepted; changes nothing there. `ok` and `failed` are what it says;
   * whatever else comes of asking means that it goes on.
   */
  poll?(dispatched: Dispatched, invocation: Invocation): Promise<Outcome>
  /** The same of what the downstream called back; nothing is asked. */
  calledBack?(called: CalledBack): Outcome | Promise<Outcome>
  /** What became of the key downstream; changes nothing there but may void the key. */
  lookup?(attempt: ReconcileAttempt): Promise<Finding>
}

/** What a downstream called back about an attempt. */
export interface CalledBack extends Pick<Invocation, 'tenant_id' | 'operation' | 'callback_url'> {
  body: JsonValue
  /** Whether it is judged now or never. */
  isLast: boolean
}

/** One look-up of an attempt whose outcome is not known: the latest attempt's call, with a deadline of its own. */
export type ReconcileAttempt = Invocation

/** What every attempt of an action is told alike. */
export type PlannedCall = Omit<
  Invocation,
  'signal' | 'attempt' | 'not_after' | 'callback_url' | 'traceparent' | 'isLate' | 'timeLeftMs'
>

/** The lease or the time of an attempt was over before the first byte of a request: none was sent. */
export class TooLate extends Error {
  readonly code = 'too_late'

  constructor() {
    super('the time of the attempt was over before the request was sent')
  }
}

/** The same in an error or its causes. */
export function isTooLate(error: unknown): boolean {
  if (error instanceof TooLate) return true
  return error instanceof Error && isTooLate(error.cause)
}
