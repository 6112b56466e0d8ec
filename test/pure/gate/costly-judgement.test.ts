import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'

/**
 * What one proposal may cost under a legal catalog, in time of the processor: 20 ms are meant, 100 are the bound, and without
 * bounds on everything that is looked at it was seconds. A busy machine takes longer for the same work, so the bound is a
 * multiple of plain work beside it that takes 50 ms on a quiet one.
 */
const timesPlainMax = 2
const plainRounds = 50

const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const under = (member: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { m: member },
  additionalProperties: false,
  ...more,
})
const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`)
const ofNames = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(names(count).map(name => [name, value]))
const shuffled = (length: number): string => {
  let seed = 7
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return 'abc'[seed % 3]
  }
  return Array.from({ length }, next).join('')
}
/** A number is judged often, and by many keywords each time. */
const bounds = { type: 'integer', minimum: 0, maximum: 9, exclusiveMinimum: -1, exclusiveMaximum: 10 }

const attacks: [string, JsonObject, JsonValue][] = [
  [
    'a pattern whose automaton is made anew all the time',
    under({ type: 'string', pattern: '(?:.*a.{9}b){1,20}$' }),
    shuffled(35_000),
  ],
  [
    'such a pattern and as long a text as it takes',
    under({ type: 'string', pattern: '(?:.*a.{9}b){1,20}$' }),
    shuffled(1_700),
  ],
  [
    'many keywords for each of many items',
    under(list({ type: 'integer', allOf: Array(600).fill({ $ref: '#/$defs/b' }) }), { $defs: { b: bounds } }),
    Array(1_990).fill(5),
  ],
  [
    'many names that many objects do not have',
    under(
      list({ type: 'object', properties: ofNames(1_500, { type: 'integer' }), additionalProperties: false }),
    ),
    Array.from({ length: 1_900 }, () => ({})),
  ],
  [
    'the names of a large object, counted again and again',
    under({
      type: 'object',
      patternProperties: { '^n': { type: 'integer' } },
      additionalProperties: false,
      allOf: Array(1_600).fill({ minProperties: 1 }),
    }),
    ofNames(1_900, 1),
  ],
  [
    'texts of items, made again and again',
    under(list({ type: 'string' }, { allOf: Array(1_200).fill({ uniqueItems: true }) })),
    Array.from({ length: 1_900 }, (_, at) => `${'x'.repeat(20)}${at}`),
  ],
  [
    'large constants, compared with each of many items',
    under(list({ enum: Array.from({ length: 900 }, (_, at) => ({ a: 1, b: 2, c: 3, d: at })) })),
    Array.from({ length: 390 }, () => ({ a: 1, b: 2, c: 3, d: -1 })),
  ],
  [
    'large patterns, none of which is compiled yet',
    under({
      type: 'string',
      allOf: Array.from({ length: 70 }, (_, at) => ({
        pattern: `^(?:a${at}|[a-z]{1,2}x|[^a-c]y{2}){0,80}$`,
      })),
    }),
    '',
  ],
]

const plain = Array.from({ length: 2_000 }, (_, at) => ({ name: `n${at}`, list: [at, at + 1, at + 2] }))

function plainWork(): void {
  for (let round = 0; round < plainRounds; round += 1) JSON.parse(JSON.stringify(plain))
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a proposal under a legal catalog', () => {
  it.each(attacks)('costs little with %s', (_what, schema, value) => {
    expect(readSchema(schema).errors).toEqual([])
    const before = cpuMsOf(plainWork)
    const cost = cpuMsOf(() => judgeParameters(schema, { m: value }))
    expect(cost).toBeLessThan(timesPlainMax * Math.max(before, cpuMsOf(plainWork)))
  })
})
