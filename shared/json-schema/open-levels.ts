import { type Issue, pathText } from '../contract/base/errors.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { keywords } from './keywords.ts'
import {
  definitionIn,
  definitionName,
  type Path,
  type Place,
  type Subschema,
  subschemasOf,
} from './subschemas.ts'

/**
 * Returns the positions at which a schema admits something that it does not name (specification.md#catalogs):
 * further members, further items or any type. If several schemas apply to a value, one closed schema
 * suffices. References must not recur.
 */
export function openLevels(root: JsonObject, path: Path): Issue[] {
  const walk: Walk = { root, top: path, seen: new Map(), issues: new Map() }
  visitValue({ schema: root, path }, walk)
  return [...walk.issues.values()]
}

const open = { object: 1, array: 2 } as const

interface Walk {
  root: JsonObject
  top: Path
  seen: Map<JsonValue, Set<number>>
  issues: Map<string, Issue>
}

function visitValue(place: Place, walk: Walk): void {
  if (opennessOf(place.schema, walk) > 0) blame(place, walk)
  visitInside(place, 0, walk)
}

/**
 * Visits the values inside a value. If an outer schema names all members or items, they are judged there
 * (`settled`) and skipped here. `not` is skipped, because `not` admits nothing.
 */
function visitInside(place: Place, settled: number, walk: Walk): void {
  const { schema } = place
  if (!isPlainObject(schema) || walk.seen.get(schema)?.has(settled)) return
  walk.seen.set(schema, new Set([...(walk.seen.get(schema) ?? []), settled]))
  const settledBelow = settled | settledBy(schema)
  const referred = referredBy(schema, walk)
  if (referred) visitInside(referred, settledBelow, walk)
  for (const inner of subschemasOf(place)) {
    const kind = keywords.get(inner.keyword)?.about === 'array' ? open.array : open.object
    if (inner.applies === 'inside' && !(settled & kind)) visitValue(inner, walk)
    if (inner.applies === 'here' && inner.keyword !== 'not') visitInside(inner, settledBelow, walk)
  }
}

function settledBy({ additionalProperties, items }: JsonObject): number {
  return (additionalProperties === false ? open.object : 0) + (items === undefined ? 0 : open.array)
}

function opennessOf(schema: JsonValue, walk: Walk): number {
  if (!isPlainObject(schema)) return schema === false ? 0 : open.object + open.array
  if (schema.enum !== undefined || schema.const !== undefined) return 0
  let kinds = (admits(schema, 'object') ? open.object : 0) + (admits(schema, 'array') ? open.array : 0)
  if (schema.additionalProperties === false || schema.unevaluatedProperties === false) kinds &= ~open.object
  if (schema.items !== undefined || schema.maxItems === 0) kinds &= ~open.array
  for (const alternatives of closingAlternatives(schema, walk)) {
    if (kinds === 0) return 0
    kinds &= alternatives.reduce<number>((sum, alternative) => sum | opennessOf(alternative, walk), 0)
  }
  return kinds
}

/** Returns lists of schemas. At least one schema of each list applies to the value. */
function closingAlternatives(schema: JsonObject, walk: Walk): JsonValue[][] {
  const referred = referredBy(schema, walk)
  return [
    ...(referred ? [[referred.schema]] : []),
    ...listOf(schema.allOf).map(member => [member]),
    ...[schema.anyOf, schema.oneOf].filter(Array.isArray),
    ...(schema.if === undefined ? [] : [[schema.then ?? true, schema.else ?? true]]),
  ]
}

function admits({ type }: JsonObject, name: string): boolean {
  return type === undefined || type === name || listOf(type).includes(name)
}

function blame(place: Place, walk: Walk): void {
  const { schema, path } = place
  const delegates = delegatesOf(place, walk)
  if (delegates.length > 0) {
    for (const delegate of delegates) blame(delegate, walk)
    return
  }
  const [code, message] = faultOf(schema, walk)
  const issue = { path: pathText(path), code, message }
  walk.issues.set(`${issue.path} ${code}`, issue)
}

function delegatesOf(place: Place, walk: Walk): Place[] {
  const { schema } = place
  if (!isPlainObject(schema) || schema.type !== undefined) return []
  const referred = referredBy(schema, walk)
  const alternatives: (Place | Subschema)[] = subschemasOf(place).filter(({ keyword }) =>
    ['allOf', 'anyOf', 'oneOf'].includes(keyword),
  )
  return [...(referred ? [referred] : []), ...alternatives].filter(
    inner => opennessOf(inner.schema, walk) > 0,
  )
}

function faultOf(schema: JsonValue, walk: Walk): [string, string] {
  if (!isPlainObject(schema) || schema.type === undefined) {
    return ['type_missing', 'is not closed: without a type, any value passes']
  }
  return opennessOf(schema, walk) & open.object
    ? ['open_object', 'is not closed: add "additionalProperties": false']
    : ['open_array', 'is not closed: say in items what its items are']
}

function referredBy(schema: JsonValue, { root, top }: Walk): Place | null {
  const name = isPlainObject(schema) ? definitionName(schema.$ref) : null
  const definition = name === null ? undefined : definitionIn(root, name)
  return name === null || definition === undefined
    ? null
    : { schema: definition, path: [...top, '$defs', name] }
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}

/**
 * Returns the objects with `unevaluatedProperties` beside alternatives, conditions or patterns. They are
 * refused, because the names that they admit depend on values. References must not recur.
 */
export function composedObjects(root: JsonObject, path: Path): Issue[] {
  return everyPlace({ schema: root, path })
    .filter(({ schema }) => isPlainObject(schema) && schema.unevaluatedProperties !== undefined)
    .filter(({ schema }) => hasAlternatives(schema as JsonObject, root))
    .map(place => ({
      path: pathText([...place.path, 'unevaluatedProperties']),
      code: 'unsupported_composition',
      message: `is supported beside allOf and $ref, not beside ${[...alternatives].join(', ')}: use additionalProperties`,
    }))
}

const alternatives = new Set(['anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'])

function hasAlternatives(schema: JsonObject, root: JsonObject): boolean {
  if (Object.keys(schema).some(keyword => alternatives.has(keyword))) return true
  return partsOf(schema, root).some(part => hasAlternatives(part, root))
}

function partsOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  const name = definitionName(schema.$ref)
  const referred = name === null ? undefined : definitionIn(root, name)
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  return [...parts, referred ?? true].filter(isPlainObject)
}

function everyPlace(place: Place): Place[] {
  return [place, ...subschemasOf(place).flatMap(everyPlace)]
}
