import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { definitionIn, definitionName } from '../json-schema/subschemas.ts'
import { atomsOf } from './keyword-treatment.ts'

/**
 * Facts of one level of a schema. They may demand less than the schema, because they cover only modelled
 * keywords.
 */
export interface Facts {
  types: ReadonlySet<string> | null
  /** Members of `enum` and `const`; null if the schema has neither. */
  constants: readonly JsonValue[] | null
  bounds: readonly number[]
  steps: readonly number[]
  /** Text lengths at which the result of the schema changes. */
  lengths: readonly number[]
  patterns: readonly string[]
  minItems: number
  maxItems: number
  properties: ReadonlyMap<string, JsonValue>
  required: readonly string[]
  closed: boolean
  items: JsonValue | undefined
  all: readonly JsonValue[]
  any: readonly JsonValue[] | null
  /** Schemas inside opaque keywords that apply to the same value. The value may have to meet or to break these. */
  told: readonly JsonValue[]
  /** Schemas to try, because a value that meets one of these is likelier to meet an opaque keyword. */
  guesses: readonly JsonValue[]
  /** Schemas of the first items (`prefix`) and of all later items (`rest`). Both count as opaque. */
  prefix: readonly JsonValue[]
  rest: JsonValue | undefined
  samples: readonly JsonValue[]
  /** Texts of the opaque keywords. Equal texts are the same atom. */
  atoms: readonly string[]
}

/** Reads a schema within a sound `root`. The schema `false` becomes a schema that admits no type. */
export function readFacts(schema: JsonValue, root: JsonObject): Facts {
  if (!isPlainObject(schema)) return schema === false ? { ...everything, types: new Set() } : everything
  const of = (keyword: string) => schema[keyword]
  const numbers = (...names: string[]) => names.map(of).filter(value => typeof value === 'number')
  const types = typesOf(schema.type)
  return {
    types,
    constants: constantsOf(schema),
    bounds: numbers('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    steps: [...numbers('multipleOf'), ...(types?.has('integer') && !types.has('number') ? [1] : [])],
    lengths: [...numbers('minLength'), ...numbers('maxLength').map(length => length + 1)],
    patterns: typeof schema.pattern === 'string' ? [schema.pattern] : [],
    minItems: numbers('minItems')[0] ?? 0,
    maxItems: numbers('maxItems')[0] ?? Number.POSITIVE_INFINITY,
    properties: new Map(isPlainObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: listOf(schema.required).map(String),
    closed: schema.additionalProperties === false && schema.patternProperties === undefined,
    items: schema.prefixItems === undefined ? schema.items : undefined,
    all: [...listOf(schema.allOf), ...referred(schema.$ref, root)],
    any: Array.isArray(schema.anyOf) ? schema.anyOf : null,
    told: toldBeside(schema),
    guesses: guessesOf(schema),
    prefix: listOf(schema.prefixItems),
    rest: schema.prefixItems === undefined ? undefined : schema.items,
    samples: [...(schema.default === undefined ? [] : [schema.default]), ...listOf(schema.examples)],
    atoms: atomsOf(schema, root),
  }
}

const everything: Facts = {
  types: null,
  constants: null,
  bounds: [],
  steps: [],
  lengths: [],
  patterns: [],
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  properties: new Map(),
  required: [],
  closed: false,
  items: undefined,
  all: [],
  any: null,
  told: [],
  guesses: [],
  prefix: [],
  rest: undefined,
  samples: [],
  atoms: [],
}

function toldBeside({
  oneOf,
  not,
  if: condition,
  then: met,
  else: unmet,
  dependentSchemas,
}: JsonObject): JsonValue[] {
  const dependent = isPlainObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [
    ...listOf(oneOf),
    ...[not, condition, met, unmet].filter(schema => schema !== undefined),
    ...dependent,
  ]
}

function guessesOf(schema: JsonObject): JsonValue[] {
  const {
    oneOf,
    if: condition,
    then: met = true,
    else: unmet,
    contains,
    minContains = 1,
    properties,
  } = schema
  const needed = ['minProperties', 'dependentRequired', 'dependentSchemas'].some(name =>
    Object.hasOwn(schema, name),
  )
  const dependent = isPlainObject(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : []
  return [
    ...listOf(oneOf),
    ...(condition === undefined ? [] : [{ allOf: [condition, met] }]),
    ...(unmet === undefined ? [] : [unmet]),
    ...(contains === undefined ? [] : [{ items: contains, minItems: minContains }]),
    ...(needed && isPlainObject(properties) ? [{ required: Object.keys(properties), allOf: dependent }] : []),
  ]
}

function typesOf(type: JsonValue | undefined): Set<string> | null {
  if (type === undefined) return null
  return new Set(Array.isArray(type) ? type.map(String) : [String(type)])
}

/** Merges `enum` and `const`. If a schema has both, the gate's own check decides about each value. */
function constantsOf(schema: JsonObject): JsonValue[] | null {
  if (schema.enum === undefined && schema.const === undefined) return null
  return [...listOf(schema.enum), ...(schema.const === undefined ? [] : [schema.const])]
}

function referred(reference: JsonValue | undefined, root: JsonObject): JsonValue[] {
  const name = definitionName(reference)
  return name === null ? [] : [definitionIn(root, name) ?? false]
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}
