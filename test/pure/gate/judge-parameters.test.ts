import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'
import { keywords } from '../../../shared/json-schema/keywords.ts'
import { createPatternStore } from '../../../shared/json-schema/linear-pattern.ts'
import { deepFreeze } from './gate-case.ts'

const closed = { type: 'object', additionalProperties: false }
const name = { type: 'string' }

/** A schema that is accepted. */
function accepted(schema: JsonObject): JsonObject {
  expect(readSchema(schema).errors).toEqual([])
  return deepFreeze(schema)
}

/** `place: what is expected` of each violation of a schema whose only member is `m`. */
function violations(member: JsonObject | boolean, value: JsonValue): string[] {
  return outline(accepted({ ...closed, properties: { m: member } }), { m: value })
}

function outline(schema: JsonObject, parameters: JsonObject): string[] {
  return (judgeParameters(schema, parameters) ?? []).map(({ place, expected }) => `${place}: ${expected}`)
}

const list = { type: 'array', items: name }

/** Of each kind of fault a schema, a value that does not meet it, and what is said of its place. */
const everyKind: Readonly<Record<string, [JsonObject | boolean, JsonValue, string]>> = {
  type: [{ type: ['integer', 'null'] }, 'canary', 'm: must be an integer or null'],
  enum: [{ enum: ['EUR', 1, null] }, 'canary', 'm: must be one of "EUR", 1, null'],
  const: [{ const: { a: 1 } }, 'canary', 'm: must be {"a":1}'],
  pattern: [{ type: 'string', pattern: '^cus_[0-9]+$' }, 'canary', 'm: must match ^cus_[0-9]+$'],
  minimum: [{ type: 'number', minimum: 1 }, 0.5, 'm: must be at least 1'],
  maximum: [{ type: 'number', maximum: 1 }, 1.5, 'm: must be at most 1'],
  exclusiveMinimum: [{ type: 'number', exclusiveMinimum: 0 }, 0, 'm: must be greater than 0'],
  exclusiveMaximum: [{ type: 'number', exclusiveMaximum: 2 }, 2, 'm: must be less than 2'],
  multipleOf: [{ type: 'number', multipleOf: 0.01 }, 0.001, 'm: must be a multiple of 0.01'],
  minLength: [{ type: 'string', minLength: 1 }, '', 'm: must have at least 1 character'],
  maxLength: [{ type: 'string', maxLength: 3 }, 'canary', 'm: must have at most 3 characters'],
  minItems: [{ ...list, minItems: 2 }, ['canary'], 'm: must have at least 2 items'],
  maxItems: [{ ...list, maxItems: 0 }, ['canary'], 'm: must have at most 0 items'],
  uniqueItems: [{ ...list, uniqueItems: true }, ['canary', 'canary'], 'm: must have no item twice'],
  contains: [
    { ...list, contains: { const: 'a' }, minContains: 2 },
    ['canary', 'a'],
    'm: must have at least 2 items like {"const":"a"}',
  ],
  required: [{ ...closed, properties: { a: name }, required: ['a'] }, {}, 'm.a: is required'],
  dependentRequired: [
    { ...closed, properties: { a: name, b: name }, dependentRequired: { a: ['b'] } },
    { a: 'canary' },
    'm.b: is required beside a',
  ],
  additionalProperties: [
    { ...closed, properties: { a: name }, patternProperties: { '^x-': name } },
    { b: 'canary' },
    'm.b: is not admitted: there may be a, and names that match ^x-',
  ],
  unevaluatedProperties: [
    { type: 'object', unevaluatedProperties: false, allOf: [{ properties: { a: name } }] },
    { b: 'canary' },
    'm.b: is not admitted: there may be a',
  ],
  propertyNames: [
    { ...closed, patternProperties: { '^a': name }, propertyNames: { maxLength: 2 } },
    { abc: 'canary' },
    'm.abc: is not admitted: names must be like {"maxLength":2}',
  ],
  minProperties: [{ ...closed, minProperties: 1 }, {}, 'm: must have at least 1 member'],
  maxProperties: [
    { ...closed, properties: { a: name, b: name }, maxProperties: 1 },
    { a: 'canary', b: 'canary' },
    'm: must have at most 1 member',
  ],
  anyOf: [
    { anyOf: [{ type: 'string', maxLength: 1 }, { const: 'abc' }] },
    'canary',
    'm: must be like one of {"type":"string","maxLength":1}, {"const":"abc"}',
  ],
  oneOf: [
    { oneOf: [name, { type: 'string', minLength: 2 }] },
    'canary',
    'm: must be like exactly one of {"type":"string"}, {"type":"string","minLength":2}',
  ],
  not: [{ type: 'string', not: { pattern: '^c' } }, 'canary', 'm: must not be like {"pattern":"^c"}'],
  'false schema': [false, 'canary', 'm: must be left out'],
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
      'amount: must be at most 50 (maximum)',
      'kind: is required (required)',
      'lines[1].sku: must have at most 3 characters (maxLength)',
      'lines[2].a/b~c.d: must be a string (type)',
      'lines[2].sku: is required (required)',
      'note: is not admitted: there may be amount, kind, lines (additionalProperties)',
    ])
    expect(outline(order, { amount: '1', kind: 'c', lines: [] }).sort()).toEqual([
      'amount: must be a number (type)',
      'kind: must be one of "a", "b" (enum)',
      'lines: must have at least 1 item (minItems)',
    ])
  })

  it('are counted beyond a limit', () => {
    const found = outline(order, { amount: 1, kind: 'a', lines: Array.from({ length: 40 }, () => ({})) })
    expect(found).toHaveLength(limits.schema_violations_max + 1)
    expect(found.at(-1)).toBe(': have more faults than are listed (others)')
  })

  it('are those of the alternative that the value seems to mean', () => {
    const member = { anyOf: [{ ...closed, properties: { a: name }, required: ['a'] }, { type: 'null' }] }
    expect(violations(member, {})).toEqual(['m.a: is required (required)'])
    expect(violations(member, 'text')).toEqual([
      expect.stringMatching(/^m: must be like one of \{.*"required":\["a"\].*\(anyOf\)$/),
    ])
    expect(violations({ oneOf: [name, { const: 'a' }] }, 'a')).toEqual([
      'm: must be like exactly one of {"type":"string"}, {"const":"a"} (oneOf)',
    ])
    expect(violations({ oneOf: [name, { type: 'number', minimum: 1 }] }, 0)).toEqual([
      'm: must be at least 1 (minimum)',
    ])
  })

  it('are those of the branch that applies', () => {
    const member = Object.fromEntries([
      ['if', { type: 'string' }],
      ['then', { type: 'string', minLength: 2 }],
      ['else', { type: 'number', maximum: 1 }],
    ])
    expect(violations(member, 'a')).toEqual(['m: must have at least 2 characters (minLength)'])
    expect(violations(member, 2)).toEqual(['m: must be at most 1 (maximum)'])
  })

  it.each<[string, JsonObject | boolean, JsonValue, string[]]>([
    ['nothing at all', false, 1, ['m: must be left out (false schema)']],
    [
      'something else',
      { type: 'string', not: { const: 'a' } },
      'a',
      ['m: must not be like {"const":"a"} (not)'],
    ],
    [
      'an item that is not there',
      { type: 'array', items: name, contains: { const: 'a' } },
      [],
      ['m: must have at least 1 item like {"const":"a"} (contains)'],
    ],
    [
      'fewer of an item',
      { type: 'array', items: name, contains: { const: 'a' }, maxContains: 1 },
      ['a', 'a'],
      ['m: must have at least 1 item and at most 1 like {"const":"a"} (contains)'],
    ],
    [
      'another name',
      { ...closed, patternProperties: { '^a': name }, propertyNames: { maxLength: 2 } },
      { abc: '' },
      ['m.abc: is not admitted: names must be like {"maxLength":2} (propertyNames)'],
    ],
    [
      'what a name brings with it',
      { ...closed, properties: { a: name, b: name }, dependentRequired: { a: ['b'] } },
      { a: '' },
      ['m.b: is required beside a (dependentRequired)'],
    ],
    [
      'what a name changes',
      { ...closed, properties: { a: name }, dependentSchemas: { a: { minProperties: 2 } } },
      { a: '' },
      ['m: must have at least 2 members (minProperties)'],
    ],
    [
      'a member of a patterned name',
      { ...closed, patternProperties: { '^a': name } },
      { ab: 1 },
      ['m.ab: must be a string (type)'],
    ],
    [
      'another start of a list',
      { type: 'array', prefixItems: [name], items: { type: 'number' } },
      [1, ''],
      ['m[0]: must be a string (type)', 'm[1]: must be a number (type)'],
    ],
  ])('say where the schema asks for %s', (_name, member, value, expected) => {
    expect(violations(member, value).sort()).toEqual(expected)
  })

  it.each(Object.entries(everyKind))('say what is expected: %s', (kind, [member, value, expected]) => {
    const told = violations(member, value)
    expect(told).toEqual([`${expected} (${kind})`])
    expect(told.join()).not.toContain('canary')
  })

  it('have a sentence for every keyword that checks something', () => {
    const checking = [...keywords].filter(([, { annotation }]) => annotation === undefined)
    const elsewhere = [
      '$ref',
      'allOf',
      'if',
      'then',
      'else',
      'items',
      'prefixItems',
      'minContains',
      'maxContains',
    ]
    const inside = ['properties', 'patternProperties', 'dependentSchemas']
    const told = checking
      .map(([keyword]) => keyword)
      .filter(keyword => ![...elsewhere, ...inside].includes(keyword))
    expect(Object.keys(everyKind).sort()).toEqual([...told, 'false schema'].sort())
  })

  it('cut names that a caller chose, without cutting a character in two', () => {
    const [violation] = judgeParameters(order, { amount: 1, kind: 'a', [`n${'😀'.repeat(150)}`]: 1 }) ?? []
    expect(violation?.place.length).toBeLessThanOrEqual(100)
    expect(violation?.place).not.toMatch(/\p{Surrogate}/u)
  })

  it('tell an index from a name', () => {
    const member = { ...closed, properties: { '0': { type: 'array', items: name } } }
    expect(violations(member, { '0': ['', 1] })).toEqual(['m.0[1]: must be a string (type)'])
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
    expect(outline(schema, {})).toEqual(['constructor: is required (required)'])
    expect(outline(schema, { constructor: 'x' })).toEqual([])
    expect(outline(schema, JSON.parse('{"constructor":"x","__proto__":{}}'))).toEqual([
      '__proto__: is not admitted: there may be constructor, a (additionalProperties)',
    ])
    expect(outline(schema, { constructor: 'x', toString: 1, valueOf: 1 }).sort()).toEqual([
      'toString: is not admitted: there may be constructor, a (additionalProperties)',
      'valueOf: is not admitted: there may be constructor, a (additionalProperties)',
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
      expect(outline(schema, parameters)).toEqual([
        `${unknown}: is not admitted: there may be a, b (unevaluatedProperties)`,
      ])
    }
  })
})

describe('a judgement is bounded', () => {
  const repeated = 'a'.repeat(100_000)

  it('ends, and refuses, rather than match long texts against large patterns', () => {
    const member = { type: 'string', pattern: `^(${'b?'.repeat(100)}a)*$` }
    expect(violations(member, 'aaa')).toEqual([])
    expect(violations(member, repeated)).toEqual([
      ': take more than 2000000 steps to judge: send less (steps)',
    ])
  })

  it('refuses also where not matching is what is asked for', () => {
    const member = { type: 'string', not: { pattern: `^(${'b?'.repeat(100)}a)*b$` } }
    expect(violations(member, 'aaa')).toEqual([])
    expect(violations(member, repeated)).toEqual([
      ': take more than 2000000 steps to judge: send less (steps)',
    ])
  })

  it('compares with long lists of constants as it does with short ones', () => {
    const member = { enum: Array.from({ length: 3_000 }, (_, index) => ({ index })) }
    expect(violations(member, { index: 2_999 })).toEqual([])
    expect(violations(member, { index: 3_000 })).toEqual([
      expect.stringMatching(/^m: must be one of \{"index":0\}, .*… \(enum\)$/),
    ])
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
    expect(violations(many, Array(1_900).fill(''))).toEqual([
      ': take more than 2000000 steps to judge: send less (steps)',
    ])
    expect(violations(many, Array(30).fill(''))).toEqual([])
  })

  it('ends where numbers are divided in hundreds of digits, again and again', () => {
    const divided = (times: number) => ({
      type: 'array',
      items: { type: 'number', allOf: Array.from({ length: times }, () => ({ multipleOf: 5e-324 })) },
    })
    const numbers = Array.from({ length: 1_900 }, (_, index) => Number.MAX_SAFE_INTEGER - index)
    expect(violations(divided(20), numbers)).toEqual([
      ': take more than 2000000 steps to judge: send less (steps)',
    ])
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
