import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'
import { createPatternStore } from '../../../shared/json-schema/linear-pattern.ts'
import { deepFreeze } from './gate-case.ts'

const closed = { type: 'object', additionalProperties: false }
const name = { type: 'string' }

/** A schema that is accepted. */
function accepted(schema: JsonObject): JsonObject {
  expect(readSchema(schema).errors).toEqual([])
  return deepFreeze(schema)
}

/** `place: keyword detail` of each violation of a schema whose only member is `m`. */
function violations(member: JsonObject | boolean, value: JsonValue): string[] {
  return outline(accepted({ ...closed, properties: { m: member } }), { m: value })
}

function outline(schema: JsonObject, parameters: JsonObject): string[] {
  return (judgeParameters(schema, parameters) ?? []).map(
    ({ place, keyword, detail }) => `${place}: ${keyword}${detail}`,
  )
}

describe('violations', () => {
  const line = {
    ...closed,
    properties: { sku: { type: 'string', maxLength: 3 }, 'a/b~c.d': name },
    required: ['sku'],
  }
  const order = accepted({
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
    expect(judgeParameters(order, { amount: 50, kind: 'a', lines: [{ sku: 'x', 'a/b~c.d': '' }] })).toBeNull()
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
    expect(found.at(-1)).toBe(': others')
  })

  it('are those of the alternative that the value seems to mean', () => {
    const member = { anyOf: [{ ...closed, properties: { a: name }, required: ['a'] }, { type: 'null' }] }
    expect(violations(member, {})).toEqual(['m.a: required'])
    expect(violations(member, 'text')).toEqual(['m: anyOf'])
    expect(violations({ oneOf: [name, { const: 'a' }] }, 'a')).toEqual(['m: oneOf'])
    expect(violations({ oneOf: [name, { type: 'number', minimum: 1 }] }, 0)).toEqual(['m: minimum 1'])
  })

  it('are those of the branch that applies', () => {
    const member = Object.fromEntries([
      ['if', { type: 'string' }],
      ['then', { type: 'string', minLength: 2 }],
      ['else', { type: 'number', maximum: 1 }],
    ])
    expect(violations(member, 'a')).toEqual(['m: minLength 2'])
    expect(violations(member, 2)).toEqual(['m: maximum 1'])
  })

  it.each<[string, JsonObject | boolean, JsonValue, string[]]>([
    ['nothing at all', false, 1, ['m: false schema']],
    ['something else', { type: 'string', not: { const: 'a' } }, 'a', ['m: not']],
    [
      'an item that is not there',
      { type: 'array', items: name, contains: { const: 'a' } },
      [],
      ['m: contains'],
    ],
    [
      'fewer of an item',
      { type: 'array', items: name, contains: { const: 'a' }, maxContains: 1 },
      ['a', 'a'],
      ['m: contains'],
    ],
    [
      'another name',
      { ...closed, patternProperties: { '^a': name }, propertyNames: { maxLength: 2 } },
      { abc: '' },
      ['m.abc: propertyNames'],
    ],
    [
      'what a name brings with it',
      { ...closed, properties: { a: name, b: name }, dependentRequired: { a: ['b'] } },
      { a: '' },
      ['m.b: dependentRequired'],
    ],
    [
      'what a name changes',
      { ...closed, properties: { a: name }, dependentSchemas: { a: { minProperties: 2 } } },
      { a: '' },
      ['m: minProperties 2'],
    ],
    [
      'a member of a patterned name',
      { ...closed, patternProperties: { '^a': name } },
      { ab: 1 },
      ['m.ab: type string'],
    ],
    [
      'another start of a list',
      { type: 'array', prefixItems: [name], items: { type: 'number' } },
      [1, ''],
      ['m[0]: type string', 'm[1]: type number'],
    ],
  ])('say where the schema asks for %s', (_name, member, value, expected) => {
    expect(violations(member, value).sort()).toEqual(expected)
  })

  it('cut names that a caller chose, without cutting a character in two', () => {
    const [violation] = judgeParameters(order, { amount: 1, kind: 'a', [`n${'😀'.repeat(150)}`]: 1 }) ?? []
    expect(violation?.place.length).toBeLessThanOrEqual(100)
    expect(violation?.place).not.toMatch(/\p{Surrogate}/u)
  })

  it('tell an index from a name', () => {
    const member = { ...closed, properties: { '0': { type: 'array', items: name } } }
    expect(violations(member, { '0': ['', 1] })).toEqual(['m.0[1]: type string'])
  })
})

describe('what validators get wrong', () => {
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
    const schema = accepted({
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
    const schema = accepted({
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
    expect(violations(member, repeated)).toEqual([': steps 2000000'])
  })

  it('refuses also where not matching is what is asked for', () => {
    const member = { type: 'string', not: { pattern: `^(${'b?'.repeat(100)}a)*b$` } }
    expect(violations(member, 'aaa')).toEqual([])
    expect(violations(member, repeated)).toEqual([': steps 2000000'])
  })

  it('compares with long lists of constants as it does with short ones', () => {
    const member = { enum: Array.from({ length: 3_000 }, (_, index) => ({ index })) }
    expect(violations(member, { index: 2_999 })).toEqual([])
    expect(violations(member, { index: 3_000 })).toEqual(['m: enum'])
  })

  it('ends where alternatives upon alternatives look at everything again', () => {
    const deep = (level: number): JsonObject =>
      level === 0
        ? { type: 'array', items: { type: 'number' } }
        : { type: 'array', items: { anyOf: [deep(level - 1), deep(level - 1), deep(level - 1)] } }
    const value = (level: number): JsonValue =>
      level === 0 ? Array(200).fill('x') : Array(5).fill(value(level - 1))
    expect(violations(deep(3), value(3))).not.toEqual([])
    const many = {
      type: 'array',
      items: { allOf: Array.from({ length: 1_600 }, () => ({ type: ['string', 'null'] })) },
    }
    expect(violations(many, Array(1_900).fill(''))).toEqual([': steps 2000000'])
    expect(violations(many, Array(30).fill(''))).toEqual([])
  })

  it('ends where numbers are divided in hundreds of digits, again and again', () => {
    const divided = (times: number) => ({
      type: 'array',
      items: { type: 'number', allOf: Array.from({ length: times }, () => ({ multipleOf: 5e-324 })) },
    })
    const numbers = Array.from({ length: 1_900 }, (_, index) => Number.MAX_SAFE_INTEGER - index)
    expect(violations(divided(20), numbers)).toEqual([': steps 2000000'])
    expect(violations(divided(1), numbers)).toEqual([])
  })

  it('spends anew on each', () => {
    const schema = accepted({ ...closed, properties: { m: { type: 'string', pattern: '^a*$' } } })
    for (let round = 0; round < 30; round += 1)
      expect(judgeParameters(schema, { m: repeated.slice(0, 60_000) })).toBeNull()
  })
})

describe('patterns', () => {
  it('are kept up to a bound, the newest always', () => {
    const patterns = createPatternStore(150)
    const [first, second] = [patterns('^a$'), patterns('^b$')]
    expect([patterns('^a$'), patterns('^b$')]).toEqual([first, second])
    patterns('^c$')
    expect(patterns('^b$')).toBe(second)
    expect(patterns('^a$')).not.toBe(first)
    const large = '^a{900}$'
    expect(patterns(large)).toBe(patterns(large))
    expect(patterns('^b$')).not.toBe(second)
  })
})
