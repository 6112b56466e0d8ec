import { toldEvents } from './event-status.ts'
import { type Finding, failed, notProvenSinceErased, type OpenedExport, proven } from './verification.ts'

/** Every attempt was made under one idempotency key, so that a downstream that honours it acted once. */
export function checkIdempotency(opened: OpenedExport): Finding {
  const attempts = toldEvents(opened).filter(({ event }) => event.kind === 'execution_attempt')
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
