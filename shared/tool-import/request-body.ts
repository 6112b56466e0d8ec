import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import { type ArrayStyle, isList, styleOfArray } from './array-style.ts'
import { type Closing, closeSchema } from './close-schema.ts'
import { objectAt } from './references.ts'
import { isScalar } from './scalar-keywords.ts'
import { Open } from './why-open.ts'
import { isMemberName } from './wording.ts'

export interface RequestBody {
  properties: Map<string, JsonObject>
  required: string[]
  template: JsonValue
  content: 'form' | 'multipart' | null
  /** The content type of a JSON body if it is not `application/json`, otherwise null. */
  contentType: string | null
  arrays: ArrayStyle | null
}

/**
 * Reads a body in JSON or as a form, or returns null if there is none. The members of a plain object become
 * parameters. If a name is taken or cannot be written, the whole body becomes the parameter `body`.
 */
export function readBody(
  operation: JsonObject,
  taken: TakenParameters,
  closing: Closing,
): RequestBody | Open | null {
  const given = memberOf(operation, 'requestBody')
  if (given === undefined) return null
  const body = objectAt(closing.document, given)
  if (!body) return new Open(isOutward(given) ? 'external_reference' : 'malformed', 'body')
  const content = isPlainObject(body.content) ? body.content : {}
  if (Object.keys(content).length === 0) return null
  const json = jsonIn(content)
  const form = json ? undefined : formIn(content)
  const media = json ?? form?.media
  if (!media) return new Open(hasFile(content) ? 'file' : 'unsupported_body', 'body')
  return closeBody(media, { isRequired: body.required === true, form: form?.content ?? null, taken }, closing)
}

export interface TakenParameters {
  names: ReadonlySet<string>
  /** The array style of the query. A form must use the same style. */
  arrays: ArrayStyle | null
}

interface BodyKind {
  isRequired: boolean
  form: 'form' | 'multipart' | null
  taken: TakenParameters
}

function closeBody(
  [contentType, media]: [string, JsonValue],
  { isRequired, form, taken }: BodyKind,
  closing: Closing,
): RequestBody | Open {
  const { schema = {}, encoding = {} } = isPlainObject(media) ? media : {}
  const closed = closeSchema(schema, { path: '', depth: 0, trail: [] }, closing)
  if (closed instanceof Open) return closed.path === '' ? new Open(closed.code, 'body') : closed
  const members = membersOf(closed, isRequired, taken.names)
  if (form === null) {
    const named = contentType.endsWith('+json') ? contentType : null
    return { ...members, content: null, contentType: named, arrays: taken.arrays }
  }
  return flatBody(members, { form, taken, encoding }, closing)
}

/** Keeps the members that a form can write. A part with a content type other than text/plain is left out. */
function flatBody(
  { properties, required, template }: Members,
  { form, taken, encoding }: { form: 'form' | 'multipart'; taken: TakenParameters; encoding: JsonValue },
  closing: Closing,
): RequestBody | Open {
  if (!isPlainObject(template)) return new Open('unsupported_body', 'body')
  const partOf = (name: string) => memberOf(isPlainObject(encoding) ? encoding : {}, name)
  let { arrays } = taken
  const isHeld = ([name, schema]: [string, JsonObject]) => {
    const part = partOf(name)
    if (isPlainObject(part) && !/^text\/plain\b/.test(String(part.contentType ?? 'text/plain'))) return false
    if (isScalar(schema)) return true
    const style = isList(schema) ? styleOfArray(isPlainObject(part) ? part : {}) : null
    arrays ??= style
    return style !== null && style === arrays
  }
  const kept = [...properties].filter(isHeld)
  const names = new Set(kept.map(([name]) => name))
  const lost = [...properties.keys()].filter(name => !names.has(name))
  const needed = required.find(name => !names.has(name))
  if (needed !== undefined || (lost.length > 0 && kept.length === 0))
    return new Open('unsupported_body', needed ?? 'body')
  closing.leftOut.push(...lost.map(name => new Open('unsupported_parameter', name)))
  const parts = Object.entries(template).filter(([name]) => names.has(name))
  return {
    properties: new Map(kept),
    required,
    template: Object.fromEntries(parts),
    content: form,
    contentType: null,
    arrays,
  }
}

const forms = {
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const

function formIn(
  content: JsonObject,
): { content: keyof typeof forms; media: [string, JsonValue] } | undefined {
  const types = Object.entries(content).map(
    ([type, media]) => [(type.split(';')[0] ?? '').trim().toLowerCase(), media] as [string, JsonValue],
  )
  for (const kind of ['form', 'multipart'] as const) {
    // A multipart body without a schema usually holds files, so it does not count.
    const isSaid = (media: JsonValue) =>
      kind === 'form' || (isPlainObject(media) && media.schema !== undefined)
    const media = types.find(([type, one]) => type === forms[kind] && isSaid(one))
    if (media) return { content: kind, media }
  }
  return undefined
}

type Members = Pick<RequestBody, 'properties' | 'required' | 'template'>

/** Builds the parameters of a body. An optional body is always sent, with the members that its schema requires. */
function membersOf(closed: JsonObject, isRequired: boolean, taken: ReadonlySet<string>): Members {
  const members = plainMembers(closed)
  if (members?.every(([name]) => isMemberName(name) && !taken.has(name))) {
    const required = Array.isArray(closed.required) ? closed.required.map(String) : []
    const template = members.map(([name]) => [name, `{parameters.${name}}`] as const)
    return { properties: new Map(members), required, template: Object.fromEntries(template) }
  }
  const name = taken.has('body') ? 'request_body' : 'body'
  return {
    properties: new Map([[name, closed]]),
    required: isRequired ? [name] : [],
    template: `{parameters.${name}}`,
  }
}

const plainKeywords = new Set(['type', 'additionalProperties', 'properties', 'required', 'description'])

/** Returns the members of an object schema, or null if the schema has further keywords. */
function plainMembers(schema: JsonObject): [string, JsonObject][] | null {
  if (schema.type !== 'object' || !isPlainObject(schema.properties)) return null
  if (Object.keys(schema).some(keyword => !plainKeywords.has(keyword))) return null
  return Object.entries(schema.properties) as [string, JsonObject][]
}

function jsonIn(content: JsonObject): [string, JsonValue] | undefined {
  const types = Object.entries(content).map(
    ([type, media]) => [(type.split(';')[0] ?? '').trim().toLowerCase(), media] as [string, JsonValue],
  )
  return (
    types.find(([type]) => type === 'application/json') ??
    types.find(([type]) => /^application\/[a-z0-9!#$&^_.-]+\+json$/.test(type)) ??
    types.find(([type]) => type === '*/*')
  )
}

function hasFile(content: JsonObject): boolean {
  return Object.keys(content).some(type =>
    /^(?:multipart\/|application\/octet-stream|image\/|audio\/|video\/)/.test(type),
  )
}

function isOutward(value: JsonValue): boolean {
  return isPlainObject(value) && typeof value.$ref === 'string' && !value.$ref.startsWith('#')
}
