import { parseStrictJson } from '../canon/strict-json.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { readSchema } from '../gate/closed-schema.ts'
import { Open } from './why-open.ts'

const tooMuch = new Set(['too_large', 'too_many_checks', 'too_deep'])

/** Why a catalog would refuse a schema of parameters; null where it takes it. */
export function problemOfSchema(schema: JsonObject): Open | null {
  const [problem] = readSchema(schema).errors
  if (!problem) return problemOfJson(schema, '')
  return tooMuch.has(problem.code) ? new Open('too_large', '') : new Open('not_closed', problem.path)
}

/** Why a body that holds a value would be refused: a number beyond 2^53, a half of a character. */
export function problemOfJson(value: object, place: string): Open | null {
  const read = parseStrictJson(Buffer.from(JSON.stringify(value)))
  return read.ok ? null : new Open('not_taken', [place, read.issue.path].filter(Boolean).join('.'))
}
