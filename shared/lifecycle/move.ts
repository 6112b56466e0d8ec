import type { Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { ok, type Result, refused } from '../result.ts'
import type { ActionState, Change, Entry, JobChange } from './change.ts'
import type { Uncounted } from './holder.ts'
import type { OffRoute } from './route.ts'
import { type IllegalMove, next, type Transition, type Trigger } from './transition.ts'

export type Refusal =
  | (IllegalMove & { reason: 'illegal' })
  | { reason: 'hold_expired' }
  | { reason: 'frozen' }
  | { reason: 'fenced' }
  | { reason: 'not_the_proposer' }
  | { reason: 'other_content' }
  | { reason: 'other_request' }
  | { reason: 'contradicted' }
  /** The downstream called back, and that report must be read before an outcome is settled. */
  | { reason: 'called_back' }
  | { reason: 'too_many_comments' }
  | Uncounted
  | OffRoute

/**
 * A decision about an action. It is pure and synchronous, so that no transaction can wait for the network.
 * `holder` is the person who decides, read in the same transaction; it is absent if the service itself decides.
 */
export type Decide = (action: ActionState, holder?: string) => Result<Change, Refusal>

export interface Effect {
  payload: JsonObject
  job: JobChange | null
}

export function move(
  action: ActionState,
  trigger: Trigger,
  principal: Principal,
  effect: Effect,
): Result<Change, Refusal> {
  const transition = next(action.status, trigger)
  if (!transition) return illegal(action, trigger)
  return ok({
    from: action.status,
    to: transition.to,
    entries: [entry(transition, principal, effect.payload)],
    job: effect.job,
    hold_ms: null,
  })
}

export function illegal(action: ActionState, trigger: Trigger): Result<Change, Refusal> {
  return refused({ reason: 'illegal', status: action.status, trigger })
}

export function entry(transition: Transition, principal: Principal, payload: JsonObject): Entry {
  return { kind: transition.event, from: transition.from, to: transition.to, principal, payload }
}
