import { isPlainObject, type JsonObject } from '../contract/base/json.ts'
import type { HttpOperation } from '../contract/configuration/http-actuator-schema.ts'
import { isScalar } from './scalar-keywords.ts'

export type ArrayStyle = NonNullable<HttpOperation['arrays']>

/** Returns how the actuator writes an array (OpenAPI 3.1, style values), or null if it cannot write the style. */
export function styleOfArray({ style = 'form', explode }: JsonObject): ArrayStyle | null {
  if (style === 'form') return explode === false ? 'comma' : 'repeat'
  // OpenAPI defines deepObject for objects only, but documents that use it for arrays expect `a[]=1&a[]=2`.
  return style === 'deepObject' ? 'brackets' : null
}

export function isList({ type, items }: JsonObject): boolean {
  return type === 'array' && isPlainObject(items) && isScalar(items)
}
