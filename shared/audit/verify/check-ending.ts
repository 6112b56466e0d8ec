import type { ActionStatus } from '../../contract/action/action-status.ts'
import { type Standing, standingAfter, toldEvents } from './event-status.ts'
import {
  type Finding,
  failed,
  notProven,
  notProvenSinceErased,
  type OpenedExport,
  proven,
} from './verification.ts'

/** The action came to an end, and nothing follows it. That events are missing at the end shows in nothing else. */
export function checkEnding(opened: OpenedExport): Finding {
  let standing: Standing = 'received'
  for (const told of toldEvents(opened)) {
    const { kind } = told.event
    if (isTerminal(standing))
      return failed(`event ${told.place}: ${kind} follows the end of the action, which was ${standing}`)
    standing = standingAfter(told)
    if (standing === 'nothing_known')
      return failed(`event ${told.place}: its payload does not say what became of the action`)
  }
  if (standing === 'not_told') return notProvenSinceErased('what the last event says was erased')
  return isTerminal(standing)
    ? proven(`the action ended as ${standing}`)
    : notProven(`the action has not ended: its last event leaves it ${standing}`)
}

/** What a reader should know of the times, which are told by a clock and are no proof of anything. */
export function timeNotes({ events }: OpenedExport): string[] {
  return events.flatMap(({ at }, place) => {
    const before = events[place - 1]?.at ?? at
    return at < before ? [`event ${place} is dated ${at}, before the one that it follows (${before})`] : []
  })
}

function isTerminal(standing: Standing): boolean {
  return terminal.has(standing)
}

const terminal: ReadonlySet<Standing> = new Set<ActionStatus>(['denied', 'executed', 'execution_failed'])
