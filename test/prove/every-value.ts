import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'

const countMax = 30

/** All values that meet a schema, where they are few and easily told; null otherwise. */
export function everyValue(schema: JsonValue | undefined): JsonValue[] | null {
  if (!isPlainObject(schema)) return null
  const values = listed(schema) ?? ofType(schema)
  return values === null || values.length > countMax ? null : values
}

function listed(schema: JsonObject): JsonValue[] | null {
  if (schema.const !== undefined) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum
  if (!Array.isArray(schema.anyOf)) return null
  const branches = schema.anyOf.map(everyValue)
  return branches.some(branch => branch === null) ? null : branches.flatMap(branch => branch ?? [])
}

function ofType(schema: JsonObject): JsonValue[] | null {
  const { type, minimum, maximum, multipleOf, maxLength } = schema
  if (type === 'boolean') return [true, false]
  if (type === 'null') return [null]
  if (type === 'string') return maxLength === 0 ? [''] : null
  if (type === 'object') return objects(schema)
  if (type === 'array') return arrays(schema)
  if (type !== 'integer' || multipleOf !== undefined) return null
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return null
  const first = Math.ceil(minimum)
  const count = Math.floor(maximum) - first + 1
  return count > countMax ? null : Array.from({ length: Math.max(0, count) }, (_, at) => first + at)
}

function objects({ properties, required }: JsonObject): JsonValue[] | null {
  let made: JsonObject[] = [{}]
  for (const [name, schema] of Object.entries(isPlainObject(properties) ? properties : {})) {
    const values = everyValue(schema)
    if (values === null || made.length > countMax) return null
    const needed = Array.isArray(required) && required.includes(name)
    const without = needed ? [] : made
    made = [...without, ...made.flatMap(object => values.map(value => ({ ...object, [name]: value })))]
  }
  return made
}

function arrays({ items, minItems, maxItems }: JsonObject): JsonValue[] | null {
  const values = everyValue(items)
  if (values === null || typeof maxItems !== 'number' || maxItems > 3) return null
  let made: JsonValue[][] = [[]]
  let last: JsonValue[][] = [[]]
  for (let length = 1; length <= maxItems && made.length <= countMax; length += 1) {
    last = last.flatMap(array => values.map(value => [...array, value]))
    made = [...made, ...last]
  }
  return made.filter(array => array.length >= Number(minItems ?? 0))
}
