import { isPlainObject, type JsonObject } from '../contract/base/json.ts'
import type { HttpOperation } from '../contract/configuration/http-actuator-schema.ts'
import { isScalar } from './scalar-keywords.ts'

/** How the arrays of one request are written into its query and its form: one style for all of them. */
export type ArrayStyle = NonNullable<HttpOperation['arrays']>

/** The style of an array in a query or a form (OpenAPI 3.1, style values); null: the actuator does not write it. */
export function styleOfArray({ style = 'form', explode }: JsonObject): ArrayStyle | null {
  if (style === 'form') return explode === false ? 'comma' : 'repeat'
  // OpenAPI says of it what becomes of an object; of an array those who use it mean `a[]=1&a[]=2`.
  return style === 'deepObject' ? 'brackets' : null
}

/** An array whose items are texts, numbers or truth values. */
export function isList({ type, items }: JsonObject): boolean {
  return type === 'array' && isPlainObject(items) && isScalar(items)
}
