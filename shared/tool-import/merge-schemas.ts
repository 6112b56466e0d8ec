import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import { resolve } from './references.ts'
import { Open } from './why-open.ts'

export interface Merging {
  document: JsonObject
  path: string
  trail: readonly string[]
}

export interface Flattened {
  schema: JsonObject
  trail: readonly string[]
}

export function flatten(value: JsonValue, merging: Merging): Flattened | Open {
  const resolved = resolve(merging.document, value, merging)
  if (resolved instanceof Open) return resolved
  if (!isPlainObject(resolved.value)) return new Open('any_value', merging.path)
  const { allOf, ...own } = resolved.value
  if (!Array.isArray(allOf)) return { schema: resolved.value, trail: resolved.trail }
  let { trail } = resolved
  let schema: JsonObject = {}
  for (const part of [own, ...allOf]) {
    const flat = flatten(part, { ...merging, trail: resolved.trail })
    if (flat instanceof Open) return flat
    const merged = mergeSchemas(schema, flat.schema, merging.path)
    if (merged instanceof Open) return merged
    schema = merged
    trail = [...new Set([...trail, ...flat.trail])]
  }
  return { schema, trail }
}

type Merge = (left: JsonValue, right: JsonValue) => JsonValue | undefined

const least: Merge = (left, right) => Math.min(Number(left), Number(right))
const most: Merge = (left, right) => Math.max(Number(left), Number(right))
const either: Merge = (left, right) => left === true || right === true
const both: Merge = (left, right) => left === true && right === true
const first: Merge = left => left
const schemas: Merge = (left, right) => (same(left, right) ? left : { allOf: [left, right] })

/** Functions that merge two values of a keyword. They return undefined if the values contradict each other. */
const merges: Readonly<Record<string, Merge>> = {
  type: (left, right) => common(typesIn(left), typesIn(right)),
  enum: (left, right) => common(listOf(left), listOf(right)),
  required: (left, right) => [...new Set([...listOf(left), ...listOf(right)])],
  properties: mergeProperties,
  items: schemas,
  minimum: most,
  exclusiveMinimum: (left, right) => (typeof left === 'number' ? most(left, right) : either(left, right)),
  maximum: least,
  exclusiveMaximum: (left, right) => (typeof left === 'number' ? least(left, right) : either(left, right)),
  minLength: most,
  maxLength: least,
  minItems: most,
  maxItems: least,
  minProperties: most,
  maxProperties: least,
  uniqueItems: either,
  nullable: both,
  readOnly: either,
  writeOnly: either,
  additionalProperties: (left, right) => (left === false && right === false ? false : left),
  const: (left, right) => (same(left, right) ? left : undefined),
}

const composing = new Set(['anyOf', 'oneOf'])

export function mergeSchemas(left: JsonObject, right: JsonObject, path: string): JsonObject | Open {
  const merged = new Map(Object.entries(left))
  for (const [name, value] of Object.entries(right)) {
    const known = merged.get(name)
    if (known === undefined) merged.set(name, value)
    if (known === undefined || same(known, value)) continue
    if (composing.has(name)) return new Open('no_alternative', path)
    const together = (merges[name] ?? first)(known, value)
    if (together === undefined) return new Open('contradictory', path)
    merged.set(name, together)
  }
  return Object.fromEntries(merged)
}

function mergeProperties(left: JsonValue, right: JsonValue): JsonValue | undefined {
  if (!isPlainObject(left) || !isPlainObject(right)) return undefined
  const merged = new Map(Object.entries(left))
  for (const [name, value] of Object.entries(right)) {
    const known = memberOf(left, name)
    merged.set(name, known === undefined ? value : (schemas(known, value) as JsonValue))
  }
  return Object.fromEntries(merged)
}

function common(left: readonly JsonValue[], right: readonly JsonValue[]): JsonValue[] | undefined {
  const shared = left.filter(value => right.some(other => same(value, other)))
  return shared.length === 0 ? undefined : shared
}

/**
 * Adds `integer` to a list of types that has `number`, so that merging `number` with `integer` keeps
 * `integer`.
 */
function typesIn(value: JsonValue): JsonValue[] {
  const types = Array.isArray(value) ? value : [value]
  return types.includes('number') ? [...new Set([...types, 'integer'])] : types
}

function listOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function same(left: JsonValue, right: JsonValue): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right)
}
