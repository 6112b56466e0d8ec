import type { ActionStatus } from '../contract/action/action-status.ts'
import { next } from './transition.ts'

/**
 * Final statuses. Only an erasure event may follow them, and it does not change the status
 * (specification.md#states).
 */
export const terminalStatuses: ReadonlySet<ActionStatus> = new Set(['executed', 'denied', 'execution_failed'])

/** Returns true if the service takes no step at once: the action is final, held or unknown. */
export function isAtRest(status: ActionStatus): boolean {
  return isSettled(status) || status === 'pending_approval'
}

/** Returns true if the action is final or its outcome is unknown, so that a poller may stop. */
export function isSettled(status: ActionStatus): boolean {
  return terminalStatuses.has(status) || status === 'outcome_unknown'
}

/**
 * Checks that the console's buttons and the server share, so that a shown button is never refused for the status.
 */
export const can = {
  approve: (status: ActionStatus): boolean => next(status, 'approve') !== null,
  reject: (status: ActionStatus): boolean => next(status, 'reject') !== null,
}
