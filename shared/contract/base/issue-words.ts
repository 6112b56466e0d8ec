import { z } from 'zod'

type Raw<Code extends z.core.$ZodIssue['code']> = z.core.$ZodRawIssue<
  Extract<z.core.$ZodIssue, { code: Code }>
>

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  url: 'must be an address such as https://example.org',
  email: 'must be an e-mail address',
  datetime: 'must be a time such as 2026-01-31T12:00:00Z',
}

/**
 * The messages for zod's error codes, in place of zod's own English. Each message continues a sentence that begins
 * with the field's name. A schema with its own message keeps that message.
 */
const words: { readonly [Code in z.core.$ZodIssue['code']]: (issue: Raw<Code>) => string } = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? 'is missing' : `must be ${types[expected] ?? expected}`,
  invalid_value: ({ input, values }) =>
    input === undefined ? 'is missing' : `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`,
  too_small: ({ origin, minimum, inclusive }) =>
    bounded(origin, minimum, inclusive === false ? 'more than' : 'at least'),
  too_big: ({ origin, maximum, inclusive }) =>
    bounded(origin, maximum, inclusive === false ? 'less than' : 'at most'),
  invalid_format: ({ format, pattern }) =>
    formats[format] ?? (pattern === undefined ? 'is not in the right form' : `must match ${pattern}`),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => `has unknown fields: ${keys.join(', ')}`,
  invalid_union: ({ input }) => (input === undefined ? 'is missing' : 'has none of the allowed forms'),
  invalid_key: () => 'has a name that is not allowed',
  invalid_element: () => 'has an entry that is not allowed',
  custom: () => 'is not allowed',
}

function bounded(origin: string, bound: number | bigint, how: string): string {
  const unit = { string: 'character', array: 'entry', set: 'entry', map: 'entry', object: 'field' }[origin]
  if (unit === undefined) return `must be ${how} ${bound}`
  const several = unit === 'entry' ? 'entries' : `${unit}s`
  return `must have ${how} ${bound} ${Number(bound) === 1 ? unit : several}`
}

z.config({ localeError: issue => (words[issue.code] as (issue: z.core.$ZodRawIssue) => string)(issue) })
