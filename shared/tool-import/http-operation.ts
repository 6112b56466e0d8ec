import type { Issue } from '../contract/base/errors.ts'
import { isPlainObject, type JsonObject } from '../contract/base/json.ts'
import { type HttpOperation, httpOperationSchema } from '../contract/configuration/http-actuator-schema.ts'
import type { PatternReader } from '../json-schema/linear-pattern.ts'
import { type Meaning, meaningOfRequest } from './classify.ts'
import type { Closing } from './close-schema.ts'
import type { CredentialParameter } from './credential-parameters.ts'
import { problemOfJson, problemOfSchema } from './problem-of-schema.ts'
import { objectAt } from './references.ts'
import { type RequestBody, readBody } from './request-body.ts'
import { type RequestParameters, readParameters } from './request-parameters.ts'
import { Open } from './why-open.ts'
import { plainText } from './wording.ts'

export interface ImportedOperation {
  operation: string
  source: string
  title: string
  parameter_schema: JsonObject
  meaning: Meaning
  tool_schema_hash: string | null
  request?: HttpOperation
  tool?: { tool: string }
  key_header: string | null
  left_out: Issue[]
  credentials: CredentialParameter[]
}

export interface RefusedOperation {
  operation: string
  source: string
  code: string
  message: string
}

export interface DocumentRequest {
  operation: string
  method: string
  path: string
  item: JsonObject
  value: JsonObject
  servers: readonly string[] | null
  /** The reason why the request cannot be read, or null. */
  unreadable: Open | null
}

/** Depths to try, the greatest first, until the schema fits into a catalog entry. */
const depths = [12, 6, 4, 3, 2, 1]
const schemasMax = 3_000

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function importRequest(
  {
    document,
    base_url,
    patterns,
  }: { document: JsonObject; base_url: string | null; patterns: PatternReader },
  request: DocumentRequest,
): ImportedOperation | RefusedOperation {
  const refused = (open: Open): RefusedOperation => {
    const { operation } = request
    return { operation, source: sourceOf(request), code: open.code, message: open.message }
  }
  if (request.unreadable) return refused(request.unreadable)
  if (!methods.has(request.method)) return refused(new Open('unsupported_method', ''))
  if (request.servers !== null && !request.servers.includes(base_url ?? ''))
    return refused(new Open('own_server', ''))
  let last: Open = new Open('too_large', '')
  for (const depthMax of depths) {
    const closing: Closing = { document, patterns, depthMax, leftOut: [], budget: { schemas: schemasMax } }
    const made = writeOut(request, closing)
    if (!(made instanceof Open)) return made
    last = made
    if (made.code !== 'too_large') break
  }
  return refused(last)
}

function writeOut(request: DocumentRequest, closing: Closing): ImportedOperation | Open {
  const { item, value, path } = request
  const parameters = readParameters({ path, lists: [item.parameters, value.parameters] }, closing)
  if (parameters instanceof Open) return parameters
  const body = bodyOf(request, parameters, closing)
  if (body instanceof Open) return body
  const properties = Object.fromEntries([...parameters.properties, ...(body?.properties ?? [])])
  const required = [...parameters.required, ...(body?.required ?? [])]
  const parameter_schema: JsonObject = {
    type: 'object',
    additionalProperties: false,
    ...describeRequest(value),
    properties,
    ...(required.length === 0 ? {} : { required }),
  }
  const asked = requestOf(request, parameters, body, closing)
  const problem = problemOf(parameter_schema, asked)
  if (problem) return problem
  return {
    operation: request.operation,
    source: sourceOf(request),
    title: titleOf(request),
    parameter_schema,
    meaning: meaningOfRequest(request.method, { name: nameSaid(request), path: withoutNames(path) }),
    tool_schema_hash: null,
    request: asked,
    key_header: parameters.keyHeader,
    credentials: parameters.credentials,
    left_out: [...new Map(closing.leftOut.map(open => [open.path, open])).values()].map(
      ({ path: at, code, message }) => ({ path: at, code, message }),
    ),
  }
}

/** Reads the body of a request. The body of a GET is not imported, because servers may drop it. */
function bodyOf(
  { method, value }: DocumentRequest,
  { properties, arrays }: RequestParameters,
  closing: Closing,
): RequestBody | Open | null {
  if (method !== 'GET') return readBody(value, { names: new Set(properties.keys()), arrays }, closing)
  const given = objectAt(closing.document, value.requestBody)
  const dropped = new Open('body_of_get', 'body')
  if (given?.required === true) return dropped
  if (given) closing.leftOut.push(dropped)
  return null
}

/**
 * Checks an operation by the rules of catalogs and registrations, because one refusal would block the whole
 * import.
 */
function problemOf(schema: JsonObject, asked: HttpOperation): Open | null {
  const problem = problemOfSchema(schema)
  if (problem) return problem
  const [refused] = httpOperationSchema.safeParse(asked).error?.issues ?? []
  if (refused) return new Open('not_taken', ['request', ...refused.path].join('.'))
  return problemOfJson(asked, 'request')
}

function requestOf(
  { method, value }: DocumentRequest,
  { path, query, headers, ...parameters }: RequestParameters,
  body: RequestBody | null,
  { document }: Closing,
): HttpOperation {
  const arrays = body ? body.arrays : parameters.arrays
  const own = { ...headers, ...(body?.contentType ? { 'Content-Type': body.contentType } : {}) }
  const isChanging = method !== 'GET' && method !== 'DELETE'
  const template = body?.template ?? (isChanging ? {} : undefined)
  return {
    method: method as HttpOperation['method'],
    path,
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(arrays === null || arrays === 'repeat' ? {} : { arrays }),
    ...(Object.keys(own).length === 0 ? {} : { headers: own }),
    ...(template === undefined ? {} : { body: template }),
    ...(body?.content ? { content: body.content } : {}),
    ...(answersJson(document, value) ? {} : { response: 'ignored' as const }),
  }
}

/** Returns true if a successful answer may be JSON, or if no successful answer is described. */
function answersJson(document: JsonObject, { responses }: JsonObject): boolean {
  if (!isPlainObject(responses)) return true
  const types = Object.entries(responses)
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, response]) => {
      const { content } = objectAt(document, response) ?? {}
      return isPlainObject(content) ? Object.keys(content) : []
    })
  return types.length === 0 || types.some(type => /json|^\*\/\*/.test(type))
}

function describeRequest({ description, summary }: JsonObject): JsonObject {
  const text = [description, summary].find(one => typeof one === 'string' && one.trim() !== '')
  return text === undefined ? {} : { description: plainText(String(text), 1_000) }
}

function titleOf({ value, operation }: DocumentRequest): string {
  const { summary, description, deprecated } = value
  const text = [summary, description].find(one => typeof one === 'string' && one.trim() !== '')
  const title = text === undefined ? operation : plainText(String(text), 200)
  return `${title === '' ? operation : title}${deprecated === true ? ' (deprecated)' : ''}`
}

function sourceOf({ method, path }: DocumentRequest): string {
  return `${method} ${path}`
}

/** Returns the name that the author gave, or an empty text if the name was made from the path. */
function nameSaid({ operation, value }: DocumentRequest): string {
  return typeof value.operationId === 'string' ? operation : ''
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '')
}
