import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import type { PatternReader } from '../json-schema/linear-pattern.ts'

/** Returns the bounds of a text or number in the form of JSON Schema 2020-12. Other types have no bounds. */
export function scalarKeywords(type: string, schema: JsonObject, patterns: PatternReader): JsonObject {
  if (type === 'string') return textBounds(schema, patterns)
  return type === 'integer' || type === 'number' ? numberBounds(schema) : {}
}

/**
 * Returns the bounds of a text. A pattern that cannot run in linear time is omitted; the downstream still
 * checks it.
 */
function textBounds({ minLength, maxLength, pattern }: JsonObject, patterns: PatternReader): JsonObject {
  return {
    ...(isCount(minLength) ? { minLength } : {}),
    ...(isCount(maxLength) ? { maxLength } : {}),
    ...(typeof pattern === 'string' && patterns(pattern).ok ? { pattern } : {}),
  }
}

/** Reads bounds of OpenAPI 3.0 as well, in which a boolean says that a bound is exclusive. */
function numberBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema
  return {
    ...bound('minimum', 'exclusiveMinimum', minimum, above),
    ...bound('maximum', 'exclusiveMaximum', maximum, below),
    ...(isNumber(multipleOf) && multipleOf > 0 ? { multipleOf } : {}),
  }
}

/**
 * Omits a bound that every valid number meets, since a double would lose its digits (such as 2^63 - 1). A
 * bound that no valid number meets is kept, so that the catalog refuses it.
 */
function bound(
  included: string,
  excluded: string,
  value: JsonValue | undefined,
  exclusive: JsonValue | undefined,
): JsonObject {
  const isExcluded = exclusive === true
  const isBound = (given: JsonValue | undefined): given is number =>
    isNumber(given) &&
    (included === 'minimum' ? given >= Number.MIN_SAFE_INTEGER : given <= Number.MAX_SAFE_INTEGER)
  return {
    ...(isBound(value) ? { [isExcluded ? excluded : included]: value } : {}),
    ...(isBound(exclusive) ? { [excluded]: exclusive } : {}),
  }
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

export function isScalar(schema: JsonObject): boolean {
  const isValue = (value: JsonValue): boolean => value === null || typeof value !== 'object'
  if (Array.isArray(schema.enum)) return schema.enum.every(isValue)
  if (schema.const !== undefined) return isValue(schema.const)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.every(one => isPlainObject(one) && isScalar(one))
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? '']
  return types.every(type => ['string', 'integer', 'number', 'boolean', 'null'].includes(String(type)))
}
