import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Finding, Idempotency, Outcome } from '../../contract/configuration/actuator.ts'
import type { BodyCondition, HttpLookup, HttpOperation } from '../../contract/configuration/http-actuator.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { Redact } from '../redact.ts'
import { retryAfter } from '../retry-after.ts'
import { type Body, readBody } from './read-body.ts'

/** What an operation says of its answers, and what its actuator does. */
export interface Reading extends Pick<HttpOperation, 'method' | 'statuses' | 'response'> {
  success_when?: BodyCondition | undefined
  failed_when?: BodyCondition | undefined
  idempotency: Idempotency
}

/** Statuses that say that nothing was done and never will be (specification.md#outcome-classes). */
const refusedStatuses = [400, 401, 403, 404, 405, 409, 413, 415, 422]
const quoteLengthMax = 200

/** The class of an attempt by what came of its request (specification.md#outcome-classes). */
export function readOutcome(exchanged: Exchange, reading: Reading, redact: Redact): Outcome {
  if (exchanged.kind !== 'answered') return unanswered(exchanged)
  const { answer } = exchanged
  const meaning = meaningOf(answer, reading)
  const told = () => failureOf(answer, redact)
  if (meaning === 'busy') return { class: 'busy', ...told(), ...askedDelay(answer) }
  if (meaning === 'refused') return { class: 'failed', ...told() }
  if (meaning === 'unclear') return { class: 'unknown', ...told() }
  if (reading.response === 'ignored') return { class: 'ok', detail: { status: answer.status } }
  const body = readBody(answer.body)
  const doubt = judgeBody(body, answer, reading)
  return doubt
    ? { ...doubt, ...bodyToTell(answer, redact) }
    : { class: 'ok', detail: detailOf(answer, body, redact) }
}

type Meaning = 'done' | 'refused' | 'busy' | 'unclear'

/** What an operation lists comes first; a status that it does not list means what it means everywhere. */
function meaningOf(answer: Answer, reading: Reading): Meaning {
  const { status } = answer
  const { done, refused, busy } = reading.statuses ?? {}
  if (busy?.includes(status)) return 'busy'
  if (refused?.includes(status)) return 'refused'
  if (done?.includes(status)) return 'done'
  if (status === 429 || (status === 503 && retryAfter(answer) !== null)) return 'busy'
  if (!refused && provesRefusal(status, reading)) return 'refused'
  return !done && status >= 200 && status < 300 ? 'done' : 'unclear'
}

/** Where the key is honoured, these answer a repeated delivery, too, of which the first took effect. */
function provesRefusal(status: number, { method, idempotency }: Reading): boolean {
  const repeated = status === 409 || (method === 'DELETE' && status === 404)
  return refusedStatuses.includes(status) && !(idempotency === 'key_honoured' && repeated)
}

/** Why an answer with a status of what was done does not prove that; null where it does. */
function judgeBody(body: Body, { status }: Answer, { success_when, failed_when }: Reading): Outcome | null {
  if (body.kind === 'none') {
    return unknown('invalid_response', `status ${status} with a body that is not JSON`)
  }
  if (!success_when && !failed_when) return null
  if (body.kind === 'inexact' && body.value === undefined) {
    return unknown('invalid_response', `status ${status} with a body in which a name stands twice`)
  }
  const value = 'value' in body ? body.value : undefined
  const failed = failed_when !== undefined && meets(value, failed_when)
  const succeeded = success_when !== undefined && meets(value, success_when)
  if (failed && !succeeded) {
    return {
      class: 'failed',
      code: 'failed_in_body',
      message: `status ${status}, and ${failed_when.path} says that it failed`,
    }
  }
  if (failed) return unknown('contradictory_body', 'the body says that it was done, and that it failed')
  if (success_when && !succeeded) {
    return unknown(
      'success_not_stated',
      `status ${status}, and ${success_when.path} does not say that it was done`,
    )
  }
  return null
}

function meets(body: JsonValue | undefined, { path, equals, one_of, exists }: BodyCondition): boolean {
  const value = memberAt(body, path)
  if (exists !== undefined) return exists === (value !== undefined && value !== null)
  return value !== undefined && (one_of ?? [equals]).some(wanted => wanted === value)
}

/** What a look-up found; an answer that says neither yes nor no is unclear. */
export function readFinding(exchanged: Exchange, lookup: HttpLookup, redact: Redact): Finding {
  if (exchanged.kind !== 'answered') {
    return { found: 'unclear', code: exchanged.code, message: exchanged.message }
  }
  const { answer } = exchanged
  const { status } = answer
  const told = () => failureOf(answer, redact)
  if ((lookup.absent ?? [404]).includes(status)) return { found: 'absent' }
  if (lookup.failed?.includes(status)) return { found: 'failed', ...told() }
  if (!lookup.executed.includes(status)) return { found: 'unclear', ...told() }
  const body = readBody(answer.body)
  const detail = detailOf(answer, body, redact)
  if (!lookup.state) return { found: 'executed', detail }
  const state = memberAt('value' in body ? body.value : undefined, lookup.state.path)
  if (typeof state === 'string' && lookup.state.executed.includes(state)) return { found: 'executed', detail }
  if (typeof state === 'string' && lookup.state.failed?.includes(state)) {
    const message = `${lookup.state.path} is ${state}`
    return { found: 'failed', code: 'recorded_downstream', message, ...bodyToTell(answer, redact) }
  }
  return { found: 'unclear', code: 'state_unclear', message: `${lookup.state.path} says neither yes nor no` }
}

function unanswered(exchanged: Exclude<Exchange, { kind: 'answered' }>): Outcome {
  const { kind, code, message } = exchanged
  return { class: ({ refused: 'failed', not_sent: 'retry', lost: 'unknown' } as const)[kind], code, message }
}

function unknown(code: string, message: string): Outcome {
  return { class: 'unknown', code, message }
}

function failureOf(answer: Answer, redact: Redact) {
  return { code: `http_${answer.status}`, message: quote(answer, redact), ...bodyToTell(answer, redact) }
}

/** What a failure says in exact JSON, and briefly, reaches whoever proposed. */
function bodyToTell({ body }: Answer, redact: Redact): { body?: JsonValue } {
  if (body.length === 0 || body.length > limits.outcome_body_length_max) return {}
  const read = readBody(body)
  return read.kind === 'exact' ? { body: redact.json(read.value) } : {}
}

/** What is kept of an answer: that it was done is worth more than a body which cannot be repeated exactly. */
function detailOf({ status }: Answer, body: Body, redact: Redact): JsonObject {
  if (body.kind === 'exact') return { status, body: redact.json(body.value) }
  return body.kind === 'inexact' ? { status, omitted: body.code } : { status }
}

/** The beginning of a body for whoever reads the trail, without control characters. */
function quote({ status, body }: Answer, redact: Redact): string {
  const text = redact
    .text(body.toString())
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  return text === '' ? `status ${status}` : `status ${status}: ${text.slice(0, quoteLengthMax)}`
}

function askedDelay(answer: Answer): { retry_after_ms?: number } {
  const retry_after_ms = retryAfter(answer)
  return retry_after_ms === null ? {} : { retry_after_ms }
}

function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let at = value
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name))
      return undefined
    at = at[name]
  }
  return at
}
