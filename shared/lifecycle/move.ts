import type { Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { ok, type Result, refused } from '../result.ts'
import type { ActionState, Change, Entry, JobChange } from './change.ts'
import type { Uncounted } from './holder.ts'
import type { OffRoute } from './route.ts'
import { type IllegalMove, next, type Transition, type Trigger } from './transition.ts'

/** Why a decision about an existing action was refused. */
export type Refusal =
  | (IllegalMove & { reason: 'illegal' })
  | { reason: 'hold_expired' }
  | { reason: 'frozen' }
  | { reason: 'fenced' }
  | { reason: 'not_the_proposer' }
  | { reason: 'other_content' }
  | { reason: 'other_request' }
  | { reason: 'contradicted' }
  /** What was called back is to be read first. */
  | { reason: 'called_back' }
  | { reason: 'too_many_comments' }
  | Uncounted
  | OffRoute

/**
 * A decision: pure and synchronous, so nothing can wait for the network while it holds a transaction. `holder` is that of
 * the person who decides, read in the same transaction; none where the process itself acts.
 */
export type Decide = (action: ActionState, holder?: string) => Result<Change, Refusal>

/** What a move leaves besides the status: the payload of its event, and the job. */
export interface Effect {
  payload: JsonObject
  job: JobChange | null
}

/** The change of an existing action by a row of the state table; a move that the table does not have is refused. */
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
