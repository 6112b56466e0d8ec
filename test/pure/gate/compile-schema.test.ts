import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/json.ts'
import { limits } from '../../../shared/contract/limits.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { type CompiledSchema, compileSchema } from '../../../shared/gate/schema/compile-schema.ts'
import { createCompiledSchemas } from '../../../shared/gate/schema/compiled-schemas.ts'
import { deepFreeze } from './gate-case.ts'

const closed = { type: 'object', additionalProperties: false }
const name = { type: 'string' }

function compiled(schema: JsonObject): CompiledSchema {
  expect(readSchema(schema).errors).toEqual([])
  return compileSchema(deepFreeze(schema))
}

/** `place: keyword detail` of each violation of a schema whose only member is `m`. */
function violations(member: JsonObject | boolean, value: JsonValue): string[] {
  return outline(compiled({ ...closed, properties: { m: member } }), { m: value })
}

function outline(schema: CompiledSchema, parameters: JsonObject): string[] {
  return (schema.violations(parameters) ?? []).map(
    ({ place, keyword, detail }) => `${place}: ${keyword}${detail}`,
  )
}

describe('violations', () => {
  const line = {
    ...closed,
    properties: { sku: { type: 'string', maxLength: 3 }, 'a/b~c.d': name },
    required: ['sku'],
  }
  const order = compiled({
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      amount: { type: 'number', exclusiveMinimum: 0, maximum: 50 },
      kind: { enum: ['a', 'b'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1 },
    },
    required: ['amount', 'kind'],
    $defs: { line },
  })

  it('are none where the parameters meet the schema', () => {
    expect(order.violations({ amount: 50, kind: 'a', lines: [{ sku: 'x', 'a/b~c.d': '' }] })).toBeNull()
  })

  it('name every place, the keyword, and what it asks for', () => {
    const parameters = {
      amount: 60,
      note: 'canary',
      lines: [{ sku: 'x' }, { sku: 'canary' }, { 'a/b~c.d': 1 }],
    }
    expect(outline(order, parameters).sort()).toEqual([
      'amount: maximum 50',
      'kind: required',
      'lines[1].sku: maxLength 3',
      'lines[2].a/b~c.d: type string',
      'lines[2].sku: required',
      'note: additionalProperties',
    ])
    expect(outline(order, { amount: '1', kind: 'c', lines: [] }).sort()).toEqual([
      'amount: type number',
      'kind: enum',
      'lines: minItems 1',
    ])
  })

  it('are counted beyond a limit', () => {
    const found = outline(order, { amount: 1, kind: 'a', lines: Array.from({ length: 40 }, () => ({})) })
    expect(found).toHaveLength(limits.schema_violations_max + 1)
    expect(found.at(-1)).toBe(': others (20 more)')
  })

  it('are the first one where there could be very many', () => {
    const schema = compiled({
      ...closed,
      properties: {
        m: { type: 'array', items: { anyOf: Array.from({ length: 60 }, (_, index) => ({ const: index })) } },
      },
    })
    expect(outline(schema, { m: ['x', 'y'] })).toContain('m[1]: anyOf')
    const first = outline(schema, { m: Array.from({ length: 1_900 }, () => 'x') })
    expect(first).toContain('m[0]: const')
    expect(first.filter(violation => violation.startsWith('m[1]'))).toEqual([])
  })

  it('cut names that a caller chose, without cutting a character in two', () => {
    const [violation] = order.violations({ amount: 1, kind: 'a', [`n${'😀'.repeat(150)}`]: 1 }) ?? []
    expect(violation?.place.length).toBeLessThanOrEqual(100)
    expect(violation?.place).not.toMatch(/\p{Surrogate}/u)
  })

  it('tell an index from a name', () => {
    const member = { ...closed, properties: { '0': { type: 'array', items: name } } }
    expect(violations(member, { '0': ['', 1] })).toEqual(['m.0[1]: type string'])
  })
})

describe('what the validator alone gets wrong', () => {
  const strange = { constructor: 'x', valueOf: 'y', toString: 'z', hasOwnProperty: 1 }

  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['constants with inherited names', { const: strange }, { ...strange }, { ...strange, valueOf: 'other' }],
    ['lists of such constants', { enum: [[strange]] }, [{ ...strange }], [strange, strange]],
    ['constants by canonical JSON', { const: { a: 1, b: [0] } }, { b: [-0], a: 1.0 }, { a: '1', b: [0] }],
    [
      'distinct items',
      { type: 'array', items: name, uniqueItems: true },
      ['a', '__proto__'],
      ['__proto__', '__proto__'],
    ],
    [
      'distinct objects',
      { type: 'array', items: { enum: [strange, {}] }, uniqueItems: true },
      [strange, {}],
      [strange, { ...strange }],
    ],
    ['cents', { type: 'number', multipleOf: 0.01 }, 19.99, 19.995],
    ['great cents', { type: 'number', multipleOf: 0.01 }, 90071992547409.91, 0.001],
    ['great multiples', { type: 'number', multipleOf: 1 }, 1e21, 1.5e-7],
    ['small multiples', { type: 'number', multipleOf: 1e-7 }, 3e-7, 1e-8],
    ['negative multiples', { type: 'number', multipleOf: 0.3 }, -0.9, -1],
    ['length in characters', { type: 'string', maxLength: 2 }, '😀😀', '😀😀😀'],
    ['least length in characters', { type: 'string', minLength: 2 }, '😀😀', '😀'],
    ['white space', { type: 'string', pattern: '^\\S*$' }, 'a', 'a\u00a0b'],
  ])('%s', (_name, member, good, bad) => {
    expect(violations(member, good)).toEqual([])
    expect(violations(member, bad)).not.toEqual([])
  })

  it('names that every object inherits are not there', () => {
    const schema = compiled({
      ...closed,
      properties: { constructor: name, a: name },
      required: ['constructor'],
    })
    expect(outline(schema, {})).toEqual(['constructor: required'])
    expect(outline(schema, { constructor: 'x' })).toEqual([])
    expect(outline(schema, JSON.parse('{"constructor":"x","__proto__":{}}'))).toEqual([
      '__proto__: additionalProperties',
    ])
    expect(outline(schema, { constructor: 'x', toString: 1, valueOf: 1 }).sort()).toEqual([
      'toString: additionalProperties',
      'valueOf: additionalProperties',
    ])
  })

  it('names of a composed object are its own', () => {
    const schema = compiled({
      type: 'object',
      unevaluatedProperties: false,
      allOf: [{ $ref: '#/$defs/base' }, { properties: { b: name } }],
      $defs: { base: { properties: { a: name }, required: ['a'] } },
    })
    expect(outline(schema, { a: '', b: '' })).toEqual([])
    for (const unknown of ['c', 'constructor', 'toString', '__proto__']) {
      const parameters = JSON.parse(`{"a":"","${unknown}":1}`)
      expect(outline(schema, parameters)).toEqual([`${unknown}: unevaluatedProperties`])
    }
  })
})

describe('a judgement is bounded', () => {
  const repeated = 'a'.repeat(100_000)

  it('ends, and refuses, rather than match long texts against large patterns', () => {
    const member = { type: 'string', pattern: `^(${'b?'.repeat(100)}a)*$` }
    expect(violations(member, 'aaa')).toEqual([])
    expect(violations(member, repeated)).toEqual([': pattern (too much text to judge)'])
  })

  it('refuses also where not matching is what is asked for', () => {
    const member = { type: 'string', not: { pattern: `^(${'b?'.repeat(100)}a)*b$` } }
    expect(violations(member, 'aaa')).toEqual([])
    expect(violations(member, repeated)).toEqual([': pattern (too much text to judge)'])
  })

  it('compares with long lists of constants as it does with short ones', () => {
    const member = { enum: Array.from({ length: 3_000 }, (_, index) => ({ index })) }
    expect(violations(member, { index: 2_999 })).toEqual([])
    expect(violations(member, { index: 3_000 })).toEqual(['m: enum'])
  })

  it('spends anew on each', () => {
    const schema = compiled({ ...closed, properties: { m: { type: 'string', pattern: '^a*$' } } })
    for (let round = 0; round < 30; round += 1) expect(schema.violations({ m: repeated })).toBeNull()
  })
})

describe('compiled schemas', () => {
  const text = (title: string) => JSON.stringify({ ...closed, title })

  it('are compiled once for each text', () => {
    const schemas = createCompiledSchemas()
    expect(schemas.get(text('a'))).toBe(schemas.get(text('a')))
    expect(schemas.get(text('a'))).not.toBe(schemas.get(text('b')))
  })

  it('are kept up to a bound, the newest always', () => {
    const schemas = createCompiledSchemas(2 * text('a').length)
    const [first, second] = [schemas.get(text('a')), schemas.get(text('b'))]
    schemas.get(text('c'))
    expect(schemas.get(text('b'))).toBe(second)
    expect(schemas.get(text('a'))).not.toBe(first)
    const tiny = createCompiledSchemas(1)
    expect(tiny.get(text('a'))).toBe(tiny.get(text('a')))
  })
})
