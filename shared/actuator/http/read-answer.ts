import { parseStrictJson } from '../../canon/strict-json.ts'
import type { Finding, Outcome } from '../../contract/actuator.ts'
import type { HttpLookup, HttpOperation } from '../../contract/http-actuator.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { Redact } from '../redact.ts'
import { retryAfter } from '../retry-after.ts'

/** Statuses that say that nothing was done and never will be (reliability section 3.1). */
const refusedStatuses = [400, 401, 403, 404, 405, 409, 413, 415, 422]
const quoteLengthMax = 200

/** The class of an attempt by what came of its request (reliability section 3.1). */
export function readOutcome(
  exchanged: Exchange,
  { statuses = {}, response = 'json' }: Pick<HttpOperation, 'statuses' | 'response'>,
  redact: Redact,
): Outcome {
  if (exchanged.kind !== 'answered') return unanswered(exchanged)
  const { answer } = exchanged
  const { status } = answer
  const told = { code: `http_${status}`, message: quote(answer, redact) }
  if (statuses.busy?.includes(status)) return { class: 'retry', ...told, ...askedDelay(answer) }
  if ((statuses.refused ?? refusedStatuses).includes(status)) return { class: 'failed', ...told }
  const done = statuses.done ? statuses.done.includes(status) : status >= 200 && status < 300
  if (!done) return { class: 'unknown', ...told }
  if (response === 'ignored' || answer.body.length === 0) return { class: 'ok', detail: { status } }
  const body = bodyOf(answer, redact)
  if (body === undefined) {
    return {
      class: 'unknown',
      code: 'invalid_response',
      message: `status ${status} with a body that is not JSON`,
    }
  }
  return { class: 'ok', detail: { status, body } }
}

/** What a look-up found; an answer that says neither yes nor no is unclear. */
export function readFinding(exchanged: Exchange, lookup: HttpLookup, redact: Redact): Finding {
  if (exchanged.kind !== 'answered') {
    return { found: 'unclear', code: exchanged.code, message: exchanged.message }
  }
  const { answer } = exchanged
  const { status } = answer
  const told = { code: `http_${status}`, message: quote(answer, redact) }
  if ((lookup.absent ?? [404]).includes(status)) return { found: 'absent' }
  if (lookup.failed?.includes(status)) return { found: 'failed', ...told }
  if (!lookup.executed.includes(status)) return { found: 'unclear', ...told }
  const body = bodyOf(answer, redact)
  const detail = { status, ...(body === undefined ? {} : { body }) }
  if (!lookup.state) return { found: 'executed', detail }
  const state = memberAt(body, lookup.state.path)
  if (typeof state === 'string' && lookup.state.executed.includes(state)) return { found: 'executed', detail }
  if (typeof state === 'string' && lookup.state.failed?.includes(state)) {
    return { found: 'failed', code: 'recorded_downstream', message: `${lookup.state.path} is ${state}` }
  }
  return { found: 'unclear', code: 'state_unclear', message: `${lookup.state.path} says neither yes nor no` }
}

function unanswered(exchanged: Exclude<Exchange, { kind: 'answered' }>): Outcome {
  const { kind, code, message } = exchanged
  return { class: ({ refused: 'failed', not_sent: 'retry', lost: 'unknown' } as const)[kind], code, message }
}

function bodyOf({ body }: Answer, redact: Redact): JsonValue | undefined {
  const read = parseStrictJson(Buffer.from(body.toString()))
  return read.ok ? redact.json(read.value) : undefined
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
