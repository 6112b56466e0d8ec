import { canonicalJson } from '../canon/canonical-json.ts'
import { type Finding, findingSchema, type Outcome, outcomeSchema } from '../contract/actuator.ts'
import type { JsonObject } from '../contract/json.ts'
import { limits } from '../contract/limits.ts'
import { plainText } from './plain-text.ts'

/** An outcome that can be recorded: what has not the shape of one, or cannot be said in JSON, says nothing. */
export function soundOutcome(answer: unknown): Outcome {
  const outcome = outcomeSchema.safeParse(answer)
  const told = outcome.success ? sound(outcome.data) : null
  if (told) return told
  return {
    class: 'unknown',
    code: 'invalid_outcome',
    message: 'the actuator answered in a shape that is not an outcome',
  }
}

/** A finding that can be recorded. */
export function soundFinding(answer: unknown): Finding {
  const finding = findingSchema.safeParse(answer)
  const told = finding.success ? sound(finding.data) : null
  if (told) return told
  return {
    found: 'unclear',
    code: 'invalid_finding',
    message: 'the look-up answered in a shape that is not a finding',
  }
}

function sound<Answer extends Outcome | Finding>(answer: Answer): Answer | null {
  if ('detail' in answer) {
    const detail = recordable(answer.detail)
    return detail && { ...answer, detail }
  }
  return 'message' in answer
    ? { ...answer, code: plainText(answer.code), message: plainText(answer.message) }
    : answer
}

/** U+0000 as canonical JSON writes it; behind a backslash that is itself escaped the same letters are a text. */
const nul = /(?<!\\)(?:\\\\)*\\u0000/

/** That it was done is worth more than what it returned: a result that is too large is left out, and its size told. */
function recordable(detail: JsonObject): JsonObject | null {
  try {
    const text = canonicalJson(detail)
    if (nul.test(text)) return null
    if (text.length > limits.actuator_detail_length_max) return { omitted: 'too_large', length: text.length }
    return JSON.parse(text) as JsonObject
  } catch {
    return null
  }
}
