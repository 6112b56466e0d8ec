import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import type { JsonObject } from '../../contract/base/json.ts'

/** An event of an action as far as its request goes; the payload is null where it is not there any more. */
export interface RequestEvent {
  place: number
  kind: string
  payload: JsonObject | null
}

/**
 * What is wrong with the request that was approved, or null: a verdict that names another one than it shows, and an approval
 * or an attempt that names another one than the verdict. What was held before requests were recorded names none anywhere.
 */
export function requestProblem(events: readonly RequestEvent[]): string | null {
  const verdict = events.find(({ kind }) => kind === 'verdict')
  if (!verdict?.payload) return null
  const { request, request_hash: approved } = verdict.payload
  const shown = request === undefined ? undefined : documentHash('request', canonicalJson(request))
  if (shown !== approved) return `event ${verdict.place}: the verdict names another request than it shows`
  for (const { place, kind, payload } of events) {
    if (!bound.has(kind) || payload === null) continue
    if (payload.request_hash !== approved)
      return `event ${place}: the ${kind} is about another request than the verdict`
  }
  return null
}

const bound: ReadonlySet<string> = new Set(['partial_approval', 'approval', 'execution_attempt'])
