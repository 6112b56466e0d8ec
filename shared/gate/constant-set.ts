import { canonicalJson } from '../canon/canonical-json.ts'
import type { JsonValue } from '../contract/json.ts'

/**
 * Membership by canonical JSON. Scalars need no text: two of them have the same canonical form exactly when
 * SameValueZero holds (1 is 1.0, -0 is 0, 1 is not "1").
 */
export function constantSet(
  constants: readonly JsonValue[],
  textOf: (value: JsonValue) => string = canonicalJson,
): (value: JsonValue) => boolean {
  const scalars = new Set(constants.filter(isScalar))
  const texts = new Set(constants.filter(constant => !isScalar(constant)).map(canonicalJson))
  return value => (isScalar(value) ? scalars.has(value) : texts.size > 0 && texts.has(textOf(value)))
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null
}
