import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import { Open } from './why-open.ts'

export interface Resolved {
  value: JsonValue
  trail: readonly string[]
}

/** The longest chain of references to follow. A longer chain counts as a circle. */
const chainMax = 50

/** Follows references within one document. It never fetches another document. */
export function resolve(
  document: JsonObject,
  value: JsonValue,
  place: { path: string; trail: readonly string[] },
): Resolved | Open {
  let at = value
  let { trail } = place
  for (let step = 0; step < chainMax; step += 1) {
    const reference = isPlainObject(at) ? memberOf(at, '$ref') : undefined
    if (typeof reference !== 'string') return { value: at, trail }
    if (trail.includes(reference)) return new Open('recursive', place.path)
    if (!reference.startsWith('#')) return new Open('external_reference', place.path)
    const names = pointerOf(reference)
    const found = names && lookUp(document, names)
    if (found === undefined || names === null) return new Open('missing_reference', place.path)
    const beside = siblingsOf(at as JsonObject)
    trail = [...trail, reference]
    if (beside) return { value: { allOf: [found, beside] }, trail }
    at = found
  }
  return new Open('recursive', place.path)
}

export function objectAt(document: JsonObject, value: JsonValue | undefined): JsonObject | null {
  if (value === undefined) return null
  const resolved = resolve(document, value, { path: '', trail: [] })
  if (resolved instanceof Open) return null
  return isPlainObject(resolved.value) ? resolved.value : null
}

/** Returns the names in a JSON Pointer, or null if the reference is no pointer or leads outside the document. */
export function pointerOf(reference: string): string[] | null {
  const pointer = reference.startsWith('#') ? decoded(reference.slice(1)) : null
  if (pointer === '') return []
  if (!pointer?.startsWith('/')) return null
  return pointer
    .slice(1)
    .split('/')
    .map(escaped => escaped.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function lookUp(document: JsonObject, names: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = document
  for (const name of names) {
    if (Array.isArray(at)) at = /^\d+$/.test(name) ? at[Number(name)] : undefined
    else at = isPlainObject(at) ? memberOf(at, name) : undefined
  }
  return at
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const words = new Set(['$ref', 'description', 'summary', 'title'])

/**
 * Returns the keywords beside a reference, because they narrow the target (JSON Schema 2020-12). Title and
 * description are left out.
 */
function siblingsOf(schema: JsonObject): JsonObject | null {
  const beside = Object.entries(schema).filter(([name]) => !words.has(name) && !name.startsWith('x-'))
  return beside.length === 0 ? null : Object.fromEntries(beside)
}
