import { canonicalJson } from '../canon/canonical-json.ts'
import { parseStrictJson } from '../canon/strict-json.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import {
  type Finding,
  findingSchema,
  type Outcome,
  outcomeSchema,
} from '../contract/configuration/actuator-schema.ts'
import { plainText } from './recorded-text.ts'

/** Returns an outcome that can be recorded. A malformed answer becomes `unknown`. */
export function soundOutcome(answer: unknown): Outcome {
  const outcome = outcomeSchema.safeParse(answer)
  if (outcome.success) return sound(outcome.data)
  return {
    class: 'unknown',
    code: 'invalid_outcome',
    message: 'the actuator answered in a shape that is not an outcome',
  }
}

export function soundFinding(answer: unknown): Finding {
  const finding = findingSchema.safeParse(answer)
  if (finding.success) return sound(finding.data)
  return {
    found: 'unclear',
    code: 'invalid_finding',
    message: 'the look-up answered in a shape that is not a finding',
  }
}

function sound<Answer extends Outcome | Finding>(given: Answer): Answer {
  const answer =
    'rule' in given && given.rule !== undefined ? { ...given, rule: plainText(given.rule) } : given
  if ('detail' in answer) {
    return { ...answer, detail: recordable(answer.detail) }
  }
  if (!('message' in answer)) return answer
  const kept = answer.body === undefined ? {} : { body: smallBody(answer.body) }
  return { ...answer, code: plainText(answer.code), message: plainText(answer.message), ...kept }
}

function smallBody(body: JsonValue): JsonValue | undefined {
  const text = canonicalText(body)
  if (text === null || text.length > limits.outcome_body_length_max) return undefined
  return readInside(text).ok ? (JSON.parse(text) as JsonValue) : undefined
}

const levelsAround = 8

/** Replaces a result that is too large or cannot be recorded by the reason, because its success matters more. */
function recordable(detail: JsonObject): JsonObject {
  const text = canonicalText(detail)
  if (text === null) return { omitted: 'not_json' }
  if (text.length > limits.actuator_detail_length_max) return { omitted: 'too_large', length: text.length }
  const read = readInside(text)
  return read.ok ? (JSON.parse(text) as JsonObject) : { omitted: read.issue.code }
}

function readInside(text: string) {
  return parseStrictJson(Buffer.from(`${'['.repeat(levelsAround)}${text}${']'.repeat(levelsAround)}`))
}

function canonicalText(detail: JsonValue): string | null {
  try {
    return canonicalJson(detail)
  } catch {
    return null
  }
}
