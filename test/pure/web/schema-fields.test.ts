import { describe, expect, it } from 'vitest'
import {
  fieldText,
  type SchemaField,
  schemaFields,
  withField,
} from '../../../api/web/panels/tools/schema-fields.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const schema: JsonObject = {
  ...object(
    {
      amount: { type: 'number', description: 'In euros.' },
      count: { type: 'integer' },
      note: { type: 'string' },
      urgent: { type: 'boolean' },
      currency: { enum: ['EUR', 'USD', null] },
      customer: object({ id: { $ref: '#/$defs/id' }, name: { type: 'string' } }, ['id']),
      lines: { type: 'array', items: { type: 'string' } },
      odd: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      nothing: object({}),
    },
    ['amount', 'customer'],
  ),
  $defs: { id: { type: 'string' } },
}
const fields = schemaFields(schema)
const named = (name: string): SchemaField => {
  const found = fields.find(({ path }) => path.join('.') === name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}

describe('the fields of a schema', () => {
  it('are one for each value, with its kind, and say what may be left out', () => {
    expect(fields.map(({ path, kind, required }) => [path.join('.'), kind, required])).toEqual([
      ['amount', 'number', true],
      ['count', 'number', false],
      ['note', 'text', false],
      ['urgent', 'choice', false],
      ['currency', 'choice', false],
      ['customer.id', 'text', true],
      ['customer.name', 'text', false],
      ['lines', 'json', false],
      ['odd', 'json', false],
      ['nothing', 'json', false],
    ])
    expect([named('amount').hint, named('lines').hint]).toEqual(['In euros.', 'A list, as JSON.'])
  })

  it('are few enough to be looked at', () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`m${index}`, { type: 'string' }]),
    )
    expect(schemaFields(object(many)).length).toBe(60)
  })
})

describe('what is typed', () => {
  it.each<[string, string, JsonObject]>([
    ['amount', '12.5', { amount: 12.5 }],
    ['amount', 'many', { amount: 'many' }],
    ['note', '12', { note: '12' }],
    ['urgent', 'false', { urgent: false }],
    ['currency', '"EUR"', { currency: 'EUR' }],
    ['currency', 'null', { currency: null }],
    ['customer.id', 'c-1', { customer: { id: 'c-1' } }],
    ['lines', '["a", "b"]', { lines: ['a', 'b'] }],
    ['lines', '["a"', { lines: '["a"' }],
  ])('of %s as %s is what is sent, and what the field shows', (name, text, parameters) => {
    const typed = withField(named(name), text, {})
    expect(typed).toEqual(parameters)
    expect(withField(named(name), fieldText(named(name), typed), {})).toEqual(parameters)
  })

  it('keeps the place of the others, and goes where it is emptied', () => {
    const given = { note: 'n', customer: { id: 'c-1' }, other: [1] }
    const changed = withField(named('customer.id'), 'c-2', given)
    expect(JSON.stringify(changed)).toBe('{"note":"n","customer":{"id":"c-2"},"other":[1]}')
    expect(withField(named('customer.id'), '', changed)).toEqual({ note: 'n', other: [1] })
    expect(withField(named('customer.id'), '', { customer: { id: 'c', name: 'N' } })).toEqual({
      customer: { name: 'N' },
    })
  })
})
