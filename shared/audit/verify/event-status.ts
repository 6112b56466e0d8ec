import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { OpenedExport } from './verification.ts'

/** An event with what is known of its payload: null where that is not in the file. */
export interface ToldEvent {
  place: number
  event: AuditEvent
  payload: JsonObject | null
}

/** The events that changed the action: erasures take content away and change no state. */
export function toldEvents({ exported, events }: OpenedExport): ToldEvent[] {
  return events
    .map((event, place) => ({ place, event, payload: exported.events[place]?.payload ?? null }))
    .filter(({ event }) => event.kind !== 'erasure')
}

/** `not_told`: what would say it is not in the file. `nothing_known`: it says something that no event of its kind does. */
export type Standing = ActionStatus | 'not_told' | 'nothing_known'

/** Where an event leaves its action (specification.md#states). */
export function standingAfter({
  event,
  payload,
}: {
  event: Pick<AuditEvent, 'kind'>
  payload: JsonObject | null
}): Standing {
  const standing = standings[event.kind]
  if (standing === undefined) return 'nothing_known'
  if (typeof standing === 'string') return standing
  if (payload === null) return 'not_told'
  const told = payload[standing.member]
  return (typeof told === 'string' && standing.means.get(told)) || 'nothing_known'
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

const standings: Partial<Record<AuditEvent['kind'], ActionStatus | ByPayload>> = {
  proposal_received: 'received',
  verdict: byDecision,
  approval: 'execution_pending',
  partial_approval: 'pending_approval',
  rejection: 'denied',
  expiry: 'denied',
  cancellation: 'denied',
  execution_attempt: 'executing',
  execution: byOutcome,
  reconciliation: byOutcome,
}
