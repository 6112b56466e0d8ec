import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import { sortedMembers } from '../../../../shared/lifecycle/told-values.ts'

/** Returns a value as lines of JSON, indented by two spaces. Names are in canonical order. */
export function prettyLines(value: JsonValue): string[] {
  return JSON.stringify(sorted(value), null, 2).split('\n')
}

function sorted(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(sortedMembers(value).map(([name, inner]) => [name, sorted(inner)]))
}
