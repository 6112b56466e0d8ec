import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { type Keyword, keywords } from './keywords.ts'

export type Path = readonly (string | number)[]

export interface Place {
  schema: JsonValue
  path: Path
}

export interface Subschema extends Place {
  keyword: string
  applies: Keyword['applies']
}

export function subschemasOf({ schema, path }: Place): Subschema[] {
  if (!isPlainObject(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const known = keywords.get(keyword)
    if (!known) return []
    return schemasUnder(known, value).map(([steps, subschema]) => ({
      keyword,
      applies: known.applies,
      schema: subschema,
      path: [...path, keyword, ...steps],
    }))
  })
}

/** Returns the name in a reference `#/$defs/name`, or null for any other reference. */
export function definitionName(reference: JsonValue | undefined): string | null {
  if (typeof reference !== 'string') return null
  return /^#\/\$defs\/([A-Za-z0-9._-]+)$/.exec(reference)?.[1] ?? null
}

export function definitionIn(root: JsonObject, name: string): JsonValue | undefined {
  const definitions = root.$defs
  return isPlainObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined
}

function schemasUnder({ form }: Keyword, value: JsonValue): [Path, JsonValue][] {
  if (form === 'schema') return [[[], value]]
  if (form === 'schemas' && Array.isArray(value)) return value.map((item, index) => [[index], item])
  if (form === 'named_schemas' && isPlainObject(value)) {
    return Object.entries(value).map(([name, member]) => [[name], member])
  }
  return []
}
