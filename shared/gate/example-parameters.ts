import { canonicalJson } from '../canon/canonical-json.ts'
import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
  valueAt,
} from '../contract/base/json.ts'
import type { NormalizedConstraint } from '../contract/configuration/policy.ts'

type Constraints = Readonly<Record<string, NormalizedConstraint>>

/**
 * Returns example parameters with required members only, for a catalog's schema (null if there is none) and the
 * policy's constraints. The policy may still deny the example, so the caller must let the gate decide about it.
 */
export function exampleParameters(schema: JsonObject | null, constraints: Constraints): JsonObject {
  const instance = schema ? exampleOf(schema, { root: schema, depth: 0, spent: { values: 0 } }) : {}
  const parameters = isPlainObject(instance) ? instance : {}
  for (const [path, constraint] of Object.entries(constraints)) {
    const segments = path.split('.')
    const present = valueAt(parameters, segments)
    if (present !== undefined || constraint.required)
      setAt(parameters, segments, satisfying(constraint, present))
  }
  return parameters
}

function satisfying(constraint: NormalizedConstraint, present: JsonValue | undefined): JsonValue {
  const { equals, one_of, min, max } = constraint
  if (equals !== undefined) return equals
  const inBounds = (value: JsonValue): boolean =>
    (min === undefined && max === undefined) ||
    (typeof value === 'number' && value >= (min ?? -Infinity) && value <= (max ?? Infinity))
  if (one_of) {
    const kept = one_of.find(
      value => present !== undefined && canonicalJson(value) === canonicalJson(present),
    )
    return kept ?? one_of.find(inBounds) ?? one_of[0] ?? null
  }
  if (present !== undefined && inBounds(present)) return present
  return min ?? max ?? 'example'
}

function setAt(root: JsonObject, segments: readonly string[], value: JsonValue): void {
  let holder = root
  for (const segment of segments.slice(0, -1)) {
    const next = memberOf(holder, segment)
    const child = isPlainObject(next) ? next : {}
    setMember(holder, segment, child)
    holder = child
  }
  const last = segments.at(-1)
  if (last !== undefined) setMember(holder, last, value)
}

const depthMax = 16
/** The maximum depth of lists and references. A deeper example would exceed the limits of a proposal. */
const valuesMax = 2_000
const textLengthMax = 1_000

interface Walk {
  root: JsonObject
  depth: number
  spent: { values: number }
}

function exampleOf(schema: JsonValue, walk: Walk): JsonValue {
  walk.spent.values += 1
  if (!isPlainObject(schema) || walk.depth > depthMax || walk.spent.values > valuesMax) return null
  const below = { ...walk, depth: walk.depth + 1 }
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0]
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref, walk.root), below)
  const branch = [schema.anyOf, schema.oneOf].find(Array.isArray)?.[0]
  if (branch !== undefined) return exampleOf(branch, below)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  const make = examples[typeof type === 'string' ? type : 'object']
  return make ? make(schema, below) : null
}

const examples: Record<string, (schema: JsonObject, below: Walk) => JsonValue> = {
  object(schema, below) {
    const properties = isPlainObject(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    return Object.fromEntries(
      required.map(name => [name, exampleOf(memberOf(properties, name) ?? {}, below)]),
    )
  },
  array(schema, below) {
    const items: JsonValue[] = []
    const count = Math.min(bound(schema.minItems) ?? 0, 100)
    while (items.length < count && below.spent.values < valuesMax) {
      items.push(exampleOf(schema.items ?? {}, below))
    }
    return items
  },
  string(schema) {
    const length = Math.min(bound(schema.minLength) ?? 0, textLengthMax)
    return 'example'.padEnd(length, '.').slice(0, bound(schema.maxLength) ?? textLengthMax)
  },
  number: numberOf,
  integer: schema => Math.ceil(numberOf(schema)),
  boolean: () => true,
  null: () => null,
}

function numberOf(schema: JsonObject): number {
  const step = bound(schema.multipleOf) ?? 1
  const above = bound(schema.exclusiveMinimum)
  const below = bound(schema.exclusiveMaximum)
  const least = bound(schema.minimum) ?? (above === undefined ? undefined : above + step)
  const most = bound(schema.maximum) ?? (below === undefined ? undefined : below - step)
  const wanted = Math.min(Math.max(step, least ?? step), most ?? Infinity)
  const found = Math.ceil(wanted / step) * step
  return Number.isFinite(found) ? found : 0
}

function bound(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function resolve(reference: string, root: JsonObject): JsonValue {
  if (!reference.startsWith('#/')) return {}
  return reference
    .slice(2)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonValue>(
      (at, part) => (isPlainObject(at) && Object.hasOwn(at, part) ? (at[part] ?? {}) : {}),
      root,
    )
}
