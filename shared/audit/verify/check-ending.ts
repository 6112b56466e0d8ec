import type { ActionStatus } from '../../contract/action/action-status.ts'
import { eventsWithPayloads, type KnownStatus, statusAfterEvent } from './event-status.ts'
import {
  type Finding,
  failed,
  notProven,
  notProvenSinceErased,
  type OpenedExport,
  proven,
} from './verification.ts'

/**
 * Checks that the action has ended and that no event follows. Only this check reveals events missing at the end.
 */
export function checkEnding(opened: OpenedExport): Finding {
  let status: KnownStatus = 'received'
  for (const told of eventsWithPayloads(opened)) {
    const { kind } = told.event
    if (isTerminal(status))
      return failed(`event ${told.place}: ${kind} follows the end of the action, which was ${status}`)
    status = statusAfterEvent(told)
    if (status === 'nothing_known')
      return failed(`event ${told.place}: its payload does not say what became of the action`)
  }
  if (status === 'not_told') return notProvenSinceErased('what the last event says was erased')
  return isTerminal(status)
    ? proven(`the action ended as ${status}`)
    : notProven(`the action has not ended: its last event leaves it ${status}`)
}

/** Returns notes on event times that run backwards. Such times prove nothing, because clocks can be wrong. */
export function timeNotes({ events }: OpenedExport): string[] {
  return events.flatMap(({ at }, place) => {
    const before = events[place - 1]?.at ?? at
    return at < before ? [`event ${place} is dated ${at}, before the one that it follows (${before})`] : []
  })
}

function isTerminal(status: KnownStatus): boolean {
  return terminal.has(status)
}

const terminal: ReadonlySet<KnownStatus> = new Set<ActionStatus>(['denied', 'executed', 'execution_failed'])
