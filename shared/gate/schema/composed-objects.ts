import type { Issue } from '../../contract/errors.ts'
import { pathText } from '../../contract/issues.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { definitionIn, definitionName, type Path, type Place, subschemasOf } from './subschemas.ts'

/**
 * Where `unevaluatedProperties` closes an object whose names depend on its values. The validator tells evaluated names
 * right where `allOf` and `$ref` compose an object, of names that are known when it compiles; beside a condition or an
 * alternative it lets names through that nothing has evaluated. Needs a schema whose references do not recur.
 */
export function composedObjects(root: JsonObject, path: Path): Issue[] {
  return everyPlace({ schema: root, path })
    .filter(({ schema }) => isPlainObject(schema) && schema.unevaluatedProperties !== undefined)
    .filter(({ schema }) => hasAlternatives(schema, root))
    .map(place => ({
      path: pathText([...place.path, 'unevaluatedProperties']),
      code: 'unsupported_composition',
      message: `is supported beside allOf and $ref, not beside ${[...alternatives].join(', ')}: use additionalProperties`,
    }))
}

const alternatives = new Set(['anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'])

function hasAlternatives(schema: JsonValue, root: JsonObject): boolean {
  if (!isPlainObject(schema)) return false
  if (Object.keys(schema).some(keyword => alternatives.has(keyword))) return true
  const name = definitionName(schema.$ref)
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  const referred = name === null ? undefined : definitionIn(root, name)
  return [...parts, referred ?? true].some(part => hasAlternatives(part, root))
}

function everyPlace(place: Place): Place[] {
  return [place, ...subschemasOf(place).flatMap(everyPlace)]
}
