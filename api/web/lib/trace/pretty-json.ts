import type { JsonValue } from '../../../../shared/contract/base/json.ts'

/** The lines of a value as JSON, names sorted as the canonical form sorts them, two spaces a level. */
export function prettyLines(value: JsonValue): string[] {
  return JSON.stringify(sorted(value), null, 2).split('\n')
}

/** What stands in a JSON value, and the names and places on the way to it. */
export interface Leaf {
  way: readonly string[]
  value: string | number | boolean | null | readonly [] | Readonly<Record<string, never>>
}

/** Every value that holds no other, in the order of the names: also an empty object or list, which may mean "all". */
export function leavesOf(value: JsonValue, way: readonly string[] = []): Leaf[] {
  if (value === null || typeof value !== 'object') return [{ way, value }]
  if (way.length > 0 && Object.keys(value).length === 0)
    return [{ way, value: Array.isArray(value) ? [] : {} }]
  const members = Array.isArray(value)
    ? value.map((item, place) => [`${place}`, item] as const)
    : entriesOf(value)
  return members.flatMap(([name, inner]) => leavesOf(inner, [...way, name]))
}

function sorted(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(entriesOf(value).map(([name, inner]) => [name, sorted(inner)]))
}

function entriesOf(value: { [name: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}
