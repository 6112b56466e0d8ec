import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Finding, Idempotency, Outcome } from '../../contract/configuration/actuator-schema.ts'
import type { HttpLookup, HttpOperation } from '../../contract/configuration/http-actuator-schema.ts'
import { type Answer, type Exchange, retryAfter } from '../exchange.ts'
import type { Redact } from '../recorded-text.ts'
import {
  holding,
  isNamed,
  isUnreadable,
  memberAt,
  type Stance,
  type StatedRules,
  type Subject,
} from './judge-rules.ts'
import { type Body, readBody } from './read-body.ts'

export interface Reading extends Pick<HttpOperation, 'method' | 'statuses' | 'response'>, StatedRules {
  preset: string
  refuses_with?: readonly number[]
  /** The rules that the operation states itself. Every other rule comes from its preset. */
  own: StatedRules
  idempotency: Idempotency
}

/**
 * Statuses that prove that nothing was done and never will be (specification.md#outcome-classes). RFC 9110
 * and RFC 6585 say that the method was not performed. A preset may add statuses of its own API.
 */
const refusedStatuses = [
  400, 401, 403, 404, 405, 409, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428, 431, 501, 505,
]

/** Refusal statuses that a repeated request also gets after the first request took effect. */
const repeatedStatuses = { any: [409, 412], DELETE: [404, 410] }
const quoteLengthMax = 200

/** Classifies the exchange of an attempt (actuators.md#what-an-answer-means) and names the rule that decided. */
export function readOutcome(exchanged: Exchange, reading: Reading, redact: Redact): Outcome {
  if (exchanged.kind !== 'answered') return unanswered(exchanged)
  const { answer } = exchanged
  const read = classify(answer, reading)
  const { rule } = read
  if (read.class === 'ok') return { class: 'ok', detail: detailOf(answer, read.body, redact), rule }
  const told = { ...failureOf(answer, redact), rule, ...(read.why ?? {}) }
  return read.class === 'busy'
    ? { class: 'busy', ...told, ...askedDelay(answer) }
    : { class: read.class, ...told }
}

type Classified =
  | { class: 'ok'; rule: string; body: Body }
  | { class: 'failed' | 'busy' | 'unknown'; rule: string; why?: { code: string; message: string } }

/**
 * Applies the rules before the status. A status of success does not suffice if the body is unreadable or if a
 * stated success rule does not hold.
 */
function classify(answer: Answer, reading: Reading): Classified {
  const meaning = meaningOf(answer, reading)
  const body: Body = answer.too_large ? { kind: 'inexact', code: 'too_large' } : readBody(answer.body)
  const subject = { answer, body, isDone: meaning.class === 'done' }
  const { status } = answer
  if (subject.isDone && isUnreadable(reading, subject)) return unreadable(body, status)
  const held = holding(reading, subject)
  const [[stance, name] = [], ...more] = held
  if (more.length > 0) {
    return {
      class: 'unknown',
      rule: [...held].map(([each, rule]) => ruleName(each, rule, reading)).join(', '),
      why: {
        code: 'contradictory_answer',
        message: `status ${status}, and rules that contradict each other`,
      },
    }
  }
  if (stance !== undefined && name !== undefined) {
    const rule = ruleName(stance, name, reading)
    if (stance === 'success_when') return done(rule, { body, status }, reading)
    const state = stance === 'busy_when' ? 'busy' : 'failed'
    const message = `status ${status}, and ${rule} says that it ${state === 'busy' ? 'is busy' : 'failed'}`
    return { class: state, rule, why: { code: `${state}_as_stated`, message } }
  }
  return byStatus(meaning, subject, reading)
}

function byStatus(meaning: Meaning, { answer, body }: Subject, reading: Reading): Classified {
  const { rule } = meaning
  if (meaning.class === 'refused') return { class: 'failed', rule }
  if (meaning.class !== 'done') return { class: meaning.class, rule }
  const { status } = answer
  const isDone = done(rule, { body, status }, reading)
  if (reading.success_when === undefined || isDone.class !== 'ok') return isDone
  const stated = ruleName('success_when', 'success_when', reading)
  const message = `status ${status}, and nothing that ${stated} asks for`
  return { class: 'unknown', rule: stated, why: { code: 'success_not_stated', message } }
}

function done(
  rule: string,
  { body, status }: { body: Body; status: number },
  { response }: Reading,
): Classified {
  if (response === 'ignored') return { class: 'ok', rule, body: { kind: 'empty' } }
  return body.kind === 'none' ? unreadable(body, status) : { class: 'ok', rule, body }
}

function unreadable({ kind }: Body, status: number): Classified {
  const what = kind === 'none' ? 'that is not JSON' : 'in which a name is there twice'
  const why = { code: 'invalid_response', message: `status ${status} with a body ${what}` }
  return { class: 'unknown', rule: 'response', why }
}

function ruleName(stance: Stance, name: string, { own, preset }: Reading): string {
  return own[stance] === undefined ? `preset.${preset}.${name}` : name
}

interface Meaning {
  class: 'done' | 'refused' | 'busy' | 'unknown'
  rule: string
}

/**
 * Prefers the statuses that an operation lists. If it lists `done`, no other status counts as success. If it
 * lists `refused`, no other status counts as refusal.
 */
function meaningOf(answer: Answer, reading: Reading): Meaning {
  const { status } = answer
  const { done, refused, busy } = reading.statuses ?? {}
  const listed = { busy, refused, done }
  for (const name of ['busy', 'refused', 'done'] as const) {
    if (listed[name]?.includes(status)) return { class: name, rule: `statuses.${name}` }
  }
  const general = (name: Meaning['class']): Meaning => ({ class: name, rule: `status.${name}` })
  const isBusy = status === 429 || (status === 503 && retryAfter(answer) !== null)
  if (isBusy && !isNamed(status, reading)) return general('busy')
  if (!refused && provesRefusal(status, reading) && !isNamed(status, reading)) return general('refused')
  return general(!done && status >= 200 && status < 300 ? 'done' : 'unknown')
}

function provesRefusal(status: number, { method, idempotency, refuses_with = [] }: Reading): boolean {
  const repeated = [...repeatedStatuses.any, ...(method === 'DELETE' ? repeatedStatuses.DELETE : [])]
  if (idempotency === 'key_honoured' && repeated.includes(status)) return false
  return refusedStatuses.includes(status) || refuses_with.includes(status)
}

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

export function failureOf(answer: Answer, redact: Redact) {
  return { code: `http_${answer.status}`, message: quote(answer, redact), ...bodyToTell(answer, redact) }
}

/** Returns the body of a failure, for the proposer to read, if the body is short and exact JSON. */
function bodyToTell({ body }: Answer, redact: Redact): { body?: JsonValue } {
  if (body.length === 0 || body.length > limits.outcome_body_length_max) return {}
  const read = readBody(body)
  return read.kind === 'exact' ? { body: redact.json(read.value) } : {}
}

/**
 * Returns the status and an exact body. Only a code replaces an inexact body, because the success matters
 * more.
 */
export function detailOf({ status }: Answer, body: Body, redact: Redact): JsonObject {
  if (body.kind === 'exact') return { status, body: redact.json(body.value) }
  return body.kind === 'inexact' ? { status, omitted: body.code } : { status }
}

/** Quotes up to 200 characters of a body for readers of the audit trail, without control characters. */
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
