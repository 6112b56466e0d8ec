import { payloadProblem } from '../event/check-trace.ts'
import {
  type Finding,
  failed,
  notProven,
  notProvenSinceErased,
  type OpenedExport,
  proven,
} from './verification.ts'

/** Every payload is the one that its event commits to; one that is gone was erased, and a later event says so. */
export function checkPayloads({ exported, events }: OpenedExport): Finding {
  const gone: number[] = []
  for (const [place, event] of events.entries()) {
    const beside = exported.events[place]
    if (beside === undefined) return failed(`event ${place} is not in the file`)
    const problem = payloadProblem(event, beside)
    if (problem !== null) return failed(`event ${place}: ${problem}`)
    if (beside.payload === null) gone.push(place)
  }
  if (gone.length === 0) return proven('every payload is the one that its event commits to')
  const lastErasure = events.findLastIndex(({ kind }) => kind === 'erasure')
  const missing = gone.filter(place => place > lastErasure)
  if (missing.length > 0)
    return notProven(`${named(missing)} without a payload, and no event says that it was erased`)
  return notProvenSinceErased(`${named(gone)}: the payload was erased, as a later event says`)
}

function named(places: readonly number[]): string {
  return `${places.length === 1 ? 'event' : 'events'} ${places.join(', ')}`
}
