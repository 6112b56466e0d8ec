import { z } from 'zod'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
export type JsonObject = { [name: string]: JsonValue }

/** Any JSON value. What arrives here has passed the strict reader, which bounded its depth; it is not walked again. */
export const jsonValueSchema = z
  .custom<JsonValue>(value => value !== undefined, {
    message: 'a value is required',
    params: { code: 'invalid_type' },
  })
  .meta({ description: 'Any JSON value.' })

/** What is told of a value that should have been an object. */
export const notAnObject = { message: 'must be an object', params: { code: 'invalid_type' } }

/**
 * What a document says of an object with any members. The last word is for generators of clients: they read an object
 * without it as one that must be empty.
 */
export const openObject = { type: 'object', additionalProperties: true } as const

/** A JSON object that has passed the strict reader. */
export const jsonObjectSchema = z.custom<JsonObject>(isPlainObject, notAnObject).meta(openObject)

/**
 * A JSON object that a flow validates as a whole, so that all its problems are told at once and with their codes. The
 * public documents show it as the component `id`.
 */
export function documentSchema(id: string) {
  return z
    .custom<JsonObject>(isPlainObject, notAnObject)
    .meta({ override: { $ref: `#/components/schemas/${id}` } })
}

export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Set a member of its own, whatever it is called: an assignment to `__proto__` would reach the prototype. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** A member of its own; undefined where there is none. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/**
 * The value a dot path leads to, undefined where it is missing. Only own properties of plain objects are walked:
 * arrays, scalars and inherited names end the walk (specification.md#the-gate).
 */
export function valueAt(parameters: JsonObject, segments: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = parameters
  for (const segment of segments) {
    if (!isPlainObject(current) || !Object.hasOwn(current, segment)) return undefined
    current = current[segment]
  }
  return current
}
