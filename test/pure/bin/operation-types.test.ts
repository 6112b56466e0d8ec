import { expect, test } from 'vitest'
import { operationTypes } from '../../../api/bin/operation-types.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'

/** The type that is written for a schema. */
function typed(schema: JsonObject): string {
  const text = operationTypes([{ system: 's', operation: 'o', title: 't', schema }], 'here')
  return /"s\.o": (.*)$/m.exec(text)?.[1] ?? text
}

const text = { type: 'string' }

test.each<[string, JsonObject, string]>([
  [
    'members',
    { type: 'object', properties: { a: text, b: text }, required: ['a'] },
    '{ "a": string; "b"?: string }',
  ],
  ['no members', { type: 'object', additionalProperties: false }, 'object'],
  ['other members', { type: 'object', additionalProperties: text }, 'object & { [name: string]: unknown }'],
  ['numbers and null', { type: ['integer', 'number', 'null'] }, '(number) | (null)'],
  ['choices', { type: 'string', enum: ['a', 'b'] }, '("a") | ("b")'],
  ['a constant', { const: 3 }, '3'],
  ['a constant of parts', { const: { a: 1 } }, 'unknown'],
  ['lists', { type: 'array', items: text }, 'Array<string>'],
  [
    'places of a list',
    { type: 'array', prefixItems: [text, { type: 'number' }], items: false, minItems: 1 },
    '[(string), (number)?]',
  ],
  ['alternatives', { anyOf: [text, { type: 'number' }] }, '(string) | (number)'],
  [
    'alternatives that say no type',
    { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'a' }] },
    'string',
  ],
  [
    'parts together',
    { type: 'object', properties: { a: text }, allOf: [{ type: 'object', properties: { b: text } }] },
    '({ "a"?: string }) & ({ "b"?: string })',
  ],
  ['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': text } }, 'string'],
  ['a reference to nothing', { $ref: '#/$defs/a' }, 'unknown'],
  ['nothing', {}, 'unknown'],
])('the type of %s is written', (_, schema, type) => {
  expect(typed(schema)).toBe(type)
})

test('a title cannot leave its comment', () => {
  const hostile = { system: 's', operation: 'o', title: 'x */ evil() /*\n// y', schema: {} }
  const lines = operationTypes([hostile], 'here\nevil()').split('\n')
  expect(lines.filter(line => line.includes('*/')).every(line => line.trimEnd().endsWith('*/'))).toBe(true)
  expect(lines.filter(line => /^\s*evil/.test(line))).toEqual([])
  expect(lines.join('\n').match(/\*\//g)).toHaveLength(2)
})

test('two operations that come to one name fit either', () => {
  const one = { title: 't', schema: text as JsonObject }
  const other = { title: 'u', schema: { type: 'number' } as JsonObject }
  const written = operationTypes(
    [
      { ...one, system: 'a.b', operation: 'c' },
      { ...other, system: 'a', operation: 'b.c' },
    ],
    'here',
  )
  expect(written).toContain('"a.b.c": (string) | (number)')
})
