import type { Idempotency, Outcome } from '../contract/actuator.ts'
import type { JsonObject } from '../contract/json.ts'

/** One call of an actuator. `idempotency_key` is the same over all attempts of an action and shared by no other. */
export interface Invocation {
  tenant_id: string
  action_id: string
  idempotency_key: string
  attempt: number
  target_system: string
  operation: string
  parameters: JsonObject
  /** Aborted when the deadline passes or the lease is lost; the outcome is then unknown whatever is returned. */
  signal: AbortSignal
}

/**
 * What performs side effects (contract section 7). `invoke` returns the outcome's class; anything it throws may have
 * happened after the effect left, so it counts as `unknown`, never as `failed`.
 */
export interface Actuator {
  readonly name: string
  /** Whether the downstream treats a repeated idempotency key as the same request. */
  readonly idempotency: Idempotency
  invoke(invocation: Invocation): Promise<Outcome>
}
