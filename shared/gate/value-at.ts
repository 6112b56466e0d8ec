import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

/**
 * The value a dot path leads to, undefined where it is missing. Only own properties of plain objects are walked:
 * arrays, scalars and inherited names end the walk (specification.md#the-gate).
 */
export function valueAt(parameters: JsonObject, segments: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = parameters
  for (const segment of segments) {
    if (!isPlainObject(current) || !Object.hasOwn(current, segment)) return undefined
    current = current[segment]
  }
  return current
}
