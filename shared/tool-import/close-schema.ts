import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import type { PatternReader } from '../json-schema/linear-pattern.ts'
import { flatten, mergeSchemas } from './merge-schemas.ts'
import { scalarKeywords } from './scalar-keywords.ts'
import { type Alternatives, alternativesOf, isRequiredOnly } from './schema-alternatives.ts'
import { Open } from './why-open.ts'
import { describe } from './wording.ts'

export interface Closing {
  document: JsonObject
  patterns: PatternReader
  /** The greatest depth to expand. Deeper parts are left out. */
  depthMax: number
  leftOut: Open[]
  /** The number of schemas that may still be expanded. It is limited, because nested references multiply. */
  budget: { schemas: number }
}

export interface ClosingPlace {
  path: string
  depth: number
  trail: readonly string[]
}

/**
 * Returns a closed schema of the value, or the reason why none exists. Except for keywords that are not
 * checked, it admits no more than the document. It often admits less, because unlisted names and optional
 * parts that cannot be closed are left out.
 */
export function closeSchema(value: JsonValue, place: ClosingPlace, closing: Closing): JsonObject | Open {
  const { path, depth } = place
  closing.budget.schemas -= 1
  if (closing.budget.schemas < 0) return new Open('too_large', path)
  if (depth > closing.depthMax) return new Open('too_deep', path)
  const flat = flatten(value, { document: closing.document, ...place })
  if (flat instanceof Open) return flat
  const { schema } = flat
  const here = { ...place, trail: flat.trail }
  const unchecked = uncheckedKeywords.filter(keyword => schema[keyword] !== undefined)
  closing.leftOut.push(...unchecked.map(keyword => new Open('unchecked', below(path, keyword))))
  const alternatives = alternativesOf(schema)
  if (alternatives?.cut) closing.leftOut.push(new Open('too_many_alternatives', path))
  return alternatives ? closeAlternatives(alternatives, here, closing) : closeOne(schema, here, closing)
}

/** Keywords of a document that a closed schema does not check. */
const uncheckedKeywords = [
  'not',
  'if',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'discriminator',
] as const

/** Merges each alternative with the keywords beside it. Alternatives that cannot be closed are left out. */
function closeAlternatives(
  { base, variants }: Omit<Alternatives, 'cut'>,
  place: ClosingPlace,
  closing: Closing,
): JsonObject | Open {
  if (variants.every(isRequiredOnly)) return closeRequired({ base, variants }, place, closing)
  const closed = new Map<string, JsonObject>()
  const open: Open[] = []
  for (const variant of variants) {
    const one = closeVariant(base, variant, place, closing)
    if (one instanceof Open) open.push(one)
    else closed.set(canonicalJson(one), one)
  }
  const [only, ...others] = closed.values()
  if (!only) return open[0] ?? new Open('no_alternative', place.path)
  closing.leftOut.push(...open)
  if (others.length === 0) return only
  return { ...typeOfAll([only, ...others]), ...describe(base), anyOf: [only, ...others] }
}

/**
 * Closes alternatives that only require members. The shared members are closed once, beside an `anyOf` of
 * what is required.
 */
function closeRequired(
  { base, variants }: Omit<Alternatives, 'cut'>,
  place: ClosingPlace,
  closing: Closing,
): JsonObject | Open {
  const closed = closeSchema(base, place, closing)
  if (closed instanceof Open || !isPlainObject(closed.properties)) return closed
  const members = closed.properties
  const lists = variants
    .map(variant => (isPlainObject(variant) && Array.isArray(variant.required) ? variant.required : []))
    .filter(names => names.every(name => memberOf(members, String(name)) !== undefined))
  const isFree = lists.length === 0 || lists.some(names => names.length === 0)
  return isFree ? closed : { ...closed, anyOf: lists.map(required => ({ required })) }
}

function closeVariant(
  base: JsonObject,
  variant: JsonValue,
  place: ClosingPlace,
  closing: Closing,
): JsonObject | Open {
  const flat = flatten(variant, { document: closing.document, ...place })
  if (flat instanceof Open) return flat
  const merged = mergeSchemas(flat.schema, base, place.path)
  if (merged instanceof Open) return merged
  return closeSchema(merged, { ...place, depth: place.depth + 1, trail: flat.trail }, closing)
}

/**
 * Returns the type `object` if every alternative has it, because the schema of parameters must state that
 * type.
 */
function typeOfAll(schemas: readonly JsonObject[]): JsonObject {
  return schemas.every(({ type }) => type === 'object') ? { type: 'object' } : {}
}

function closeOne(schema: JsonObject, place: ClosingPlace, closing: Closing): JsonObject | Open {
  if (schema.format === 'binary' || schema.contentMediaType === 'application/octet-stream')
    return new Open('file', place.path)
  const constants = constantsOf(schema)
  if (constants) return { ...describe(schema), ...constants }
  const types = typesOf(schema)
  if (types.length === 0) return new Open('any_value', place.path)
  const parts: JsonObject[] = []
  const open: Open[] = []
  for (const type of types) {
    const part = closeType(type, schema, place, closing)
    if (part instanceof Open) open.push(part)
    else parts.push(part)
  }
  if (parts.length === 0) return open[0] ?? new Open('any_value', place.path)
  closing.leftOut.push(...open)
  const kept = parts.map(({ type }) => type as string)
  return {
    ...describe(schema),
    ...Object.assign({}, ...parts),
    type: kept.length === 1 ? (kept[0] as string) : kept,
  }
}

function closeType(
  type: string,
  schema: JsonObject,
  place: ClosingPlace,
  closing: Closing,
): JsonObject | Open {
  if (type === 'object') return closeObject(schema, place, closing)
  if (type === 'array') return closeArray(schema, place, closing)
  return { type, ...scalarKeywords(type, schema, closing.patterns) }
}

function closeObject(schema: JsonObject, place: ClosingPlace, closing: Closing): JsonObject | Open {
  const listed = isPlainObject(schema.properties) ? Object.entries(schema.properties) : []
  const isEmpty = schema.additionalProperties === false || schema.maxProperties === 0
  if (listed.length === 0 && !isEmpty) return new Open('free_names', place.path)
  const asked = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const members = listed.filter(([, value]) => !isReadOnly(value, closing))
  for (const [name] of listed) if (!members.some(([other]) => other === name)) asked.delete(name)
  const properties = closeMembers(members, asked, place, closing)
  if (properties instanceof Open) return properties
  const unnamed = [...asked].find(name => !properties.has(name))
  if (unnamed !== undefined) return new Open('any_value', below(place.path, unnamed))
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    ...(asked.size === 0 ? {} : { required: [...asked] }),
    ...counts(schema, ['minProperties', 'maxProperties']),
  }
}

/**
 * Closes members and leaves out optional members that cannot be closed. Returns the reason if a required
 * member cannot be closed or no member remains.
 */
function closeMembers(
  members: readonly [string, JsonValue][],
  asked: ReadonlySet<string>,
  place: ClosingPlace,
  closing: Closing,
): Map<string, JsonObject> | Open {
  const closed = new Map<string, JsonObject>()
  const open: Open[] = []
  for (const [name, value] of members) {
    const path = below(place.path, name)
    const one =
      name === '__proto__'
        ? new Open('unwritable_name', path)
        : closeSchema(value, { ...place, path, depth: place.depth + 1 }, closing)
    if (!(one instanceof Open)) closed.set(name, one)
    else if (asked.has(name)) return one
    else open.push(one)
  }
  const [first] = open
  if (first && closed.size === 0) return first
  closing.leftOut.push(...open)
  return closed
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** Returns true for a member that occurs only in answers, so that it is left out of requests. */
function isReadOnly(value: JsonValue, closing: Closing): boolean {
  const flat = flatten(value, { document: closing.document, path: '', trail: [] })
  return !(flat instanceof Open) && flat.schema.readOnly === true
}

function closeArray(schema: JsonObject, place: ClosingPlace, closing: Closing): JsonObject | Open {
  const path = `${place.path}[]`
  const items = memberOf(schema, 'items')
  if (items === undefined) return new Open('any_value', path)
  const closed = closeSchema(items, { ...place, path, depth: place.depth + 1 }, closing)
  if (closed instanceof Open) return closed
  return {
    type: 'array',
    items: closed,
    ...counts(schema, ['minItems', 'maxItems']),
    ...(schema.uniqueItems === true ? { uniqueItems: true } : {}),
  }
}

function counts(schema: JsonObject, names: readonly string[]): JsonObject {
  const given = names.flatMap(name => {
    const value = schema[name]
    return Number.isSafeInteger(value) && Number(value) >= 0 ? [[name, value as number] as const] : []
  })
  return Object.fromEntries(given)
}

function constantsOf(schema: JsonObject): JsonObject | null {
  if (schema.const !== undefined) return { const: schema.const }
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return null
  const values = schema.nullable === true ? [...schema.enum, null] : schema.enum
  const distinct = new Map(values.map(value => [canonicalJson(value), value]))
  return { enum: [...distinct.values()] }
}

const known = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']

function typesOf(schema: JsonObject): string[] {
  const { type } = schema
  const said = (Array.isArray(type) ? type : [type ?? impliedType(schema)]).filter(
    (name): name is string => typeof name === 'string' && known.includes(name),
  )
  if (said.length === 0) return []
  return [...new Set([...said, ...(schema.nullable === true ? ['null'] : [])])]
}

const telling: readonly [string, readonly string[]][] = [
  ['object', ['properties', 'required']],
  ['array', ['items']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'multipleOf']],
]

function impliedType(schema: JsonObject): string | null {
  return telling.find(([, names]) => names.some(name => schema[name] !== undefined))?.[0] ?? null
}
