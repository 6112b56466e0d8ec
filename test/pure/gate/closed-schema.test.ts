import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'

/** Files of test/cases/schema: schemas that stand at `s`, and the path and code of each problem. */
interface SchemaCases {
  name: string
  cases: { name: string; schema: JsonObject; problems: string[] }[]
}

const folder = new URL('../../cases/schema/', import.meta.url)

function schemaCaseFiles(): SchemaCases[] {
  return readdirSync(folder).map(
    file => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as SchemaCases,
  )
}

const closed = { type: 'object', additionalProperties: false }
const name = { type: 'string' }

function problems(schema: JsonObject): string[] {
  return readSchema(schema, ['s']).errors.map(({ path, code }) => `${path}: ${code}`)
}

function withMember(member: JsonObject | boolean): JsonObject {
  return { ...closed, properties: { m: member } }
}

function withDefinitions($defs: JsonObject, member: JsonObject): JsonObject {
  return { ...closed, properties: { m: member }, $defs }
}

describe.each(schemaCaseFiles())('$name', ({ cases }) => {
  it.each(cases)('$name', ({ schema, problems: expected }) => {
    expect(problems(schema)).toEqual(expected)
  })
})

describe('an open level is named', () => {
  it('at any depth', () => {
    let schema: JsonObject = { type: 'object' }
    for (let depth = 0; depth < 20; depth += 1) schema = withMember(schema)
    expect(problems(schema)).toEqual([`s${'.properties.m'.repeat(20)}: open_object`])
  })
})

describe('keywords are refused', () => {
  it('but what only a reader needs is kept, with a warning where it seems to check', () => {
    const read = readSchema(
      withMember({
        ...name,
        title: 't',
        description: 'd',
        default: 'x',
        examples: ['y'],
        format: 'email',
        $comment: 'c',
      }),
      ['s'],
    )
    expect(read.errors).toEqual([])
    expect(read.warnings).toEqual([
      {
        path: 's.properties.m.format',
        code: 'not_checked',
        message: 'format tells a reader: nothing checks it',
      },
    ])
  })
})

describe('references', () => {
  it.each([
    'https://example.com/schema',
    'other.json#/$defs/d',
    '#',
    '#/properties/m',
    '#/$defs/d/properties/x',
    '#d',
    '/etc/passwd',
    '#/$defs/%64',
    '#/$defs/__proto__/constructor',
  ])('to %s stay inside', reference => {
    expect(problems(withDefinitions({ d: name }, { ...name, $ref: reference }))).toEqual([
      's.properties.m.$ref: outward_reference',
    ])
  })

  it.each(['gone', 'constructor', 'toString', '__proto__'])('to %s lead somewhere', gone => {
    expect(problems(withDefinitions({ d: name }, { ...name, $ref: `#/$defs/${gone}` }))).toEqual([
      's.properties.m.$ref: missing_definition',
    ])
  })

  it.each<[string, JsonObject]>([
    ['directly', { a: { $ref: '#/$defs/a' } }],
    ['in a ring', { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } }],
    ['through members', { a: { ...closed, properties: { next: { $ref: '#/$defs/a' } } } }],
  ])('do not recur %s', (_name, $defs) => {
    expect(
      problems(withDefinitions($defs, { $ref: '#/$defs/a' })).map(problem => problem.split(': ')[1]),
    ).toEqual(['recursive_reference'])
  })

  it('do not multiply', () => {
    const doubling = (index: number) => ({
      allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }],
    })
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index}`, doubling(index)]))
    expect(problems(withDefinitions({ ...$defs, d40: name }, { $ref: '#/$defs/d0' }))).toContain(
      's: too_many_checks',
    )
  })

  it('are not deeper written out than schemas may be', () => {
    const next = (index: number) => ({ $ref: `#/$defs/d${index + 1}` })
    const $defs = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`d${index}`, next(index)]))
    const found = problems(withDefinitions({ ...$defs, d1500: name }, { $ref: '#/$defs/d0' }))
    expect(found).toEqual([expect.stringMatching(/: too_deep$/)])
  })

  it('are measured once, wherever they lead', () => {
    const $defs = {
      d: { allOf: [{ $ref: '#/$defs/e' }, { $ref: '#/$defs/e' }] },
      e: { allOf: [{ $ref: '#/$defs/f' }] },
      f: name,
    }
    expect(
      problems(withDefinitions($defs, { anyOf: [{ $ref: '#/$defs/d' }, { $ref: '#/$defs/f' }] })),
    ).toEqual([])
  })
})

describe('size', () => {
  it('is bounded', () => {
    const huge = withMember({ enum: Array.from({ length: 20_000 }, (_, index) => index) })
    expect(problems(huge)).toEqual(['s: too_large'])
  })

  it('admits a long list of constants', () => {
    expect(problems(withMember({ enum: Array.from({ length: 5_000 }, (_, index) => index) }))).toEqual([])
  })

  it('counts the names that are required', () => {
    const required = Array.from({ length: 5_001 }, (_, index) => `n${index}`)
    expect(problems({ ...closed, required })).toEqual(['s: too_many_checks'])
  })

  it('of patterns is bounded together, each text counted once', () => {
    const patterned = (count: number, pattern: (index: number) => string): JsonObject => ({
      ...closed,
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`n${index}`, { ...name, pattern: pattern(index) }]),
      ),
    })
    expect(problems(patterned(400, () => '^.{900}$'))).toEqual([])
    const refused = problems(patterned(400, index => `^.{${600 + index}}$`))
    expect(refused.length).toBeGreaterThan(50)
    expect(new Set(refused.map(problem => problem.split(': ')[1]))).toEqual(new Set(['pattern_refused']))
  })
})
