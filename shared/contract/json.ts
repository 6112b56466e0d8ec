import { z } from 'zod'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
export type JsonObject = { [name: string]: JsonValue }

/** Any JSON value. What arrives here has passed the strict reader, which bounded its depth; it is not walked again. */
export const jsonValueSchema = z
  .custom<JsonValue>(value => value !== undefined, 'a value is required')
  .meta({})

/** A JSON object that has passed the strict reader. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isPlainObject, 'must be an object')
  .meta({ type: 'object' })

export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
