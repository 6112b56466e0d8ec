import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

/** What a schema says beside its alternatives, and each of these. */
export interface Alternatives {
  base: JsonObject
  variants: readonly JsonValue[]
}

/** More are more than anybody reviews. */
const variantsMax = 64

/** Words about all alternatives belong to none of them. */
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
 * The alternatives of `anyOf` or `oneOf`, where a schema has some: of `oneOf` more than one may hold once they are closed,
 * so both are read as `anyOf`. Those that only say what is required are alternatives too.
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
    variants: [...variants.slice(0, variantsMax), ...(nullable === true ? [{ type: 'null' }] : [])],
  }
}

/** Whether a schema says only which members are required. */
export function isRequiredOnly(schema: JsonValue): boolean {
  return isPlainObject(schema) && Object.keys(schema).every(name => name === 'required' || words.has(name))
}
