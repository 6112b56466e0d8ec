import { parseStrictJson } from '../../canon/strict-json.ts'
import type { JsonValue } from '../../contract/base/json.ts'

/**
 * A body after parsing. `exact` can be recorded. `inexact` is complete JSON that a record cannot repeat;
 * `code` says why, and `value` is missing if a name occurs twice. `none` is not JSON, or was cut off.
 */
export type Body =
  | { kind: 'empty' | 'none' }
  | { kind: 'exact'; value: JsonValue }
  | { kind: 'inexact'; code: string; value?: JsonValue }

export function readBody(bytes: Buffer): Body {
  if (bytes.length === 0) return { kind: 'empty' }
  const text = bytes.toString()
  const read = parseStrictJson(Buffer.from(text))
  if (read.ok) return { kind: 'exact', value: read.value }
  const { code } = read.issue
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, '')) as JsonValue
    const unique = namesIn(text) === membersOf(value)
    return unique ? { kind: 'inexact', code, value } : { kind: 'inexact', code }
  } catch {
    return { kind: 'none' }
  }
}

const stringAndColon = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs

/** Counts the member names in a text of JSON, including duplicates. */
function namesIn(text: string): number {
  let names = 0
  for (const [, colon] of text.matchAll(stringAndColon)) if (colon !== undefined) names += 1
  return names
}

/**
 * Counts the members that remain after parsing. It does not recurse, so that nesting cannot overflow the
 * stack.
 */
function membersOf(value: JsonValue): number {
  const open = [value]
  let members = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    if (!Array.isArray(next)) members += inner.length
    for (const one of inner) open.push(one)
  }
  return members
}
