import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

const listedMax = 20

export function schemaChanges(before: JsonObject, after: JsonObject): string[] {
  const [left, right] = [withoutWords(before) as JsonObject, withoutWords(after) as JsonObject]
  if (canonicalJson(left) === canonicalJson(right)) return []
  const changes = [...membersChanged(left, right), ...requiredChanged(left, right)]
  if (changes.length === 0) return ['its parameters go together in another way']
  const more = changes.length - listedMax
  return more > 0 ? [...changes.slice(0, listedMax), `and ${more} more`] : changes
}

function membersChanged(before: JsonObject, after: JsonObject): string[] {
  const [left, right] = [membersOf(before), membersOf(after)]
  const added = [...right.keys()].filter(name => !left.has(name)).map(name => `takes ${name} too`)
  const removed = [...left.keys()].filter(name => !right.has(name)).map(name => `no longer takes ${name}`)
  const changed = [...right].flatMap(([name, schema]) => {
    const known = left.get(name)
    if (known === undefined || canonicalJson(known) === canonicalJson(schema)) return []
    return [`takes other values for ${name}`]
  })
  return [...added, ...removed, ...changed]
}

function requiredChanged(before: JsonObject, after: JsonObject): string[] {
  const [left, right] = [requiredOf(before), requiredOf(after)]
  const isMember = (schema: JsonObject, name: string) => membersOf(schema).has(name)
  const more = [...right].filter(name => !left.has(name) && isMember(before, name))
  const less = [...left].filter(name => !right.has(name) && isMember(after, name))
  return [...more.map(name => `requires ${name} now`), ...less.map(name => `no longer requires ${name}`)]
}

function membersOf({ properties }: JsonObject): Map<string, JsonValue> {
  return new Map(isPlainObject(properties) ? Object.entries(properties) : [])
}

function requiredOf({ required }: JsonObject): Set<string> {
  return new Set(Array.isArray(required) ? required.map(String) : [])
}

const words = new Set(['title', 'description', 'examples', 'default', '$comment', 'deprecated'])
/** Keywords whose members have names of the author's choice, so that a member called `title` is kept. */
const named = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas'])

function withoutWords(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutWords)
  if (!isPlainObject(schema)) return schema
  const kept = Object.entries(schema).flatMap(([name, value]): [string, JsonValue][] => {
    if (words.has(name)) return []
    if (name === 'enum' || name === 'const' || name === 'required') return [[name, value]]
    if (!named.has(name) || !isPlainObject(value)) return [[name, withoutWords(value)]]
    return [
      [name, Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutWords(inner)]))],
    ]
  })
  return Object.fromEntries(kept)
}
