import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { exampleParameters } from '../../../shared/gate/example-parameters.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import { hostileTenants } from '../../contract/hostile-documents.ts'

const closed = { type: 'object', additionalProperties: false }

describe('an example for documents that somebody means ill with', () => {
  it('is JSON of a bounded size, whatever the catalog asks for', () => {
    let read = 0
    fc.assert(
      fc.property(hostileTenants, ({ catalog }) => {
        const valid = readCatalog(JSON.parse(JSON.stringify(catalog ?? null)))
        if (!valid.ok) return
        read += 1
        for (const { parameter_schema } of valid.catalog.operations) {
          expectReadable(exampleParameters(parameter_schema, {}))
        }
      }),
      { numRuns: 2_000, seed: 2026 },
    )
    expect(read).toBeGreaterThan(100)
  })

  const lists = (depth: number): JsonValue =>
    depth === 0 ? { type: 'null' } : { type: 'array', minItems: 100, items: lists(depth - 1) }

  it.each<[string, JsonValue]>([
    ['a text of 2^53-1 characters', { type: 'string', minLength: Number.MAX_SAFE_INTEGER }],
    ['lists of lists of a hundred', lists(8)],
    ['a number beyond every double', { type: 'number', minimum: 1.7e308, multipleOf: 1e-300 }],
    ['a number above the highest', { type: 'number', exclusiveMinimum: 1.7e308, multipleOf: 1.7e308 }],
  ])('is JSON where the schema asks for %s', (_, schema) => {
    expectReadable(exampleParameters({ ...closed, properties: { a: schema }, required: ['a'] }, {}))
  })

  it('of a document stored before __proto__ was refused has it as a member', () => {
    const required = { required: true, min: 1 }
    const made = exampleParameters({ ...closed, required: ['__proto__'] }, { 'a.__proto__.b': required })
    expect(JSON.stringify(made)).toBe('{"__proto__":{},"a":{"__proto__":{"b":1}}}')
  })
})

function expectReadable(value: JsonValue): void {
  const text = canonicalJson(value)
  expect(text.length).toBeLessThan(200_000)
  expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text)
}
