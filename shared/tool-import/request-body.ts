import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import { type Closing, closeSchema } from './close-schema.ts'
import { objectAt } from './references.ts'
import { isScalar } from './scalar-keywords.ts'
import { Open } from './why-open.ts'
import { isMemberName } from './wording.ts'

/** The body of a request: members of the parameters, and the template that puts them into it. */
export interface RequestBody {
  properties: Map<string, JsonObject>
  required: string[]
  template: JsonValue
  /** How it is written; JSON where not given. */
  content: 'form' | null
  /** Where it is neither `application/json` nor the type of a form. */
  contentType: string | null
}

/**
 * The body of an operation, in JSON or as a form; null where it takes none. The members of a plain object become parameters themselves,
 * unless one of them has a name that is taken or that no placeholder has; everything else is the parameter `body`.
 */
export function readBody(
  operation: JsonObject,
  taken: ReadonlySet<string>,
  closing: Closing,
): RequestBody | Open | null {
  const given = memberOf(operation, 'requestBody')
  if (given === undefined) return null
  const body = objectAt(closing.document, given)
  if (!body) return new Open(isOutward(given) ? 'external_reference' : 'malformed', 'body')
  const content = isPlainObject(body.content) ? body.content : {}
  if (Object.keys(content).length === 0) return null
  const json = jsonIn(content) ?? formIn(content)
  if (!json) return new Open(hasFile(content) ? 'file' : 'unsupported_body', 'body')
  return closeBody(json, body.required === true, taken, closing)
}

function closeBody(
  [contentType, media]: [string, JsonValue],
  isRequired: boolean,
  taken: ReadonlySet<string>,
  closing: Closing,
): RequestBody | Open {
  const schema = isPlainObject(media) ? (media.schema ?? {}) : {}
  const closed = closeSchema(schema, { path: '', depth: 0, trail: [] }, closing)
  if (closed instanceof Open) return closed.path === '' ? new Open(closed.code, 'body') : closed
  const named = contentType.endsWith('+json') ? contentType : null
  const members = membersOf(closed, isRequired, taken)
  if (contentType !== formType) return { ...members, content: null, contentType: named }
  const isFlat = typeof members.template === 'object' && [...members.properties.values()].every(isFormValue)
  return isFlat ? { ...members, content: 'form', contentType: null } : new Open('unsupported_body', 'body')
}

const formType = 'application/x-www-form-urlencoded'

function formIn(content: JsonObject): [string, JsonValue] | undefined {
  const form = Object.entries(content).find(([type]) => type.split(';')[0]?.trim().toLowerCase() === formType)
  return form && [formType, form[1]]
}

/** A form holds texts, numbers and truth values, and arrays of them. */
function isFormValue(schema: JsonObject): boolean {
  if (schema.type !== 'array') return isScalar(schema)
  return isPlainObject(schema.items) && isScalar(schema.items)
}

/** A body that may be left out is sent all the same, with what its schema requires. */
function membersOf(
  closed: JsonObject,
  isRequired: boolean,
  taken: ReadonlySet<string>,
): Omit<RequestBody, 'content' | 'contentType'> {
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

/** The members of an object that says nothing else of itself; null for every other schema. */
function plainMembers(schema: JsonObject): [string, JsonObject][] | null {
  if (schema.type !== 'object' || !isPlainObject(schema.properties)) return null
  if (Object.keys(schema).some(keyword => !plainKeywords.has(keyword))) return null
  return Object.entries(schema.properties) as [string, JsonObject][]
}

/** JSON itself, else a media type that is made of it. */
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
