import { StrictReader } from '../../../../shared/canon/strict-reader.ts'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'

/**
 * Returns the line number, from 1, of an issue's path, such as `parameter_constraints.payments.refund.order.id` or
 * `allowed_systems[2]`. A missing path gives the line of its nearest existing parent. Returns null if the text is
 * not JSON.
 */
export function lineOfPath(text: string, path: string): number | null {
  try {
    const steps = stepsOf(new StrictReader(text).read(), path)
    return lineAt(text, offsetOf(text, steps))
  } catch {
    return null
  }
}

/** Returns the line number, counted from 1, at a UTF-16 offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** Returns the offsets of a line's start and end, so that a text box can select the line. Counts lines from 1. */
export function lineSpan(text: string, line: number): [from: number, to: number] {
  let from = 0
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', from)
    if (end === -1) break
    from = end + 1
  }
  const to = text.indexOf('\n', from)
  return [from, to === -1 ? text.length : to]
}

type Step = string | number

/** The number of characters to which the service shortens a name in an issue's path. */
const nameShownMax = 100

/**
 * Splits a path into names of the document. A name may contain dots, so that several splits are possible; the one
 * that matches most of the path wins.
 */
function stepsOf(value: JsonValue, path: string): Step[] {
  if (path === '' || value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) {
    const [whole, index] = /^\[(\d+)\]/.exec(path) ?? []
    const item = value[Number(index)]
    return whole === undefined || item === undefined
      ? []
      : [Number(index), ...stepsOf(item, restOf(path, whole))]
  }
  const readings = Object.entries(value)
    .filter(([name]) => begins(path, name.slice(0, nameShownMax)))
    .map(([name, inner]): Step[] => [name, ...stepsOf(inner, restOf(path, name.slice(0, nameShownMax)))])
  return readings.reduce((best, reading) => (reached(reading) > reached(best) ? reading : best), [])
}

function begins(path: string, name: string): boolean {
  const next = path[name.length]
  return path.startsWith(name) && (next === undefined || next === '.' || next === '[')
}

function restOf(path: string, step: string): string {
  const rest = path.slice(step.length)
  return rest.startsWith('.') ? rest.slice(1) : rest
}

function reached(steps: readonly Step[]): number {
  return steps.reduce<number>((length, step) => length + String(step).length + 1, 0)
}

function offsetOf(text: string, steps: readonly Step[]): number {
  let found = skipSpace(text, 0)
  let value = found
  for (const step of steps) {
    const place = typeof step === 'number' ? itemAt(text, value, step) : memberAt(text, value, step)
    found = place.at
    value = place.value
  }
  return found
}

interface Place {
  at: number
  value: number
}

function itemAt(text: string, array: number, index: number): Place {
  let at = skipSpace(text, array + 1)
  for (let passed = 0; passed < index; passed += 1) at = skipSpace(text, endOfValue(text, at) + 1)
  return { at, value: at }
}

function memberAt(text: string, object: number, name: string): Place {
  let at = skipSpace(text, object + 1)
  for (;;) {
    const end = endOfToken(text, at)
    const value = skipSpace(text, skipSpace(text, end) + 1)
    if (JSON.parse(text.slice(at, end)) === name) return { at, value }
    at = skipSpace(text, skipSpace(text, endOfValue(text, value)) + 1)
  }
}

/** Returns the offset behind a value and its white space, where a comma or a closing bracket follows. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const token = text[at]
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    at = skipSpace(text, endOfToken(text, at))
  } while (depth > 0)
  return at
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/y
const space = /[ \t\r\n]*/y

function endOfToken(text: string, at: number): number {
  token.lastIndex = at
  token.test(text)
  return token.lastIndex
}

function skipSpace(text: string, at: number): number {
  space.lastIndex = at
  space.test(text)
  return space.lastIndex
}
