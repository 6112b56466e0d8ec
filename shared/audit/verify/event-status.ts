import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { OpenedExport } from './verification.ts'

export interface EventWithPayload {
  place: number
  event: AuditEvent
  payload: JsonObject | null
}

/** Returns the events that changed the action. Erasures are left out, because they do not change its status. */
export function eventsWithPayloads({ exported, events }: OpenedExport): EventWithPayload[] {
  return events
    .map((event, place) => ({ place, event, payload: exported.events[place]?.payload ?? null }))
    .filter(({ event }) => event.kind !== 'erasure')
}

/**
 * A status; `not_told` if the payload that names the status is missing; `nothing_known` if the payload is invalid.
 */
export type KnownStatus = ActionStatus | 'not_told' | 'nothing_known'

/** Returns the status of the action after the event (specification.md#states). */
export function statusAfterEvent({
  event,
  payload,
}: {
  event: Pick<AuditEvent, 'kind'>
  payload: JsonObject | null
}): KnownStatus {
  const status = statuses[event.kind]
  if (status === undefined) return 'nothing_known'
  if (typeof status === 'string') return status
  if (payload === null) return 'not_told'
  const told = payload[status.member]
  return (typeof told === 'string' && status.means.get(told)) || 'nothing_known'
}

interface ByPayload {
  member: string
  means: ReadonlyMap<string, ActionStatus>
}

const byOutcome: ByPayload = {
  member: 'outcome',
  means: new Map([
    ['ok', 'executed'],
    ['failed', 'execution_failed'],
    ['retry', 'execution_pending'],
    ['unknown', 'outcome_unknown'],
  ]),
}

const byDecision: ByPayload = {
  member: 'decision',
  means: new Map([
    ['allow', 'execution_pending'],
    ['needs_approval', 'pending_approval'],
    ['deny', 'denied'],
  ]),
}

const statuses: Partial<Record<AuditEvent['kind'], ActionStatus | ByPayload>> = {
  proposal_received: 'received',
  verdict: byDecision,
  approval: 'execution_pending',
  partial_approval: 'pending_approval',
  rejection: 'denied',
  expiry: 'denied',
  cancellation: 'denied',
  comment: 'pending_approval',
  change_request: 'pending_approval',
  supersession: 'denied',
  escalation: 'pending_approval',
  execution_attempt: 'executing',
  execution: byOutcome,
  reconciliation: byOutcome,
}
