import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'
import { definitionIn, definitionName } from '../../json-schema/subschemas.ts'

/**
 * Returns why a constraint on a dotted path can have no effect under a sound schema, or null. The gate walks
 * only through object members and reads each dot as a step. It therefore reaches neither array items nor
 * names that contain a dot.
 */
export function constrainedPathFault(schema: JsonObject, path: string): string | null {
  const segments = path.split('.')
  let holders = forSameValue(schema, schema)
  for (const [index, segment] of segments.entries()) {
    const inner = holders.flatMap(holder => memberOf(holder.properties, segment))
    if (inner.length === 0) return faultAt(holders, segments.slice(index), path)
    holders = inner.flatMap(one => forSameValue(one, schema))
  }
  return null
}

function faultAt(holders: readonly JsonObject[], rest: readonly string[], path: string): string | null {
  // A pattern may admit the name, so it is no fault that `properties` lacks the name.
  if (holders.some(holder => holder.patternProperties !== undefined)) return null
  const asked = `${rest.join('.')}.`
  const dotted = holders
    .flatMap(({ properties }) => (isPlainObject(properties) ? Object.keys(properties) : []))
    .find(name => name.includes('.') && asked.startsWith(`${name}.`))
  if (dotted !== undefined)
    return `the name "${dotted}" of the schema holds a dot, which ${path} reads as a step`
  if (holders.some(({ type, items }) => items !== undefined || [type].flat().includes('array'))) {
    return `${path} leads through an array, where no constraint looks`
  }
  return `${path} is not in the schema of the catalog`
}

function forSameValue(schema: JsonValue, root: JsonObject): JsonObject[] {
  if (!isPlainObject(schema)) return []
  const name = definitionName(schema.$ref)
  const referred = name === null ? [] : [definitionIn(root, name) ?? true]
  const { allOf, anyOf, oneOf } = schema
  const composed = [allOf, anyOf, oneOf].filter(Array.isArray).flat()
  return [schema, ...[...referred, ...composed].flatMap(inner => forSameValue(inner, root))]
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue[] {
  const member = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return member === undefined ? [] : [member]
}
