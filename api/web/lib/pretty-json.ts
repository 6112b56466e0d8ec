import type { JsonValue } from '../../../shared/contract/json.ts'

/** The lines of a value as JSON, names sorted as the canonical form sorts them, two spaces a level. */
export function prettyLines(value: JsonValue): string[] {
  return JSON.stringify(sorted(value), null, 2).split('\n')
}

/** A place in a JSON value and what stands there; `path` in the words of a policy: `order.id`, `items.0`. */
export interface Leaf {
  path: string
  value: string | number | boolean | null | readonly [] | Readonly<Record<string, never>>
}

/** Every value that holds no other, in the order of the names: also an empty object or list, which may mean "all". */
export function leavesOf(value: JsonValue, within: string | null = null): Leaf[] {
  const path = within ?? ''
  if (value === null || typeof value !== 'object') return [{ path, value }]
  if (within !== null && Object.keys(value).length === 0)
    return [{ path, value: Array.isArray(value) ? [] : {} }]
  const members = Array.isArray(value) ? value.map((item, place) => [place, item] as const) : entriesOf(value)
  return members.flatMap(([name, inner]) => leavesOf(inner, within === null ? `${name}` : `${path}.${name}`))
}

function sorted(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(entriesOf(value).map(([name, inner]) => [name, sorted(inner)]))
}

function entriesOf(value: { [name: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}
