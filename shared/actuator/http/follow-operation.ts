import type { JsonValue } from '../../contract/base/json.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import type { Completion, Dispatched } from '../../contract/configuration/completion.ts'
import type { HttpSettings } from '../../contract/configuration/http-actuator-schema.ts'
import type { Accepted } from '../actuator.ts'
import type { Answer, Exchange } from '../exchange.ts'
import { retryAfter } from '../exchange.ts'
import type { Redact } from '../recorded-text.ts'
import { holding, memberAt } from './judge-rules.ts'
import { detailOf, failureOf } from './read-answer.ts'
import { readBody } from './read-body.ts'

const intervalPresetMs = 2_000
const deadlinePresetMs = 3_600_000
const acceptedPreset = [202]

/** An answer that accepts an operation and says where it is asked for; null where it is no such answer. */
export function readAccepted(
  { answer, url }: { answer: Answer; url: URL },
  { completion, auth }: { completion: Completion | undefined } & Pick<HttpSettings, 'auth'>,
  redact: Redact,
): Accepted | Outcome | null {
  if (!completion?.poll) return null
  const { poll } = completion
  if (!(poll.statuses ?? acceptedPreset).includes(answer.status)) return null
  const rule = 'completion.poll.statuses'
  const unknown = (code: string, message: string): Outcome => ({ class: 'unknown', code, message, rule })
  const stated = placeOf(answer, poll.url ?? { header: 'location' })
  if (typeof stated !== 'string' || !URL.canParse(stated, url))
    return unknown('completion_without_url', `status ${answer.status} without an address to ask`)
  const place = new URL(stated, url)
  if (!isOfHost(place, url))
    return unknown('completion_elsewhere', `status ${answer.status} with an address of another host`)
  if (auth?.type === 'query') place.searchParams.delete(auth.name)
  if (redact.text(place.href) !== place.href)
    return unknown('completion_with_secret', `status ${answer.status} with an address that holds a secret`)
  const { interval_ms = intervalPresetMs, deadline_ms = deadlinePresetMs } = poll
  return { class: 'accepted', rule, dispatched: { url: place.href, interval_ms, deadline_ms } }
}

/** The place of an operation that was dispatched, where it may still be asked: at the host that is registered now. */
export function placeToAsk({ url }: Dispatched, { base_url }: Pick<HttpSettings, 'base_url'>): URL | null {
  const place = URL.canParse(url) ? new URL(url) : null
  return place && isOfHost(place, new URL(base_url)) ? place : null
}

/** What the answer to a poll says: that it was done, or failed, or goes on, which is whatever says neither. */
export function readPolled(exchanged: Exchange, { poll }: Completion, redact: Redact): Outcome {
  if (exchanged.kind !== 'answered') {
    const { code, message } = exchanged
    return { class: 'busy', code, message }
  }
  const { answer } = exchanged
  const body = readBody(answer.body)
  const isDone = answer.status >= 200 && answer.status < 300
  const held = holding(
    { success_when: poll.done_when, failed_when: poll.failed_when },
    { answer, body, isDone },
  )
  const [done, failed] = [held.get('success_when'), held.get('failed_when')]
  const name = (rule: string): string => `completion.poll.${rule}`
  if (done !== undefined && failed === undefined) {
    const rule = name(done.replace('success_when', 'done_when'))
    return { class: 'ok', detail: detailOf(answer, body, redact), rule }
  }
  const told = failureOf(answer, redact)
  if (failed !== undefined && done === undefined) {
    const rule = name(failed)
    return {
      class: 'failed',
      ...told,
      code: 'failed_as_stated',
      message: `status ${answer.status}, and ${rule} says that it failed`,
      rule,
    }
  }
  const retry_after_ms = retryAfter(answer)
  return { class: 'busy', ...told, ...(retry_after_ms === null ? {} : { retry_after_ms }) }
}

function placeOf(
  { headers, body }: Answer,
  place: { header: string } | { path: string },
): JsonValue | undefined {
  if ('header' in place) return headers[place.header.toLowerCase()]
  const read = readBody(body)
  return 'value' in read ? memberAt(read.value, place.path) : undefined
}

function isOfHost(place: URL, url: URL): boolean {
  return place.origin === url.origin && place.username === '' && place.password === ''
}
