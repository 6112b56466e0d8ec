import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { createPatternReader } from '../json-schema/linear-pattern.ts'
import { type CredentialParameter, isCredentialVariable } from './credential-parameters.ts'
import {
  type DocumentRequest,
  type ImportedOperation,
  importRequest,
  type RefusedOperation,
} from './http-operation.ts'
import { resolve } from './references.ts'
import { type CredentialSource, readSecurity, type Security } from './security.ts'
import { Open } from './why-open.ts'
import { distinct, identifierOf, nameOfRequest, systemOf } from './wording.ts'

export interface ImportedTool {
  system: string
  title: string
  operations: ImportedOperation[]
  refused: RefusedOperation[]
}

export interface ImportedApi extends ImportedTool, Security {
  base_url: string | null
}

export interface DocumentRefused {
  code: string
  message: string
  refused?: RefusedOperation[]
}

export interface ReadingOptions {
  system?: string | undefined
  /** The address of the document. Relative server addresses are resolved against it. */
  from?: string | undefined
  isPlaced?: boolean | undefined
  only?: readonly string[] | undefined
  credentials?: CredentialSource | undefined
}

/** The methods of a path item (OpenAPI 3.1). */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Reads a document of OpenAPI 3. Each operation is proposed or refused separately. */
export function readOpenApi(value: JsonValue, options: ReadingOptions = {}): ImportedApi | DocumentRefused {
  const refusal = refusalOf(value)
  if (refusal) return refusal
  const document = value as JsonObject
  const info = isPlainObject(document.info) ? document.info : {}
  const title = typeof info.title === 'string' && info.title.trim() !== '' ? info.title.trim() : 'API'
  const system = options.system ?? systemOf(title)
  const wanted = options.only === undefined ? null : new Set(options.only)
  const requests = requestsOf(document, options.from).filter(
    ({ operation }) => wanted?.has(operation) ?? true,
  )
  const base_url = baseOf(requests, serverOf(document, options.from), options.isPlaced === true)
  const patterns = createPatternReader()
  const read = requests.map(request => importRequest({ document, base_url, patterns }, request))
  const operations = read.filter(isProposed)
  return {
    system,
    title: title.slice(0, 200),
    base_url,
    ...readSecurity(
      document,
      { system, source: options.credentials ?? 'workers' },
      credentialsIn(operations),
    ),
    operations,
    refused: read.filter((one): one is RefusedOperation => !isProposed(one)),
  }
}

function credentialsIn(operations: readonly ImportedOperation[]): CredentialParameter[] {
  const all = operations.flatMap(({ credentials }) => credentials)
  return [...new Map(all.map(one => [`${one.where} ${one.name.toLowerCase()}`, one])).values()]
}

function isProposed(read: ImportedOperation | RefusedOperation): read is ImportedOperation {
  return 'parameter_schema' in read
}

function refusalOf(value: JsonValue): DocumentRefused | null {
  if (!isPlainObject(value)) return { code: 'not_openapi', message: notOpenApi }
  const { openapi, swagger, paths } = value
  if (swagger !== undefined) {
    const message = `Swagger ${String(swagger).slice(0, 20)} is not read: convert the document to OpenAPI 3 first`
    return { code: 'swagger_2', message }
  }
  if (typeof openapi !== 'string' || !/^3\.[012](?:\.|$)/.test(openapi))
    return { code: 'not_openapi', message: notOpenApi }
  if (!isPlainObject(paths) || Object.keys(paths).length === 0)
    return { code: 'no_paths', message: 'the document has no paths: there is nothing to import' }
  return null
}

const notOpenApi =
  'the document is no OpenAPI 3.0 or 3.1: give one, or the address of a Model Context Protocol server'

/** Returns every request under a distinct name. The name is stable as long as the operation id is. */
export function requestsOf(document: JsonObject, from: string | undefined): DocumentRequest[] {
  const paths = Object.entries(document.paths as JsonObject).filter(([path]) => !path.startsWith('x-'))
  const requests = paths.flatMap(([path, given]) => {
    const item = itemAt(document, given)
    if (item instanceof Open) return [requestAt({ path, method: 'any', item: {}, value: item }, from)]
    return methods.flatMap(method => {
      const value = item[method]
      if (!isPlainObject(value)) return []
      return [requestAt({ path, method, item, value: withoutReference(document, value) }, from)]
    })
  })
  const names = distinct(requests.map(({ operation }) => operation))
  return requests.map((request, at) => ({ ...request, operation: names[at] as string }))
}

function requestAt(
  { path, method, item, value }: { path: string; method: string; item: JsonObject; value: JsonObject | Open },
  from: string | undefined,
): DocumentRequest {
  const unreadable = value instanceof Open ? value : null
  const said: JsonObject = value instanceof Open ? {} : value
  const named = typeof said.operationId === 'string' ? identifierOf(said.operationId) : ''
  const operation = named === '' ? nameOfRequest(method, path) : named
  const servers = serversOf(said, from) ?? serversOf(item, from)
  return { operation, method: method.toUpperCase(), path, item, value: said, servers, unreadable }
}

/** Returns a path item. If its reference leads outside, the methods beside the reference still count. */
function itemAt(document: JsonObject, given: JsonValue): JsonObject | Open {
  const item = withoutReference(document, given)
  const isKnown = isPlainObject(given) && methods.some(method => isPlainObject(given[method]))
  return item instanceof Open && isKnown ? (given as JsonObject) : item
}

/** Resolves a reference. Members beside the reference override the members of its target. */
function withoutReference(document: JsonObject, given: JsonValue): JsonObject | Open {
  if (!isPlainObject(given)) return new Open('malformed', '')
  const { $ref, ...own } = given
  if (typeof $ref !== 'string') return given
  const found = resolve(document, { $ref }, { path: '', trail: [] })
  if (found instanceof Open) return found
  return isPlainObject(found.value) ? { ...found.value, ...own } : new Open('malformed', '')
}

/**
 * Returns the document's first server, or another server if all requests name it. A single request suffices
 * for that only if the document has no server or the importer states the address.
 */
function baseOf(
  requests: readonly DocumentRequest[],
  ofDocument: string | null,
  isGiven: boolean,
): string | null {
  const preset = ofDocument === null ? [] : [ofDocument]
  const [first = preset, ...others] = requests.map(({ servers }) => servers ?? preset)
  const shared = first.filter(server => others.every(servers => servers.includes(server)))
  const isSign = ofDocument === null || isGiven || others.length > 0
  if (!isSign || preset.some(server => shared.includes(server))) return ofDocument
  return shared[0] ?? ofDocument
}

function serversOf({ servers }: JsonObject, from: string | undefined): string[] | null {
  if (!Array.isArray(servers) || servers.length === 0) return null
  return servers.flatMap(server => {
    const written = isPlainObject(server) && typeof server.url === 'string' ? filled(server.url, server) : '/'
    const url = readUrl(written, from)
    if (!url || !/^https?:$/.test(url.protocol)) return []
    return [`${url.origin}${url.pathname.replace(/\/+$/, '')}`]
  })
}

/** Returns the first server. Without servers, it is `/` relative to the document (OpenAPI 3.1, OpenAPI object). */
function serverOf({ servers }: JsonObject, from: string | undefined): string | null {
  const [server = { url: '/' }] = Array.isArray(servers) ? servers : []
  return serversOf({ servers: [server] }, from)?.[0] ?? null
}

/** Fills variables with their defaults. A credential stays unfilled, because its default is only an example. */
function filled(template: string, { variables }: JsonObject): string {
  const given = isPlainObject(variables) ? variables : {}
  return template.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(given, name) && !isCredentialVariable(name) ? given[name] : undefined
    return isPlainObject(variable) && variable.default !== undefined ? String(variable.default) : whole
  })
}

function readUrl(written: string, from: string | undefined): URL | null {
  if (/[{}]/.test(written)) return null
  try {
    return new URL(written, from)
  } catch {
    return null
  }
}
