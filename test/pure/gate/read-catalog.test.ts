import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import { catalogEntry } from './gate-case.ts'

function catalogOf(...entries: Partial<CatalogOperation>[]): { operations: CatalogOperation[] } {
  return { operations: entries.map(catalogEntry) }
}

function accepted(value: unknown) {
  const read = readCatalog(value)
  if (!read.ok) throw new Error(JSON.stringify(read.issues))
  return read
}

function issuesOf(value: unknown): string[] {
  const read = readCatalog(value)
  if (read.ok) throw new Error('the catalog is accepted')
  return read.issues.map(issue => `${issue.path}: ${issue.code}`)
}

describe('normalized form', () => {
  it('sorts operations by system and operation, and effects as a set', () => {
    const { catalog } = accepted(
      catalogOf(
        { system: 'b' },
        { operation: 'z' },
        { operation: 'B', effects: ['y', 'x', 'y', 'X'] },
        { system: 'B' },
      ),
    )
    expect(catalog.operations.map(({ system, operation }) => `${system} ${operation}`)).toEqual([
      'B op',
      'b op',
      's B',
      's z',
    ])
    expect(catalog.operations[2]?.effects).toEqual(['X', 'x', 'y'])
  })

  it('has a hash over its canonical text, of the kind catalog', () => {
    const one = accepted(catalogOf({ operation: 'a', effects: ['x', 'y'] }, { operation: 'b' }))
    const other = accepted(catalogOf({ operation: 'b' }, { operation: 'a', effects: ['y', 'x', 'x'] }))
    expect(one.hash).toBe(other.hash)
    expect(one.hash).toBe(documentHash('catalog', canonicalJson(one.catalog as unknown as JsonValue)))
    expect(one.hash).not.toBe(accepted(catalogOf({ operation: 'b' })).hash)
    expect(accepted(one.catalog)).toMatchObject({ catalog: one.catalog, hash: one.hash })
  })

  it('keeps schemas as they were written, names that every object inherits too', () => {
    const parameter_schema = {
      type: 'object',
      properties: { constructor: { enum: ['b', 'a', 'b'] }, toString: { const: { valueOf: 1.0 } } },
      additionalProperties: false,
    }
    const { catalog } = accepted(
      catalogOf({ system: 'constructor', operation: 'toString', parameter_schema }),
    )
    expect(catalog.operations[0]?.parameter_schema).toEqual(parameter_schema)
  })

  it('does not share anything with its input', () => {
    const input = catalogOf({ effects: ['x'] })
    const { catalog } = accepted(input)
    input.operations[0]?.effects.push('y')
    expect(catalog.operations[0]?.effects).toEqual(['x'])
  })

  it('may hold no operations', () => {
    expect(accepted({ operations: [] })).toMatchObject({ catalog: { operations: [] }, warnings: [] })
  })
})

describe('refusals', () => {
  it('are reported all at once: of the shape, of schemas, and of double entries', () => {
    const { tool_schema_hash: _left, ...incomplete } = catalogEntry({ operation: 'x' })
    const problems = issuesOf({
      operations: [
        catalogEntry({ parameter_schema: { type: 'object', properties: { a: { type: 'object' } } } }),
        { ...catalogEntry({ minimum_risk: 'none' as 'low' }), surplus: 1 },
        incomplete,
        catalogEntry({
          operation: 'y',
          parameter_schema: { ...catalogEntry({}).parameter_schema, $ref: 'http://x' },
        }),
      ],
    })
    expect(problems.sort()).toEqual([
      'operations[0].parameter_schema.properties.a: open_object',
      'operations[0].parameter_schema: open_object',
      'operations[1].minimum_risk: invalid_value',
      'operations[1].surplus: unknown_field',
      'operations[1]: duplicate_operation',
      'operations[2].tool_schema_hash: invalid_type',
      'operations[3].parameter_schema.$ref: outward_reference',
    ])
  })

  it('name the entry that came first', () => {
    const read = readCatalog(catalogOf({}, { operation: 'other' }, {}))
    expect(read).toMatchObject({
      issues: [
        {
          path: 'operations[2]',
          code: 'duplicate_operation',
          message: 'is entered before, as operations[0]',
        },
      ],
    })
  })

  it.each([null, undefined, 1, [], {}, { operations: {} }, { operations: [1] }])(
    '%j is no catalog',
    value => {
      expect(issuesOf(value).length).toBeGreaterThan(0)
    },
  )

  it.each([
    ['an entry', '{"operations":[{"__proto__":1}]}', 'operations[0].__proto__'],
    [
      'a parameter',
      '{"operations":[{"parameter_schema":{"properties":{"__proto__":{"type":"string"}}}}]}',
      'operations[0].parameter_schema.properties.__proto__',
    ],
  ])('__proto__ as the name of %s', (_name, text, path) => {
    expect(issuesOf(JSON.parse(text))).toEqual([`${path}: reserved_name`])
  })

  it('nesting beyond what is read, without recursion', () => {
    let schema: JsonValue = {}
    for (let depth = 0; depth < 100_000; depth += 1) schema = { not: schema }
    expect(issuesOf(catalogOf({ parameter_schema: { not: schema } }))[0]).toMatch(/: too_deep$/)
  })

  it('read one pattern once for all operations', () => {
    const parameter_schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^[a-z]{900}$' } },
      additionalProperties: false,
    }
    const many = Array.from({ length: 300 }, (_, index) => ({ operation: `op${index}`, parameter_schema }))
    expect(accepted(catalogOf(...many)).warnings).toEqual([])
  })
})

describe('warnings', () => {
  it('name entries that admit nothing or say little, and keywords that check nothing', () => {
    const { warnings } = accepted(
      catalogOf(
        { actuator: { name: 'other', kind: 'mock' } },
        { operation: 'b', actuator: { name: 's', kind: 'carrier-pigeon' } },
        { operation: 'c', tool_schema_hash: `sha256:${'0'.repeat(64)}` },
        { operation: 'd', effects: [] },
        {
          operation: 'e',
          parameter_schema: {
            type: 'object',
            properties: { when: { type: 'string', format: 'date' } },
            additionalProperties: false,
          },
        },
      ),
    )
    expect(warnings.map(({ path, code }) => `${path}: ${code}`)).toEqual([
      'operations[4].parameter_schema.properties.when.format: not_checked',
      'operations[0].actuator: binding_never_matches',
      'operations[1].actuator: binding_never_matches',
      'operations[2].tool_schema_hash: commitment_never_matches',
      'operations[3].effects: no_effects',
    ])
  })
})
