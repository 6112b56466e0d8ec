import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { definitionIn, definitionName } from '../json-schema/subschemas.ts'

/** What one level of a schema asks, read once: only what the profile models, so it may ask less than the schema. */
export interface Facts {
  /** Null where every type passes. */
  types: ReadonlySet<string> | null
  /** Members of `enum` and `const`; null where neither stands. */
  constants: readonly JsonValue[] | null
  bounds: readonly number[]
  /** The steps that a number has to be a multiple of. */
  steps: readonly number[]
  /** Lengths of texts from which something changes. */
  lengths: readonly number[]
  minItems: number
  maxItems: number
  properties: ReadonlyMap<string, JsonValue>
  required: readonly string[]
  /** No member but those of `properties`. */
  closed: boolean
  items: JsonValue | undefined
  /** Schemas that the same value meets as well. */
  all: readonly JsonValue[]
  /** Schemas of which the same value meets one. */
  any: readonly JsonValue[] | null
  /** Values that a reader would try. */
  samples: readonly JsonValue[]
  unmodelled: readonly string[]
}

/** Keywords that verification decides exactly (specification.md#verification-method), and those that check nothing. */
const modelled = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'enum', 'const'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'items', 'minItems', 'maxItems', 'anyOf', 'allOf', '$ref'],
  ...['$schema', '$defs', '$comment', 'title', 'description', 'default', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly', 'format', 'contentEncoding', 'contentMediaType'],
])

export function isModelled(keyword: string): boolean {
  return modelled.has(keyword)
}

/** `schema` stands in `root`, which the gate takes; false is a schema without types. */
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
    minItems: numbers('minItems')[0] ?? 0,
    maxItems: numbers('maxItems')[0] ?? Number.POSITIVE_INFINITY,
    properties: new Map(isPlainObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: listOf(schema.required).map(String),
    closed: schema.additionalProperties === false && schema.patternProperties === undefined,
    items: schema.prefixItems === undefined ? schema.items : undefined,
    all: [...listOf(schema.allOf), ...referred(schema.$ref, root)],
    any: Array.isArray(schema.anyOf) ? schema.anyOf : null,
    samples: [...(schema.default === undefined ? [] : [schema.default]), ...listOf(schema.examples)],
    unmodelled: Object.keys(schema).filter(keyword => !modelled.has(keyword)),
  }
}

const everything: Facts = {
  types: null,
  constants: null,
  bounds: [],
  steps: [],
  lengths: [],
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  properties: new Map(),
  required: [],
  closed: false,
  items: undefined,
  all: [],
  any: null,
  samples: [],
  unmodelled: [],
}

function typesOf(type: JsonValue | undefined): Set<string> | null {
  if (type === undefined) return null
  return new Set(Array.isArray(type) ? type.map(String) : [String(type)])
}

/** Both may stand: a value is then a member of both, which the gate's own judge tells. */
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
