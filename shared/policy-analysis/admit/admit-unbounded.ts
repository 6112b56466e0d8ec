import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'
import {
  definitionIn,
  definitionName,
  type Path,
  type Place,
  subschemasOf,
} from '../../json-schema/subschemas.ts'

export interface UnboundedPlace {
  kind: Kind
  path: Path
}

type Kind = 'string' | 'number' | 'array'
const kinds: readonly Kind[] = ['string', 'number', 'array']

/** Returns the positions in a sound schema at which a text, a number or an array has no bound. */
export function unboundedPlaces(root: JsonObject): UnboundedPlace[] {
  return [{ schema: root, path: [] }, ...insidePlaces({ schema: root, path: [] })].flatMap(
    ({ schema, path }) => [...unboundedKinds(schema, root)].map(kind => ({ kind, path })),
  )
}

function insidePlaces(place: Place): Place[] {
  return subschemasOf(place).flatMap(({ keyword, applies, schema, path }) => {
    const inner = { schema, path }
    if (keyword === 'not' || applies === 'some' || applies === 'names') return []
    return applies === 'inside' ? [inner, ...insidePlaces(inner)] : insidePlaces(inner)
  })
}

/**
 * Returns the types that have no bound. One bound in any part of `allOf` suffices, but every alternative of
 * `anyOf` needs its own bound.
 */
function unboundedKinds(schema: JsonValue, root: JsonObject): Set<Kind> {
  if (!isPlainObject(schema)) return new Set(schema === false ? [] : kinds)
  const unbounded = new Set(kinds.filter(kind => admits(schema, kind) && !bounds(schema, kind)))
  const name = definitionName(schema.$ref)
  const { allOf, anyOf, oneOf } = schema
  const every = [
    ...(Array.isArray(allOf) ? allOf : []),
    ...(name === null ? [] : [definitionIn(root, name) ?? true]),
  ]
  const alternatives = [anyOf, oneOf].filter(Array.isArray)
  for (const left of [
    ...every.map(part => unboundedKinds(part, root)),
    ...alternatives.map(parts => new Set(parts.flatMap(part => [...unboundedKinds(part, root)]))),
  ]) {
    for (const kind of unbounded) if (!left.has(kind)) unbounded.delete(kind)
  }
  return unbounded
}

function admits({ type, enum: constants, const: constant }: JsonObject, kind: Kind): boolean {
  if (constants !== undefined || constant !== undefined) return false
  const types = [type].flat()
  return type === undefined || types.includes(kind) || (kind === 'number' && types.includes('integer'))
}

function bounds(schema: JsonObject, kind: Kind): boolean {
  const has = (...names: string[]) => names.some(name => schema[name] !== undefined)
  if (kind === 'string') return has('maxLength')
  if (kind === 'array') return has('maxItems')
  return has('minimum', 'exclusiveMinimum') && has('maximum', 'exclusiveMaximum')
}
