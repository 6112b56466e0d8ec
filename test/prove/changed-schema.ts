import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'
import type { Chance } from './random.ts'
import { patterns } from './random-values.ts'

/** The same schema with one part of it changed a little. */
export function changedSchema(schema: JsonObject, chance: Chance): JsonObject {
  const parts: JsonObject[] = []
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject
  collect(copy, parts)
  change(chance.one(parts), chance)
  return copy
}

function collect(schema: JsonValue | undefined, parts: JsonObject[]): void {
  if (!isPlainObject(schema)) return
  parts.push(schema)
  const { properties, items, anyOf, allOf } = schema
  for (const member of Object.values(isPlainObject(properties) ? properties : {})) collect(member, parts)
  for (const member of [anyOf, allOf].filter(Array.isArray).flat()) collect(member, parts)
  collect(items, parts)
}

const droppable = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'required',
]

function change(schema: JsonObject, chance: Chance): void {
  const keyword = chance.one(Object.keys(schema))
  const asked = schema[keyword]
  if (keyword === 'type') schema.type = otherType(String(asked), chance)
  else if (droppable.includes(keyword) && chance.maybe(0.5)) delete schema[keyword]
  else if (typeof asked === 'number') schema[keyword] = Math.max(0, asked + chance.one([1, -1])) || 1
  else if (Array.isArray(asked) && asked.length > 1) schema[keyword] = asked.slice(1)
  else if (keyword === 'pattern') schema.pattern = chance.one(patterns)[0]
  else if (keyword === 'const') schema.const = chance.one(['a', 1, null])
  else if (isPlainObject(asked) && keyword === 'properties') changeProperties(asked, chance)
}

function changeProperties(properties: JsonObject, chance: Chance): void {
  const [first] = Object.keys(properties)
  if (first !== undefined && chance.maybe(0.3)) delete properties[first]
  else properties[chance.one(['r', 's', 'p'])] = { type: chance.one(['boolean', 'null', 'integer']) }
}

function otherType(type: string, chance: Chance): JsonValue {
  if (type === 'integer') return 'number'
  if (type === 'number') return chance.one<JsonValue>(['integer', ['number', 'null']])
  return chance.maybe(0.3) ? type : [type, chance.one(['null', 'boolean'])]
}
