import { expect, it } from 'vitest'
import { z } from 'zod'
import { issuesOf } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { resources } from '../../../shared/contract/resources.ts'

/** Every schema that takes something from outside, with all that stand inside of it. */
function everySchema(): Set<z.ZodType> {
  const found = new Set<z.ZodType>()
  const visit = (part: unknown): void => {
    if (part instanceof z.ZodType) {
      if (found.has(part) || part instanceof z.ZodTransform || part instanceof z.ZodCustom) return
      found.add(part)
      visit(part instanceof z.ZodObject ? part.shape : part.def)
    } else if (Array.isArray(part)) part.forEach(visit)
    else if (part !== null && typeof part === 'object' && Object.getPrototypeOf(part) === Object.prototype)
      Object.values(part).forEach(visit)
  }
  const rows = Object.values(endpoints as Record<string, Endpoint>)
  visit([Object.values(resources), rows.flatMap(({ params, query, body }) => [params, query, body])])
  return found
}

const wrong = [undefined, null, true, 0, -1, 1.5, 1e300, '', '\u0000', 'x'.repeat(3_000), [], [null], {}]
const objects = [{ unknown: 1 }, { '': null }, Array.from({ length: 100 }, () => null)]

it('no message is zod’s own English, whatever a schema of ours is given', () => {
  const values = [...wrong, ...objects]
  const issues = [...everySchema()].flatMap(schema =>
    values.flatMap(value => issuesOf(schema.safeParse(value).error ?? new z.ZodError([]))),
  )
  const foreign = /^(invalid|too |unrecognized|expected|no matching)|, received /i
  expect(issues.map(({ message }) => message).filter(message => foreign.test(message))).toEqual([])
  const codes = new Set(issues.map(({ code }) => code))
  const reached = ['invalid_type', 'invalid_value', 'too_small', 'too_big', 'invalid_format', 'invalid_union']
  expect([...codes]).toEqual(expect.arrayContaining([...reached, 'unknown_field']))
})

it.each([
  [z.string(), undefined, 'is missing'],
  [z.string(), 5, 'must be text'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.string().min(12), 'short', 'must have at least 12 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.enum(['low', 'high']), 'odd', 'must be one of low, high'],
  [z.literal('one'), 'two', 'must be one'],
  [z.string().regex(/^a$/), 'b', 'must match /^a$/'],
  [z.string().regex(/^a$/, 'must be an a'), 'b', 'must be an a'],
  [z.union([z.string(), z.boolean()]), 5, 'has none of the allowed forms'],
  [z.record(z.enum(['a']), z.string()), { b: 'x' }, 'is not a known field'],
])('says a sentence: %#', (schema, value, message) => {
  const { error } = schema.safeParse(value)
  expect(issuesOf(error ?? new z.ZodError([])).map(issue => issue.message)).toContain(message)
})
