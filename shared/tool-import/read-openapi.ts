import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { createPatternReader } from '../json-schema/linear-pattern.ts'
import {
  type DocumentRequest,
  type ImportedOperation,
  importRequest,
  type RefusedOperation,
} from './http-operation.ts'
import { objectAt } from './references.ts'
import { type CredentialSource, readSecurity, type Security } from './security.ts'
import { distinct, identifierOf, nameOfRequest, systemOf } from './wording.ts'

/** What a source offers, whoever imports it. */
export interface ImportedTool {
  system: string
  title: string
  operations: ImportedOperation[]
  refused: RefusedOperation[]
}

export interface ImportedApi extends ImportedTool, Security {
  /** Null where the document does not say it. */
  base_url: string | null
}

/** Why a whole document is refused, in one sentence with the way out. */
export interface DocumentRefused {
  code: string
  message: string
}

export interface ReadingOptions {
  /** The name that it gets; made of its title where not given. */
  system?: string | undefined
  /** Where it came from: addresses in it may be relative to that. */
  from?: string | undefined
  /** Names of the operations that are wanted; all where not given. */
  only?: readonly string[] | undefined
  /** Whose its credentials are; those of the workers where not given. */
  credentials?: CredentialSource | undefined
}

/** The methods of a path item (OpenAPI 3.1). */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Reads an OpenAPI 3.0 or 3.1 document: each operation is proposed, or refused by itself. */
export function readOpenApi(value: JsonValue, options: ReadingOptions = {}): ImportedApi | DocumentRefused {
  const refusal = refusalOf(value)
  if (refusal) return refusal
  const document = value as JsonObject
  const info = isPlainObject(document.info) ? document.info : {}
  const title = typeof info.title === 'string' && info.title.trim() !== '' ? info.title.trim() : 'API'
  const system = options.system ?? systemOf(title)
  const wanted = options.only === undefined ? null : new Set(options.only)
  const requests = requestsOf(document).filter(({ operation }) => wanted?.has(operation) ?? true)
  const patterns = createPatternReader()
  const read = requests.map(request => importRequest(document, request, patterns))
  return {
    system,
    title: title.slice(0, 200),
    base_url: serverOf(document, options.from),
    ...readSecurity(document, system, options.credentials ?? 'workers'),
    operations: read.filter(isProposed),
    refused: read.filter((one): one is RefusedOperation => !isProposed(one)),
  }
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

/** Every request of the document under a name of its own, which does not change while its operation id does not. */
function requestsOf(document: JsonObject): DocumentRequest[] {
  const requests = Object.entries(document.paths as JsonObject).flatMap(([path, given]) => {
    const item = objectAt(document, given)
    if (!item || !path.startsWith('/')) return []
    return methods.flatMap(method => {
      const value = item[method]
      if (!isPlainObject(value)) return []
      const named = typeof value.operationId === 'string' ? identifierOf(value.operationId) : ''
      const operation = named === '' ? nameOfRequest(method, path) : named
      return [{ operation, method: method.toUpperCase(), path, item, value }]
    })
  })
  const names = distinct(requests.map(({ operation }) => operation))
  return requests.map((request, at) => ({ ...request, operation: names[at] as string }))
}

/** The address that the paths of a document follow on, without user, query and fragment; null where it has none. */
function serverOf({ servers }: JsonObject, from: string | undefined): string | null {
  const [server] = Array.isArray(servers) ? servers : []
  const written = isPlainObject(server) && typeof server.url === 'string' ? filled(server.url, server) : '/'
  const url = readUrl(written, from)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Variables have their defaults. */
function filled(template: string, { variables }: JsonObject): string {
  const given = isPlainObject(variables) ? variables : {}
  return template.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(given, name) ? given[name] : undefined
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
