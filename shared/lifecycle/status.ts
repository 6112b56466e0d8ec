import type { ActionStatus } from '../contract/action/action-status.ts'
import { next } from './transition.ts'

/** Nothing changes these any more (specification.md#states). */
export const terminalStatuses: ReadonlySet<ActionStatus> = new Set(['executed', 'denied', 'execution_failed'])

/** The service will not move the action by itself: terminal, held for a person, or unknown. */
export function isAtRest(status: ActionStatus): boolean {
  return isSettled(status) || status === 'pending_approval'
}

/** Nothing more happens unless an operator acts: what a poller waits for. */
export function isSettled(status: ActionStatus): boolean {
  return terminalStatuses.has(status) || status === 'outcome_unknown'
}

/** Whether a person may decide the action now: the same question for the button and for the server. */
export const can = {
  approve: (status: ActionStatus): boolean => next(status, 'approve') !== null,
  reject: (status: ActionStatus): boolean => next(status, 'reject') !== null,
}
