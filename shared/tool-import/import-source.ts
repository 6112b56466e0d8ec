import { parsePlainYaml } from '../canon/strict-yaml.ts'
import { kindOf } from '../contract/actuator-kind/kinds.ts'
import { isPlainObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { McpSettings } from '../contract/configuration/mcp-actuator-schema.ts'
import type { RefusedOperation } from './http-operation.ts'
import type { TenantDocuments } from './place-tool.ts'
import { type ProposedTool, proposeTool } from './propose-tool.ts'
import { type DocumentRefused, type ImportedTool, readOpenApi } from './read-openapi.ts'
import { type ListedTool, readTools } from './read-tools.ts'
import type { Credential, CredentialSource } from './security.ts'

export interface ImportJob {
  source:
    | { kind: 'openapi'; text: string; from: string | null }
    | { kind: 'mcp'; name: string; tools: ListedTool[]; transport: McpSettings['transport'] }
  documents: TenantDocuments
  system: string | null
  base_url: string | null
  only: string[] | null
  credentials: CredentialSource
}

/** A result of plain values, because it is passed between threads. */
export interface ImportResult {
  system: string
  title: string
  tool: ProposedTool
  refused: RefusedOperation[]
  credentials: Credential[]
}

export function importSource(job: ImportJob): ImportResult | DocumentRefused {
  return job.source.kind === 'mcp' ? importServer(job, job.source) : importDocument(job, job.source)
}

function importServer(
  job: ImportJob,
  { name, tools, transport }: Extract<ImportJob['source'], { kind: 'mcp' }>,
): ImportResult | DocumentRefused {
  const tool = readTools(tools, { name, ...optionsOf(job) })
  const lacking = unknownNames(job, tool) ?? nothingIn(tool)
  if (lacking) return lacking
  const partial = job.only !== null
  const proposed = proposeTool(
    job.documents,
    { kind: 'mcp', tool, transport },
    { system: tool.system, partial },
  )
  return { system: tool.system, title: tool.title, tool: proposed, refused: tool.refused, credentials: [] }
}

function importDocument(
  job: ImportJob,
  { text, from }: Extract<ImportJob['source'], { kind: 'openapi' }>,
): ImportResult | DocumentRefused {
  const read = readText(text)
  if (!('value' in read)) return read
  const placed = { isPlaced: job.base_url !== null, ...(from === null ? {} : { from }) }
  const api = readOpenApi(read.value, { ...optionsOf(job), ...placed })
  if (!('operations' in api)) return api
  const base_url = job.base_url ?? api.base_url ?? registeredUrl(job.documents, api.system)
  if (base_url === null) {
    const message = 'the document does not say where it is served: give base_url'
    return { code: 'base_url_missing', message }
  }
  const lacking = unknownNames(job, api) ?? nothingIn(api)
  if (lacking) return lacking
  const origin = { kind: 'http', api, base_url, moves: job.base_url !== null } as const
  const tool = proposeTool(job.documents, origin, { system: api.system, partial: job.only !== null })
  const credentials = api.credentials.filter(({ name }) => namesIn(tool.actuator, name))
  return { system: api.system, title: api.title, tool, refused: api.refused, credentials }
}

/** Returns true if the settings name this credential, because a kept registration may name other credentials. */
function namesIn({ settings }: RegisteredActuator, name: string): boolean {
  return JSON.stringify(settings).includes(JSON.stringify(name))
}

function optionsOf({ system, only, credentials }: ImportJob) {
  return { credentials, ...(system === null ? {} : { system }), ...(only === null ? {} : { only }) }
}

function registeredUrl({ actuators }: TenantDocuments, system: string): string | null {
  const registered = actuators.find(({ name }) => name === system)
  return registered ? (kindOf(registered).urls(registered.settings).base_url ?? null) : null
}

/** Refuses operation names that the source does not have, because the caller must have made a mistake. */
function unknownNames({ only }: ImportJob, { operations, refused }: ImportedTool): DocumentRefused | null {
  const known = new Set([...operations, ...refused].map(({ operation }) => operation))
  const unknown = (only ?? []).filter(name => !known.has(name))
  if (unknown.length === 0) return null
  return {
    code: 'operation_unknown',
    message: `the source has no operation ${unknown.slice(0, 5).join(', ')}: list them first`,
  }
}

/** Refuses an import without operations, because its catalog would deny every operation of the system. */
function nothingIn({ operations, refused }: ImportedTool): DocumentRefused | null {
  if (operations.length > 0) return null
  const message =
    refused.length === 0
      ? 'the source offers no operation'
      : `none of its operations can be imported (${refused.length}): the reasons say what to correct`
  return { code: 'nothing_to_import', message, refused }
}

/** Refuses a document that is too large, before it is parsed. */
export function refuseLarge(bytes: number): DocumentRefused | null {
  if (bytes <= limits.import_bytes_max) return null
  const most = limits.import_bytes_max / 1_048_576
  const message = `the document has ${Math.ceil(bytes / 1_048_576)} MiB, and ${most} MiB are read: leave out what is not needed`
  return { code: 'document_too_large', message }
}

export function readText(given: string): { value: JsonValue } | DocumentRefused {
  const large = refuseLarge(Buffer.byteLength(given))
  if (large) return large
  const text = given.replace(/^\ufeff/, '')
  if (/^\s*[{[]/.test(text)) {
    try {
      return { value: wellFormed(JSON.parse(text) as JsonValue, text) }
    } catch {
      // YAML may also begin with a brace, so the YAML reader's error is the one to report.
    }
  }
  const read = parsePlainYaml(text)
  if (read.ok) return { value: wellFormed(read.value, text) }
  return {
    code: 'unreadable_document',
    message: `the document is neither JSON nor YAML: ${read.issue.message}`,
  }
}

const halves = /\p{Cs}/gu

/** Replaces lone surrogates by U+FFFD, because recorded text cannot hold lone surrogates. */
function wellFormed(value: JsonValue, written: string): JsonValue {
  const whole = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return part.replace(halves, '\ufffd')
    if (Array.isArray(part)) return part.map(whole)
    if (!isPlainObject(part)) return part
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name.replace(halves, '\ufffd'), whole(inner)]),
    )
  }
  return /\\u[dD][89a-fA-F]|\p{Cs}/u.test(written) ? whole(value) : value
}
