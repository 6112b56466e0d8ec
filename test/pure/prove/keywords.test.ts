import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import type { Where } from '../../../shared/contract/configuration/verification-schema.ts'
import { unmodelled } from '../../../shared/policy-analysis/unmodelled.ts'
import { answerTo, entryWith, policyWith, subjectOf } from './proof-case.ts'

/** The answer for one parameter with a schema of its own. */
function answerFor(schema: JsonObject, where: Where) {
  return answerTo(subjectOf(policyWith({}), [entryWith({ p: schema })]), { where: { p: where } })
}

const present = { present: true }

describe('the closed profile is exact', () => {
  const cases: [string, JsonObject, Where, JsonValue | 'none'][] = [
    ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 3 }, { max: 3 }, 'none'],
    ['exclusiveMaximum', { type: 'number', exclusiveMaximum: 3 }, { min: 2.9 }, 2.91],
    [
      'a fraction between',
      { type: 'number', minimum: 0.1, maximum: 0.2 },
      { not: { one_of: [0.1, 0.2] }, present: true },
      0.11,
    ],
    [
      'no whole number between',
      { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 },
      present,
      'none',
    ],
    ['an integer', { type: 'integer' }, { min: 0.5, max: 1.5 }, 1],
    ['an integer and a number', { type: 'integer', allOf: [{ type: 'number', minimum: 3 }] }, present, 4],
    ['multipleOf', { type: 'integer', multipleOf: 7 }, { min: 8, max: 14 }, 14],
    ['no multiple', { type: 'integer', multipleOf: 7 }, { min: 8, max: 13 }, 'none'],
    ['a decimal multiple', { type: 'number', multipleOf: 0.01 }, { min: 500.001, max: 500.011 }, 500.01],
    ['no decimal multiple', { type: 'number', multipleOf: 0.01 }, { min: 500.001, max: 500.009 }, 'none'],
    ['several steps', { type: 'number', multipleOf: 4, allOf: [{ multipleOf: 6 }] }, { min: 1, max: 23 }, 12],
    [
      'steps that do not meet',
      { type: 'number', multipleOf: 4, allOf: [{ multipleOf: 6 }] },
      { min: 1, max: 11 },
      'none',
    ],
    ['minLength', { type: 'string', minLength: 9 }, present, 'example..'],
    ['maxLength', { type: 'string', maxLength: 2 }, { not: { equals: 'ex' }, present: true }, ''],
    ['lengths that do not meet', { type: 'string', minLength: 3, maxLength: 2 }, present, 'none'],
    ['only the empty text', { type: 'string', maxLength: 0 }, { not: { equals: '' }, present: true }, 'none'],
    ['enum', { enum: [1, 'a', null] }, { not: { one_of: [1, 'a'] }, present: true }, null],
    ['const', { const: { a: [1] } }, { equals: { a: [1] } }, { a: [1] }],
    ['boolean', { type: 'boolean' }, { not: { equals: true }, present: true }, false],
    [
      'items',
      { type: 'array', items: { const: 1 }, minItems: 1, maxItems: 2 },
      { not: { equals: [1] }, present: true },
      [1, 1],
    ],
    [
      'all arrays used up',
      { type: 'array', items: { const: 1 }, minItems: 1, maxItems: 1 },
      { not: { equals: [1] }, present: true },
      'none',
    ],
    [
      'items that nothing meets',
      { type: 'array', items: { type: 'integer', minimum: 2, maximum: 1 } },
      { not: { equals: [] }, present: true },
      'none',
    ],
    ['anyOf', { anyOf: [{ type: 'null' }, { type: 'number', minimum: 9 }] }, { min: 0 }, 10],
    [
      'anyOf without a way',
      { anyOf: [{ type: 'null' }, { type: 'number', minimum: 9 }] },
      { max: 8 },
      'none',
    ],
    ['a list of types', { type: ['string', 'null'] }, { max: 8 }, 'none'],
  ]

  test.each(cases)('%s', (_, schema, where, expected) => {
    const answer = answerFor(schema, where)
    expect(answer.result).toBe(expected === 'none' ? 'unreachable' : 'reachable')
    if (expected !== 'none') expect(answer.witness?.action.parameters.p).toEqual(expected)
  })

  test('the last value of an object with a range inside', () => {
    const properties = { n: { type: 'integer', minimum: 1, maximum: 5 } }
    const object = { type: 'object', properties, required: ['n'], additionalProperties: false }
    const excluded = [1, 2, 4, 5].map(n => ({ n }))
    expect(answerFor(object, { not: { one_of: excluded } }).witness?.action.parameters.p).toBeUndefined()
    const left = answerFor(object, { not: { one_of: excluded }, present: true })
    expect(left.witness?.action.parameters.p).toEqual({ n: 3 })
    const list = { type: 'array', items: properties.n, minItems: 1, maxItems: 1 }
    const leftOver = answerFor(list, { not: { one_of: [1, 2, 4, 5].map(n => [n]) }, present: true })
    expect(leftOver.witness?.action.parameters.p).toEqual([3])
  })

  test('every branch at the top', () => {
    const branch = (maximum: number): JsonObject => ({
      type: 'object',
      properties: { p: { type: 'number', maximum } },
      additionalProperties: false,
    })
    const keywords = { anyOf: [branch(1), branch(2)] }
    const subject = subjectOf(policyWith({}), [entryWith({ p: { type: 'number' } }, {}, keywords)])
    expect(answerTo(subject, { where: { p: { min: 1.5 } } }).witness?.action.parameters).toEqual({ p: 2 })
    expect(answerTo(subject, { where: { p: { min: 2.5 } } }).result).toBe('unreachable')
  })

  test('required members, closed members and anyOf of objects', () => {
    const inner = (name: string, value: JsonObject): JsonObject => ({
      type: 'object',
      properties: { kind: { const: name }, [name]: value },
      required: ['kind', name],
      additionalProperties: false,
    })
    const either = {
      anyOf: [inner('card', { type: 'integer', maximum: 10 }), inner('bank', { type: 'string' })],
    }
    const subject = subjectOf(policyWith({}), [entryWith({ by: either })])
    const by = (where: Record<string, Where>) => answerTo(subject, { where }).witness?.action.parameters.by
    expect(by({ 'by.kind': { equals: 'bank' } })).toEqual({ kind: 'bank', bank: 'example' })
    expect(by({ 'by.card': { min: 5 } })).toMatchObject({ kind: 'card' })
    expect(by({ 'by.card': { min: 11 } })).toBeUndefined()
    expect(by({ 'by.kind': { equals: 'bank' }, 'by.card': present })).toBeUndefined()
    expect(by({ 'by.other': present })).toBeUndefined()
  })
})

describe('outside the profile', () => {
  const pattern = { type: 'string', pattern: '^[ab]*b[ab]{12}$', minLength: 20 }

  test('a missing witness is inconclusive and names the keyword and the path', () => {
    const answer = answerFor(pattern, present)
    expect(answer).toMatchObject({ result: 'inconclusive', why: 'the keyword pattern at p is not modelled' })
  })

  test('a witness is one all the same', () => {
    expect(answerFor({ type: 'string', pattern: '^[A-Z]{3}$' }, present)).toMatchObject({
      result: 'reachable',
    })
    expect(answerFor({ ...pattern, examples: ['bbbbbbbbbbbbbbbbbbbbb'] }, present)).toMatchObject({
      result: 'reachable',
    })
    expect(
      answerFor({ type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 2 }, present)
        .result,
    ).toBe('reachable')
    expect(
      answerFor({ type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 60 }, present)
        .result,
    ).toBe('inconclusive')
  })

  test('it does not matter where the rest excludes the outcome', () => {
    const subject = subjectOf(policyWith({ amount: { max: 500 } }), [
      entryWith({ amount: { type: 'number' }, note: pattern }, {}, { required: ['note'] }),
    ])
    expect(answerTo(subject, { where: { amount: { min: 501 } } }).result).toBe('unreachable')
    expect(answerTo(subject, { where: { note: { equals: 1 } } }).result).toBe('unreachable')
    expect(answerTo(subject, { where: { amount: { min: 5 } } }).why).toBe(
      'the keyword pattern at note is not modelled',
    )
  })

  test('the catalog tells beforehand what is not modelled, and where', () => {
    const properties = {
      a: {
        type: 'array',
        items: { type: 'object', properties: { b: pattern }, additionalProperties: false },
      },
      c: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      d: { $ref: '#/$defs/d' },
      e: { type: 'number', multipleOf: 0.01 },
    }
    const entry = entryWith(
      properties,
      {},
      { $defs: { d: { type: 'array', items: { type: 'null' }, uniqueItems: true } } },
    )
    const operation = { system: 'payments', operation: 'refund' }
    expect(unmodelled({ operations: [entry] })).toEqual([
      { ...operation, keyword: 'oneOf', path: 'c' },
      { ...operation, keyword: 'uniqueItems', path: 'd' },
      { ...operation, keyword: 'pattern', path: 'a[].b' },
    ])
  })
})
