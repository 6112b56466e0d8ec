import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'
import { createPatternReader } from '../../../shared/json-schema/linear-pattern.ts'
import { closeSchema } from '../../../shared/tool-import/close-schema.ts'
import { Open } from '../../../shared/tool-import/why-open.ts'

const patterns = createPatternReader()

function close(schema: JsonValue, document: JsonObject = {}, leftOut: Open[] = []): JsonObject | Open {
  const closing = { document, patterns, depthMax: 12, leftOut, budget: { schemas: 500 } }
  return closeSchema(schema, { path: '', depth: 0, trail: [] }, closing)
}

const text = { type: 'string' }
const closed = (properties: JsonObject, more: JsonObject = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
})

describe('a closed schema', () => {
  it.each<[string, JsonValue, JsonObject]>([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'an excluded bound of 3.0',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      'a format',
      { type: 'string', format: 'date-time' },
      { type: 'string', description: 'Format: date-time.' },
    ],
    [
      'a pattern that runs in linear time',
      { type: 'string', pattern: '^a+$' },
      { type: 'string', pattern: '^a+$' },
    ],
    ['a pattern that does not', { type: 'string', pattern: '(a)\\1' }, { type: 'string' }],
    ['a list of values', { type: 'string', enum: ['a', 'b', 'a'] }, { enum: ['a', 'b'] }],
    ['a type that is only implied', { properties: { a: text } }, closed({ a: text })],
    [
      'parts that go together',
      {
        allOf: [
          { properties: { a: text }, required: ['a'] },
          { type: 'object', properties: { b: text } },
        ],
      },
      closed({ a: text, b: text }, { required: ['a'] }),
    ],
    ['one alternative that is left', { oneOf: [text, { type: 'object' }] }, text],
    [
      'alternatives beside members',
      { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      closed({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    ],
    [
      'alternatives of objects',
      {
        oneOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
      { type: 'object', anyOf: [closed({ a: text }), closed({ b: text })] },
    ],
  ])('says %s', (_what, schema, expected) => {
    expect(close(schema)).toEqual(expected)
  })

  it.each([
    [64, []],
    [65, ['a has more than 64 alternatives: those beyond are left out']],
  ])('of %i alternatives names what is left out', (count, named) => {
    const oneOf = Array.from({ length: count }, (_, at) => ({ type: 'string', minLength: at }))
    const leftOut: Open[] = []
    const schema = close({ type: 'object', properties: { a: { oneOf } } }, {}, leftOut)
    expect(schema).toMatchObject({ properties: { a: { anyOf: { length: 64 } } } })
    expect(leftOut.map(({ message }) => message)).toEqual(named)
  })

  it('is written out once where it refers to itself', () => {
    const tree = {
      type: 'object',
      properties: { name: text, children: { type: 'array', items: { $ref: '#/tree' } } },
    }
    expect(close({ $ref: '#/tree' }, { tree })).toEqual(closed({ name: text }))
  })

  it('is given up where references multiply', () => {
    const level = (at: number): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(
        ['a', 'b', 'c', 'd'].map(name => [name, { $ref: `#/levels/${at + 1}` }]),
      ),
    })
    const levels = [...Array.from({ length: 8 }, (_, at) => level(at)), text]
    const read = close({ $ref: '#/levels/0' }, { levels })
    expect(read instanceof Open || readSchema(read).errors.length === 0).toBe(true)
  })
})

const leaf = fc.constantFrom<JsonObject>(
  text,
  { type: 'integer', minimum: 0 },
  { type: ['string', 'null'] },
  { enum: ['a', 1, null] },
  { const: 7 },
  { type: 'object' },
  {},
  { $ref: '#/defs/node' },
  { $ref: '#/defs/nobody' },
  { type: 'string', format: 'binary' },
)
const { node } = fc.letrec<{ node: JsonObject }>(tie => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('node') }),
    fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')),
        fc.subarray(['a', 'b', 'c']),
        fc.boolean(),
      )
      .map(([properties, required, isOpen]) => ({
        type: 'object',
        properties,
        required,
        additionalProperties: isOpen,
      })),
    fc
      .tuple(
        fc.constantFrom('allOf', 'anyOf', 'oneOf'),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      )
      .map(([keyword, list]) => ({ [keyword]: list })),
    fc
      .tuple(fc.dictionary(fc.constantFrom('a', 'b'), tie('node')), fc.array(tie('node'), { maxLength: 3 }))
      .map(([properties, list]) => ({ properties, anyOf: list, nullable: true })),
  ),
}))

describe('whatever a document says', () => {
  it('is closed as the catalog demands, or given up', () => {
    fc.assert(
      fc.property(node, node, (schema, defined) => {
        const read = close({ type: 'object', properties: { it: schema } }, { defs: { node: defined } })
        if (read instanceof Open) expect(read.message).toMatch(/: /)
        else {
          expect(readSchema(read).errors).toEqual([])
          expect(judgeParameters(read, { unheard_of: 1 })).not.toBeNull()
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
