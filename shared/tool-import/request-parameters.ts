import { mayWriteHeader } from '../contract/base/header-names.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { requestFields } from '../contract/configuration/request-template.ts'
import { type ArrayStyle, isList, styleOfArray } from './array-style.ts'
import { type Closing, closeSchema } from './close-schema.ts'
import { type CredentialParameter, credentialIn } from './credential-parameters.ts'
import { objectAt } from './references.ts'
import { isScalar } from './scalar-keywords.ts'
import { Open } from './why-open.ts'
import { isMemberName, memberNameOf, plainText } from './wording.ts'

export interface RequestParameters {
  properties: Map<string, JsonObject>
  required: string[]
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  arrays: ArrayStyle | null
  keyHeader: string | null
  credentials: CredentialParameter[]
}

/** Headers that are never parameters (OpenAPI 3.1, parameter object). */
const notParameters = new Set(['accept', 'content-type', 'authorization'])
const keyHeaders = new Set(['idempotency-key', 'x-idempotency-key'])

interface Written {
  name: string
  where: string
  required: boolean
  member: string
  schema: JsonObject
  arrays: ArrayStyle | null
}

/**
 * Reads the parameters of a path and of its operation. A parameter of the operation replaces one of the same
 * name.
 */
export function readParameters(
  { path, lists }: { path: string; lists: readonly (JsonValue | undefined)[] },
  closing: Closing,
): RequestParameters | Open {
  const byPlace = parametersByPlace(lists, closing)
  if (byPlace instanceof Open) return byPlace
  const taken: RequestParameters = {
    properties: new Map(),
    required: [],
    path,
    query: {},
    headers: {},
    arrays: null,
    keyHeader: null,
    credentials: [],
  }
  // Required parameters come first, because the first array decides the style of all arrays.
  const needed = (parameter: JsonObject) => (parameter.required === true ? 0 : 1)
  for (const parameter of [...byPlace.values()].sort((one, other) => needed(one) - needed(other))) {
    const open = addParameter(parameter, taken, closing)
    if (open) return open
  }
  const unnamed = /\{([^{}]*)\}/.exec(taken.path.replaceAll(/\{parameters\.[^{}]*\}/g, ''))
  if (unnamed) return new Open('malformed', unnamed[1] ?? '')
  return requestFields.path.safeParse(taken.path).success ? taken : new Open('unwritable_path', 'the path')
}

function parametersByPlace(
  lists: readonly (JsonValue | undefined)[],
  { document }: Closing,
): Map<string, JsonObject> | Open {
  const byPlace = new Map<string, JsonObject>()
  for (const value of lists.flatMap(list => (Array.isArray(list) ? list : []))) {
    const parameter = objectAt(document, value)
    if (!parameter) return new Open(isOutward(value) ? 'external_reference' : 'malformed', 'a parameter')
    byPlace.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return byPlace
}

function isOutward(value: JsonValue): boolean {
  return isPlainObject(value) && typeof value.$ref === 'string' && !value.$ref.startsWith('#')
}

/**
 * Adds a parameter. An optional parameter that cannot be written is left out; for a required one the reason
 * is returned.
 */
function addParameter(parameter: JsonObject, taken: RequestParameters, closing: Closing): Open | null {
  const { name, in: where } = parameter
  if (typeof name !== 'string' || typeof where !== 'string') return new Open('malformed', 'a parameter')
  const small = name.toLowerCase()
  if (where === 'header' && notParameters.has(small)) return null
  if (where === 'header' && keyHeaders.has(small)) {
    taken.keyHeader = name
    return null
  }
  const credential = credentialIn(parameter)
  if (credential) {
    taken.credentials.push(credential)
    return null
  }
  const required = parameter.required === true || where === 'path'
  const written = writtenAs({ name, where, required }, parameter, { taken, closing })
  if (written instanceof Open) {
    if (required) return written
    closing.leftOut.push(written)
    return null
  }
  write(written, taken)
  return null
}

function writtenAs(
  { name, where, required }: { name: string; where: string; required: boolean },
  parameter: JsonObject,
  { taken, closing }: { taken: RequestParameters; closing: Closing },
): Written | Open {
  if (parameter.content !== undefined || where === 'cookie') return new Open('unsupported_parameter', name)
  if (where === 'header' && !mayWriteHeader(name)) return new Open('unwritable_name', name)
  const member = freeName(memberNameOf(name), where, taken)
  if (!isMemberName(member)) return new Open('unwritable_name', name)
  const schema = closeSchema(parameter.schema ?? {}, { path: member, depth: 1, trail: [] }, closing)
  if (schema instanceof Open) return schema
  const arrays = where === 'query' && isList(schema) ? styleOfArray(parameter) : null
  const isWritten =
    arrays === null ? isScalar(schema) && isPlainStyle(parameter) : arrays === (taken.arrays ?? arrays)
  if (!isWritten) return new Open('unsupported_parameter', name)
  const { description } = parameter
  const about = typeof description === 'string' ? plainText(description, 300) : ''
  return {
    ...{ name, where, required, member, arrays },
    schema: about === '' ? schema : { ...schema, description: about },
  }
}

/** Accepts only the default styles, because for a single value they write just the value. */
function isPlainStyle({ style, in: where }: JsonObject): boolean {
  return style === undefined || style === (where === 'query' ? 'form' : 'simple')
}

/** Prefixes a taken name with its position, because path and query may each have a parameter of the same name. */
function freeName(member: string, where: string, { properties }: RequestParameters): string {
  return properties.has(member) ? `${where}_${member}` : member
}

function write({ name, where, required, member, schema, arrays }: Written, taken: RequestParameters): void {
  taken.arrays ??= arrays
  taken.properties.set(member, schema)
  if (required) taken.required.push(member)
  const placeholder = `{parameters.${member}}`
  if (where === 'path') taken.path = taken.path.replaceAll(`{${name}}`, placeholder)
  else
    (where === 'header' ? taken.headers : taken.query)[name] = required
      ? placeholder
      : `{parameters.${member}?}`
}
