import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import type { Chance } from './random.ts'
import { innerNames, names, numberOf, patterns, scalar, value } from './random-values.ts'

/** A parameter schema within the closed profile, or with keywords outside it as well. */
export function parameterSchema(chance: Chance, options: { outside: boolean }): JsonObject {
  const top = objectSchema(chance, { known: names, depth: 0, ...options })
  if (!chance.maybe(0.1)) return top
  const branches = Array.from({ length: 1 + chance.below(2) }, () =>
    objectSchema(chance, { known: names, depth: 0, ...options }),
  )
  return {
    type: 'object',
    anyOf: branches,
    ...(chance.maybe(0.5) ? { properties: {} } : {}),
    ...closing(branches),
  }
}

/** A closed top over closed branches: what all of them may have. */
function closing(branches: JsonObject[]): JsonObject {
  const known = branches.flatMap(({ properties }) => Object.keys((properties ?? {}) as JsonObject))
  return {
    properties: Object.fromEntries(known.map(name => [name, anything])),
    additionalProperties: false,
  }
}

const anything: JsonObject = { enum: [null, true, 1, 2, 'a', 'ab', [], {}] }

interface Options {
  known: readonly string[]
  depth: number
  outside: boolean
}

function objectSchema(chance: Chance, options: Options): JsonObject {
  const { known, depth, outside } = options
  const properties = chance.some(known, 0.8)
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map(name => [name, schema(chance, { known: innerNames, depth: depth + 1, outside })]),
    ),
    additionalProperties: false,
    ...(chance.maybe(0.6) ? { required: chance.some(properties, 0.5) } : {}),
    ...(outside && chance.maybe(0.15) ? { minProperties: chance.below(3) } : {}),
    ...(outside && chance.maybe(0.1) ? { maxProperties: chance.below(3) } : {}),
  }
}

function schema(chance: Chance, options: Options): JsonValue {
  const kinds = [text, few, few, number, number, integer, constants, simple, list, nested, either]
  const make =
    options.depth > 2 ? chance.one([text, few, number, integer, constants, simple]) : chance.one(kinds)
  const made = make(chance, options)
  if (options.outside && chance.maybe(0.08)) return { ...made, not: { const: scalar(chance) } }
  return made
}

function text(chance: Chance): JsonObject {
  return {
    type: 'string',
    ...(chance.maybe(0.4) ? { minLength: chance.below(4) } : {}),
    ...(chance.maybe(0.4) ? { maxLength: chance.below(5) } : {}),
    ...(chance.maybe(0.5) ? { pattern: chance.one(patterns)[0] } : {}),
    ...(chance.maybe(0.2) ? { format: chance.one(['uuid', 'date', 'email']) } : {}),
  }
}

function number(chance: Chance): JsonObject {
  return {
    type: chance.maybe(0.2) ? ['number', 'null'] : 'number',
    ...(chance.maybe(0.4) ? { minimum: numberOf(chance) } : {}),
    ...(chance.maybe(0.4) ? { maximum: numberOf(chance) } : {}),
    ...(chance.maybe(0.2) ? { exclusiveMinimum: numberOf(chance) } : {}),
    ...(chance.maybe(0.2) ? { exclusiveMaximum: numberOf(chance) } : {}),
    ...(chance.maybe(0.3) ? { multipleOf: chance.one([1, 2, 3, 0.5, 0.1, 0.3]) } : {}),
  }
}

function integer(chance: Chance, options: Options): JsonObject {
  return {
    ...number(chance),
    type: options.depth > 1 && chance.maybe(0.2) ? ['integer', 'string'] : 'integer',
  }
}

function constants(chance: Chance): JsonObject {
  if (chance.maybe(0.4)) return { const: value(chance) }
  return { enum: Array.from({ length: 1 + chance.below(3) }, () => value(chance)) }
}

const pair: JsonObject = {
  type: 'object',
  properties: { r: { type: 'boolean' }, s: { type: 'integer', minimum: 1, maximum: 5 } },
  additionalProperties: false,
}

/** So few values that all of them can be excluded. */
function few(chance: Chance): JsonObject {
  return chance.one<JsonObject>([
    { type: 'boolean' },
    pair,
    { ...pair, required: ['r'] },
    { type: 'array', items: { enum: [1, 2] }, maxItems: 1 + chance.below(2) },
    { enum: [1, 2] },
    { const: 'a' },
    { type: 'integer', minimum: 1, maximum: 2 },
    { type: 'integer', minimum: 1, maximum: 4 + chance.below(3) },
    { type: 'array', items: { type: 'integer', minimum: 1, maximum: 5 }, maxItems: 1 },
    { type: 'string', maxLength: 0 },
  ])
}

function simple(chance: Chance): JsonObject {
  return {
    type: chance.one<JsonValue>(['boolean', 'null', 'string', ['boolean', 'null'], ['string', 'number']]),
  }
}

function list(chance: Chance, options: Options): JsonObject {
  return {
    type: 'array',
    items: schema(chance, { ...options, depth: options.depth + 1 }),
    ...(chance.maybe(0.4) ? { minItems: chance.below(3) } : {}),
    ...(chance.maybe(0.4) ? { maxItems: chance.below(4) } : {}),
    ...(options.outside && chance.maybe(0.3) ? { uniqueItems: true } : {}),
  }
}

function nested(chance: Chance, options: Options): JsonObject {
  return objectSchema(chance, options)
}

function either(chance: Chance, options: Options): JsonObject {
  const branches = Array.from({ length: 2 + chance.below(2) }, () =>
    schema(chance, { ...options, depth: options.depth + 1 }),
  )
  if (options.outside && chance.maybe(0.3)) return { oneOf: branches }
  return chance.maybe(0.2) ? { allOf: branches } : { anyOf: branches }
}
