import type { JsonObject, JsonValue } from '../../../../shared/contract/base/json.ts'

export interface SchemaField {
  path: readonly string[]
  /** The kind of field. `json` is for lists and for values with several possible types. */
  kind: 'text' | 'number' | 'choice' | 'json'
  required: boolean
  hint: string
  choices: readonly JsonValue[]
}

const depthMax = 6
export const schemaFieldsMax = 60

/**
 * Returns the fields for a schema of the catalog. Members of nested objects get their own fields, up to 6 levels
 * and 60 fields. Such a schema never refers to itself.
 */
export function schemaFields(schema: JsonObject): SchemaField[] {
  return membersOf(schema, { root: schema, path: [], required: true }).slice(0, schemaFieldsMax)
}

interface Place {
  root: JsonObject
  path: readonly string[]
  required: boolean
}

function membersOf(schema: JsonObject, { root, path, required }: Place): SchemaField[] {
  const needed = asList(schema.required)
  return Object.entries(asObject(schema.properties)).flatMap(([name, member]) =>
    fieldsOf(asObject(member), {
      root,
      path: [...path, name],
      required: required && needed.includes(name),
    }),
  )
}

function fieldsOf(written: JsonObject, place: Place): SchemaField[] {
  const schema = resolved(written, place.root)
  const isObject = schema.type === 'object' && Object.keys(asObject(schema.properties)).length > 0
  if (isObject && place.path.length < depthMax) return membersOf(schema, place)
  const choices = choicesOf(schema)
  const kind = choices.length > 0 ? 'choice' : kindOf(schema)
  return [{ path: place.path, kind, required: place.required, hint: hintOf(schema), choices }]
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const name = /^#\/\$defs\/([^/]+)$/.exec(String(schema.$ref))?.[1]
  const meant = name === undefined ? undefined : asObject(root.$defs)[name]
  return meant === undefined ? schema : { ...asObject(meant), ...schema }
}

function choicesOf(schema: JsonObject): readonly JsonValue[] {
  if (schema.const !== undefined) return [schema.const]
  return schema.type === 'boolean' ? [true, false] : asList(schema.enum)
}

function kindOf({ type }: JsonObject): SchemaField['kind'] {
  if (type === 'string') return 'text'
  return type === 'number' || type === 'integer' ? 'number' : 'json'
}

function hintOf({ type, description }: JsonObject): string {
  const form = type === 'array' ? 'A list, as JSON.' : ''
  const told = typeof description === 'string' ? description.slice(0, 200) : ''
  return [told, form].filter(Boolean).join(' ')
}

function asObject(value: JsonValue | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

export function fieldText({ path, kind }: SchemaField, parameters: JsonObject): string {
  const value = path.reduce<JsonValue | undefined>((at, name) => ownMember(at, name), parameters)
  if (value === undefined) return ''
  return typeof value === 'string' && kind !== 'choice' ? value : JSON.stringify(value)
}

/**
 * Sets the value of a field. An empty text omits the value. A text that is not JSON stays a text, so that the page
 * sends what it shows and the schema rejects it.
 */
export function withField({ path, kind }: SchemaField, text: string, parameters: JsonObject): JsonObject {
  return placed(parameters, path, text === '' ? undefined : kind === 'text' ? text : readOr(text))
}

function readOr(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** Sets a member without changing the order of members. Removes an object that loses its last member. */
function placed(holder: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name = '', ...rest] = path
  const before = ownMember(holder, name)
  const inner = rest.length === 0 ? value : placed(asObject(before), rest, value)
  const isGone = inner === undefined || (rest.length > 0 && Object.keys(asObject(inner)).length === 0)
  const entries = Object.entries(holder)
  if (isGone) return Object.fromEntries(entries.filter(([key]) => key !== name))
  if (before === undefined) return Object.fromEntries([...entries, [name, inner]])
  return Object.fromEntries(entries.map(([key, old]) => [key, key === name ? inner : old]))
}

function ownMember(holder: JsonValue | undefined, name: string): JsonValue | undefined {
  const object = asObject(holder)
  return Object.hasOwn(object, name) ? object[name] : undefined
}
