import type { JsonValue } from '../../contract/base/json.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import type { AnswerRules } from '../../contract/configuration/answer-rules.ts'
import { type Completion, type Dispatched, deadlineOf } from '../../contract/configuration/completion.ts'
import type { HttpSettings } from '../../contract/configuration/http-actuator-schema.ts'
import type { Accepted } from '../actuator.ts'
import type { Answer, Exchange } from '../exchange.ts'
import { retryAfter } from '../exchange.ts'
import type { Redact } from '../recorded-text.ts'
import { holding, memberAt, type Subject } from './judge-rules.ts'
import { detailOf, failureOf } from './read-answer.ts'
import { readBody } from './read-body.ts'

const intervalPresetMs = 2_000
const acceptedPreset = [202]

/**
 * Returns the acceptance of an operation with its polling address, or null if the status accepts nothing. The
 * outcome is unknown if there is neither a usable address nor a callback.
 */
export function readAccepted(
  { answer, url }: { answer: Answer; url: URL },
  { completion, auth }: { completion: Completion | undefined } & Pick<HttpSettings, 'auth'>,
  redact: Redact,
): Accepted | Outcome | null {
  if (!completion || !(completion.statuses ?? acceptedPreset).includes(answer.status)) return null
  const { poll, callback } = completion
  const deadline_ms = deadlineOf(completion)
  const rule = 'completion.statuses'
  const accepted = (place: string | null): Accepted => {
    const interval_ms = place === null ? deadline_ms : (poll?.interval_ms ?? intervalPresetMs)
    return { class: 'accepted', rule, dispatched: { url: place, interval_ms, deadline_ms } }
  }
  const place = poll ? placeOf({ answer, url }, { poll, auth }, redact) : null
  if (typeof place === 'string') return accepted(place)
  return callback || place === null ? accepted(null) : { class: 'unknown', rule, ...place }
}

/** Returns the polling address of a dispatched operation, or null if its origin is not the registered one. */
export function placeToAsk({ url }: Dispatched, { base_url }: Pick<HttpSettings, 'base_url'>): URL | null {
  const place = url !== null && URL.canParse(url) ? new URL(url) : null
  return place && isOfHost(place, new URL(base_url)) ? place : null
}

/** Reads the answer to a poll. An answer that says neither done nor failed counts as still running (`busy`). */
export function readPolled(exchanged: Exchange, { poll }: Completion, redact: Redact): Outcome {
  if (exchanged.kind !== 'answered') {
    const { code, message } = exchanged
    return { class: 'busy', code, message }
  }
  const { answer } = exchanged
  const body = readBody(answer.body)
  const isDone = answer.status >= 200 && answer.status < 300
  const ended = judge(poll, { answer, body, isDone }, 'completion.poll')
  if (ended?.class === 'ok') return { ...ended, detail: detailOf(answer, body, redact) }
  const described = failureOf(answer, redact)
  if (ended)
    return {
      ...described,
      ...ended,
      message: `status ${answer.status}, and ${ended.rule} says that it failed`,
    }
  const retry_after_ms = retryAfter(answer)
  return { class: 'busy', ...described, ...(retry_after_ms === null ? {} : { retry_after_ms }) }
}

export function readCalledBack(
  value: JsonValue,
  { callback }: Pick<Completion, 'callback'>,
  redact: Redact,
): Outcome | null {
  const answer = { status: 200, headers: {}, body: Buffer.alloc(0) }
  const ended = judge(
    callback,
    { answer, body: { kind: 'exact', value }, isDone: true },
    'completion.callback',
  )
  if (ended === null) return null
  const body = redact.json(value)
  if (ended.class === 'ok') return { ...ended, detail: { body } }
  return { ...ended, message: `${ended.rule} says of its callback that it failed`, body }
}

type Ended = { class: 'ok'; rule: string } | { class: 'failed'; code: string; rule: string }

/** Judges an operation by its rules for done and for failed. Returns null unless exactly one of the two holds. */
function judge(rules: Ends | undefined, subject: Subject, name: string): Ended | null {
  const held = holding({ success_when: rules?.done_when, failed_when: rules?.failed_when }, subject)
  const [done, failed] = [held.get('success_when'), held.get('failed_when')]
  if (done !== undefined && failed === undefined)
    return { class: 'ok', rule: `${name}.${done.replace('success_when', 'done_when')}` }
  if (failed !== undefined && done === undefined)
    return { class: 'failed', code: 'failed_as_stated', rule: `${name}.${failed}` }
  return null
}

interface Ends {
  done_when: AnswerRules
  failed_when?: AnswerRules | undefined
}

interface NoPlace {
  code: string
  message: string
}

function placeOf(
  { answer, url }: { answer: Answer; url: URL },
  { poll, auth }: { poll: NonNullable<Completion['poll']> } & Pick<HttpSettings, 'auth'>,
  redact: Redact,
): string | NoPlace {
  const none = (code: string, message: string): NoPlace => ({
    code: `completion_${code}`,
    message: `status ${answer.status} ${message}`,
  })
  const stated = statedPlace(answer, poll.url ?? { header: 'location' })
  if (typeof stated !== 'string' || !URL.canParse(stated, url))
    return none('without_url', 'without an address to ask')
  const place = new URL(stated, url)
  if (!isOfHost(place, url)) return none('elsewhere', 'with an address of another host')
  if (auth?.type === 'query') place.searchParams.delete(auth.name)
  if (redact.text(place.href) !== place.href)
    return none('with_secret', 'with an address that holds a secret')
  return place.href
}

function statedPlace(
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
