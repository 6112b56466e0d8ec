import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import type { Catalog } from '../contract/configuration/catalog.ts'
import { definitionIn, definitionName } from '../json-schema/subschemas.ts'
import { isModelled } from './keyword-treatment.ts'

/** A keyword that verification does not model, with the path of its parameter; `[]` marks items. */
export interface UnmodelledKeyword {
  keyword: string
  path: string
}

const levelsMax = 64

/**
 * Lists keywords that can make a verification `inconclusive`, so that the reviewer of a catalog learns of
 * these keywords (specification.md#verification-method).
 */
export function unmodelled(catalog: Catalog): (UnmodelledKeyword & { system: string; operation: string })[] {
  return catalog.operations.flatMap(({ system, operation, parameter_schema }) =>
    unmodelledIn(parameter_schema, parameter_schema).map(found => ({ system, operation, ...found })),
  )
}

export function unmodelledIn(schema: JsonValue, root: JsonObject, path = ''): UnmodelledKeyword[] {
  const found = new Map<string, UnmodelledKeyword>()
  const pending: Place[] = [{ schema, path, level: 0 }]
  for (const { schema: current, path: at, level } of pending) {
    if (!isPlainObject(current) || level > levelsMax) continue
    for (const [keyword, asked] of Object.entries(current)) {
      if (!isModelled(keyword, asked)) found.set(`${keyword} ${at}`, { keyword, path: at })
    }
    pending.push(...placesIn(current, root, at).map(place => ({ ...place, level: level + 1 })))
  }
  return [...found.values()]
}

interface Place {
  schema: JsonValue
  path: string
  level: number
}

function placesIn(schema: JsonObject, root: JsonObject, path: string): Omit<Place, 'level'>[] {
  const { properties, items, anyOf, allOf, $ref } = schema
  const name = definitionName($ref)
  const here = [anyOf, allOf].filter(Array.isArray).flat()
  const referred = name === null ? [] : [definitionIn(root, name) ?? true]
  return [
    ...[...here, ...referred].map(inner => ({ schema: inner, path })),
    ...Object.entries(isPlainObject(properties) ? properties : {}).map(([member, inner]) => ({
      schema: inner,
      path: path === '' ? member : `${path}.${member}`,
    })),
    ...(items === undefined ? [] : [{ schema: items, path: `${path}[]` }]),
  ]
}
