import type { Principal } from '../contract/action/audit.ts'
import { type Decide, move } from './move.ts'

/** Erase what was recorded of an action that is at its end: its events and their proofs stand, the reason beside them. */
export function erase(admin: Principal, reason: string): Decide {
  return action => move(action, 'erase', admin, { payload: { reason }, job: null })
}
