import { z } from 'zod'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
export type JsonObject = { [name: string]: JsonValue }

/** Any JSON value. Its depth is not checked here, because the strict reader has already limited the depth. */
export const jsonValueSchema = z
  .custom<JsonValue>(value => value !== undefined, {
    message: 'a value is required',
    params: { code: 'invalid_type' },
  })
  .meta({ description: 'Any JSON value.' })

export const notAnObject = { message: 'must be an object', params: { code: 'invalid_type' } }

/**
 * Describes an object with any members. `additionalProperties` is explicit, because client generators would
 * otherwise read the object as empty.
 */
export const openObject = { type: 'object', additionalProperties: true } as const

/** A JSON object that has passed the strict reader. */
export const jsonObjectSchema = z.custom<JsonObject>(isPlainObject, notAnObject).meta(openObject)

/**
 * A JSON object that its handler validates as a whole, so that one answer reports all problems with their codes.
 * The public documents show the object as the component `id`.
 */
export function documentSchema(id: string) {
  return z
    .custom<JsonObject>(isPlainObject, notAnObject)
    .meta({ override: { $ref: `#/components/schemas/${id}` } })
}

export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Defines an own member of any name. A plain assignment to `__proto__` would change the prototype instead. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/**
 * Returns the value at a dot path, or undefined if there is none. The path leads only through own properties of
 * plain objects, never into arrays or inherited names (specification.md#the-gate).
 */
export function valueAt(parameters: JsonObject, segments: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = parameters
  for (const segment of segments) {
    if (!isPlainObject(current) || !Object.hasOwn(current, segment)) return undefined
    current = current[segment]
  }
  return current
}
