import type { Accepted } from '../../actuator/actuator.ts'
import type { Exchange } from '../../actuator/exchange.ts'
import type { Hiding } from '../../actuator/surroundings.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import type { ToolTested } from '../../contract/configuration/tool-import.ts'

export type TestAnswer = Pick<ToolTested, 'answer'> & { verdict: NonNullable<ToolTested['verdict']> }

export interface Seen {
  exchanged: Exchange
  redact: Hiding
}

export function readTestAnswer(outcome: Outcome | Accepted, seen: Seen | null): TestAnswer {
  return { verdict: verdictOf(outcome, seen), answer: answerOf(outcome, seen) }
}

/** The verdict if the worker did not answer: unknown, since the call may have been sent. */
export const lostAnswer: TestAnswer = {
  verdict: {
    outcome: 'unknown',
    rule: 'worker_lost',
    message: 'the worker that took it did not answer: it may have happened',
  },
  answer: null,
}

const outcomes = {
  ok: 'executed',
  failed: 'failed',
  unknown: 'unknown',
  retry: 'not_sent',
  busy: 'busy',
} as const

function verdictOf(outcome: Outcome | Accepted, seen: Seen | null): TestAnswer['verdict'] {
  const { rule } = outcome
  const wasSent = seen?.exchanged.kind === 'answered' || seen?.exchanged.kind === 'lost'
  if (outcome.class === 'accepted')
    return { outcome: 'accepted', rule: outcome.rule, message: 'it goes on downstream' }
  if (outcome.class === 'ok') return { outcome: 'executed', rule: rule ?? 'done', message: 'it was done' }
  // A retryable outcome of a sent call counts as failed, because a test is a single call.
  const told = outcome.class === 'retry' && wasSent ? 'failed' : outcomes[outcome.class]
  return { outcome: told, rule: rule ?? outcome.code, message: outcome.message }
}

/**
 * Returns the HTTP answer of the downstream, shortened and without secrets; without one it returns the detail or
 * body that the outcome keeps.
 */
function answerOf(outcome: Outcome | Accepted, seen: Seen | null): ToolTested['answer'] {
  if (seen?.exchanged.kind === 'answered') {
    const { redact, exchanged } = seen
    const { status, headers, body, too_large = false } = exchanged.answer
    const shown = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, redact.text([value].flat().join(', ')).slice(0, 1_000)] as const],
    )
    const read = readAnswer(body, redact)
    return { status, headers: Object.fromEntries(shown), ...read, truncated: read.truncated || too_large }
  }
  if (outcome.class === 'accepted') return null
  const kept = outcome.class === 'ok' ? outcome.detail : outcome.body
  return kept === undefined ? null : { status: null, headers: {}, body: kept, truncated: false }
}

function readAnswer(body: Buffer, redact: Hiding): { body: JsonValue; truncated: boolean } {
  const truncated = body.length > limits.test_answer_length_max
  const read = truncated ? null : parseStrictJson(body)
  if (read?.ok) return { body: redact.json(read.value), truncated }
  const text = redact.text(body.toString()).slice(0, limits.test_answer_length_max)
  return { body: text.replace(/[^\P{C}\n\t]+/gu, ' '), truncated }
}
