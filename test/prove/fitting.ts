import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import type { Chance } from './random.ts'
import { object, patterns, scalar, value } from './random-values.ts'

/** A value that mostly meets a schema. */
export function fitting(schema: JsonValue, pool: readonly JsonValue[], chance: Chance): JsonValue {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return anyOf(pool, chance)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return chance.one(schema.enum)
  const inner = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray)
  if (inner) return fitting(chance.one(inner), pool, chance)
  const type = Array.isArray(schema.type) ? chance.one(schema.type) : schema.type
  if (type === 'object') return fittingObject(schema, pool, chance)
  if (type === 'array') {
    const length = Number(schema.minItems ?? 0) + chance.below(3)
    return Array.from({ length }, () => fitting(schema.items ?? true, pool, chance))
  }
  if (type === 'string') return fittingText(schema, pool, chance)
  if (type === 'number' || type === 'integer') return fittingNumber(schema, pool, chance)
  return type === 'boolean' ? chance.maybe(0.5) : null
}

function fittingObject(schema: JsonObject, pool: readonly JsonValue[], chance: Chance): JsonObject {
  const required = Array.isArray(schema.required) ? schema.required : []
  const members = Object.entries((schema.properties ?? {}) as JsonObject).filter(
    ([name]) => required.includes(name) || chance.maybe(0.5),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, fitting(member, pool, chance)]))
}

function fittingText(schema: JsonObject, pool: readonly JsonValue[], chance: Chance): JsonValue {
  const [, matched] = patterns.find(([pattern]) => pattern === schema.pattern) ?? []
  if (matched && chance.maybe(0.6)) return chance.one(matched)
  const known = pool.filter(constant => typeof constant === 'string')
  if (known.length > 0 && chance.maybe(0.5)) return chance.one(known)
  return chance
    .one(['z', '7', 'a', 'xxxxx'])
    .repeat(chance.below(4))
    .slice(0, Number(schema.maxLength ?? 9))
}

function fittingNumber(schema: JsonObject, pool: readonly JsonValue[], chance: Chance): JsonValue {
  const known = pool.filter(constant => typeof constant === 'number')
  if (known.length > 0 && chance.maybe(0.5)) return chance.one(known)
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : chance.one([1, 0.25])
  const from = Number(schema.minimum ?? schema.exclusiveMinimum ?? -3)
  return Number((Math.ceil(from / step + chance.below(8)) * step).toFixed(6))
}

/** A value of the pool, or of the small world. */
export function anyOf(pool: readonly JsonValue[], chance: Chance): JsonValue {
  if (pool.length > 0 && chance.maybe(0.6)) return chance.one(pool)
  if (chance.maybe(0.5)) return scalar(chance)
  return chance.maybe(0.4) ? value(chance) : objectOf(pool, chance, 0)
}

function objectOf(pool: readonly JsonValue[], chance: Chance, depth: number): JsonObject {
  const members = Object.keys(object(chance))
  return Object.fromEntries(
    members.map(name => [
      name,
      depth < 2 && chance.maybe(0.3)
        ? objectOf(pool, chance, depth + 1)
        : chance.maybe(0.5) && pool.length > 0
          ? chance.one(pool)
          : scalar(chance),
    ]),
  )
}
