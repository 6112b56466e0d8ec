import { parseStrictJson } from '../canon/strict-json.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { readSchema } from '../gate/closed-schema.ts'
import { Open } from './why-open.ts'

const tooMuch = new Set(['too_large', 'too_many_checks', 'too_deep'])

export function problemOfSchema(schema: JsonObject): Open | null {
  const [problem] = readSchema(schema).errors
  if (!problem) return problemOfJson(schema, '')
  return tooMuch.has(problem.code) ? new Open('too_large', '') : new Open('not_closed', problem.path)
}

/** Returns why the strict reader would refuse a value, such as a number beyond 2^53 or a lone surrogate. */
export function problemOfJson(value: object, place: string): Open | null {
  const read = parseStrictJson(Buffer.from(JSON.stringify(value)))
  return read.ok ? null : new Open('not_taken', [place, read.issue.path].filter(Boolean).join('.'))
}
