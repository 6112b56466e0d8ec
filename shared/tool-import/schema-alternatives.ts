import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

export interface Alternatives {
  base: JsonObject
  variants: readonly JsonValue[]
  /** True if the document has more alternatives than are read. */
  cut: boolean
}

/** The most alternatives that are read, since no reviewer reads more. */
const variantsMax = 64

const words = new Set([
  'title',
  'description',
  'example',
  'examples',
  'default',
  'discriminator',
  'externalDocs',
  'xml',
])

/**
 * Returns the alternatives of `anyOf` or `oneOf`, or null. Both are treated as `anyOf`, because alternatives
 * of `oneOf` may overlap once they are closed. Variants that only state `required` count too.
 */
export function alternativesOf(schema: JsonObject): Alternatives | null {
  const { anyOf, oneOf, nullable, ...base } = schema
  const lists = [anyOf, oneOf].filter(Array.isArray).filter(list => list.length > 0)
  const [variants] = lists
  if (!variants) return null
  const more: JsonObject = lists.length > 1 ? { oneOf: lists[1] as JsonValue[] } : {}
  const wordless = Object.entries(base).filter(([name]) => !words.has(name) && !name.startsWith('x-'))
  return {
    base: { ...Object.fromEntries(wordless), ...more },
    cut: variants.length > variantsMax,
    variants: [...variants.slice(0, variantsMax), ...(nullable === true ? [{ type: 'null' }] : [])],
  }
}

export function isRequiredOnly(schema: JsonValue): boolean {
  return isPlainObject(schema) && Object.keys(schema).every(name => name === 'required' || words.has(name))
}
