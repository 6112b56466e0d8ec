import type { ActionStatus } from '../contract/action/action-status.ts'
import { next } from './transition.ts'

/** Statuses that only an erasure event may follow, without a change (specification.md#states). */
export const terminalStatuses: ReadonlySet<ActionStatus> = new Set(['executed', 'denied', 'execution_failed'])

/** Returns true if no automatic step follows at once: the action is final, held or unknown. */
export function isAtRest(status: ActionStatus): boolean {
  return isSettled(status) || status === 'pending_approval'
}

/** Returns true if the action is final or needs an operator, so that a poller may stop. */
export function isSettled(status: ActionStatus): boolean {
  return terminalStatuses.has(status) || status === 'outcome_unknown'
}

/** Decision checks that the console's buttons and the server share, so that both agree. */
export const can = {
  approve: (status: ActionStatus): boolean => next(status, 'approve') !== null,
  reject: (status: ActionStatus): boolean => next(status, 'reject') !== null,
}
