import type { Issue } from '../contract/base/errors.ts'
import { pathText } from '../contract/base/issues.ts'
import { isPlainObject, type JsonObject } from '../contract/base/json.ts'
import { definitionIn, definitionName, type Path, type Place, subschemasOf } from './subschemas.ts'

/**
 * Where `unevaluatedProperties` closes an object whose names depend on its values: beside alternatives, conditions and
 * patterns. Those are refused; what remains can be told from the names alone. Needs a schema that does not recur.
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

/** The schemas that apply to the same value, whatever it is. */
function partsOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  const name = definitionName(schema.$ref)
  const referred = name === null ? undefined : definitionIn(root, name)
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  return [...parts, referred ?? true].filter(isPlainObject)
}

function everyPlace(place: Place): Place[] {
  return [place, ...subschemasOf(place).flatMap(everyPlace)]
}
