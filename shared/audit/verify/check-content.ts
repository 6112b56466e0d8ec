import type { AuditExport } from '../../contract/action/action.ts'
import { exportDigest } from '../event/audit-bytes.ts'
import { payloadProblem } from '../event/check-trace.ts'
import { eventsWithPayloads } from './event-status.ts'
import {
  type Finding,
  failed,
  notProven,
  notProvenSinceErased,
  type OpenedExport,
  proven,
} from './verification.ts'

/** Checks each payload against its event's commitment. A missing payload needs a later event about its erasure. */
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

/** Checks that all attempts used one idempotency key, so that a downstream that honours it acted only once. */
export function checkIdempotency(opened: OpenedExport): Finding {
  const attempts = eventsWithPayloads(opened).filter(({ event }) => event.kind === 'execution_attempt')
  let first: string | null = null
  for (const { place, payload } of attempts) {
    if (payload === null) continue
    const key = payload.idempotency_key
    if (typeof key !== 'string') return failed(`event ${place}: an attempt without an idempotency key`)
    if (first !== null && key !== first)
      return failed(
        `event ${place}: attempted under the idempotency key ${key}, and before that under ${first}`,
      )
    first = key
  }
  const erased = attempts.filter(({ payload }) => payload === null).length
  if (erased > 0)
    return notProvenSinceErased(`the idempotency key of ${erased} of ${attempts.length} attempts was erased`)
  if (first === null) return proven('nothing was attempted')
  return proven(`${attempts.length} attempts, all under the idempotency key ${first}`)
}

/** Checks the digest last. It covers the parts that no signature covers, and says least about a problem. */
export function checkDigest(exported: AuditExport): Finding {
  return exported.digest === exportDigest(exported)
    ? proven('the rest of the file is as it left the service, unless somebody took pains')
    : failed('the file is damaged: its digest is not that of its content')
}
