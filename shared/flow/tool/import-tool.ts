import { fetchDocument } from '../../actuator/fetch-document.ts'
import { listServerTools } from '../../actuator/mcp/list-tools.ts'
import { noneStored, placesOf, type SecretLack } from '../../actuator/stored-secrets.ts'
import { type RegistryDependencies, storedSecretsOf } from '../../actuator/surroundings.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { ToolImport } from '../../contract/configuration/tool-import.ts'
import type { ImportJob } from '../../tool-import/import-source.ts'
import type { DocumentRefused } from '../../tool-import/read-openapi.ts'
import type { Context } from '../core/context.ts'
import { egressOf } from '../core/egress.ts'
import { mayNameMeans, variablesOf } from '../core/operator-means.ts'
import { readMeans } from '../execution/judge-registrations.ts'
import { withDependencies } from '../execution/mark-worker.ts'
import { awaitDownstream } from './await-downstream.ts'
import type { ThreadJob } from './import-thread.ts'
import { readInThread } from './read-in-thread.ts'
import { readRecord } from './tenant-tools.ts'

const fetchMs = 20_000

const tooManyImports: DocumentRefused = {
  code: 'too_many_imports',
  message: 'as many imports and test calls wait for an answer as may: ask again when one has ended',
}

/** Proposes a tool from a source and compares it with the tenant's, as JSON (`ToolProposal`); stores nothing. */
export async function importTool(
  context: Context,
  { tenant_id, request, author }: { tenant_id: string; request: ToolImport; author: Author },
): Promise<Uint8Array> {
  const { grants: _, ...record } = await readRecord(context, tenant_id)
  const { source, bytes } = await fetchSource(context, request, { tenant_id, author })
  const job: ThreadJob['job'] = {
    source,
    system: request.system ?? null,
    base_url: request.base_url ?? null,
    only: request.only ?? null,
    // Stored secrets are preferred if possible, because an operator's variables require a restart of the workers.
    credentials: mayNameMeans(author) && context.sealingKey === null ? 'workers' : 'tenant',
  }
  const { strict, body_limit } = context.config
  const around = { record, author, strict, body_limit, means: await readMeans(context, tenant_id) }
  const read = await readInThread(tenant_id, { job, around, bytes })
  if ('code' in read) throw refused(read)
  if (read.mismatches.length > 0) context.events.proofNotConfirmed(read.mismatches)
  return read.proposal
}

interface Fetched {
  source: ImportJob['source']
  /**
   * The bytes that the digest covers; the text of a document is decoded from them in a thread, beside the event
   * loop.
   */
  bytes: Uint8Array<ArrayBuffer>
}

interface Asking {
  tenant_id: string
  author: Author
}

async function fetchSource(context: Context, request: ToolImport, asking: Asking): Promise<Fetched> {
  const { source } = request
  if (source.kind === 'openapi') {
    return { source: { kind: 'openapi', text: '', from: null }, bytes: new TextEncoder().encode(source.text) }
  }
  const fetched = await awaitDownstream(asking, () => fetchElsewhere(context, { ...request, source }, asking))
  if (fetched === null) throw refused(tooManyImports)
  return fetched
}

async function fetchElsewhere(
  context: Context,
  {
    source,
    system,
    secrets = {},
  }: ToolImport & { source: Exclude<ToolImport['source'], { kind: 'openapi' }> },
  asking: Asking,
): Promise<Fetched> {
  const signal = context.ending.signal
  if (source.kind === 'mcp') {
    const { transport } = source
    return withDependencies(context, around =>
      listServer(transport, { around, signal, actuator: system ?? '', given: secrets, ...asking }),
    )
  }
  const bounds = {
    guard: egressOf(context),
    timeout_ms: fetchMs,
    max_response_bytes: limits.import_bytes_max,
  }
  const fetched = await fetchDocument(new URL(source.url), { ...bounds, signal })
  if ('code' in fetched) throw refused(fetched)
  return { source: { kind: 'openapi', text: '', from: source.url }, bytes: fetched.bytes }
}

interface Listing extends Asking {
  around: RegistryDependencies
  signal: AbortSignal
  actuator: string
  given: Readonly<Record<string, string>>
}

/**
 * Lists the tools of a server as the workers would reach it; only an operator may name the workers' programs and
 * variables.
 */
async function listServer(
  transport: McpSettings['transport'],
  { around, signal, actuator, given, tenant_id, author }: Listing,
): Promise<Fetched> {
  const names = transport.type === 'stdio' || variablesOf(transport).length > 0
  if (names && !mayNameMeans(author)) {
    const message = 'programs and variables of the workers are the operator’s: ask them to import this server'
    throw refused({ code: 'operator_only', message })
  }
  const bounds = { timeout_ms: fetchMs, max_response_bytes: limits.actuator_response_bytes_max, signal }
  const secrets = await storedFor(transport, { around, actuator, given, tenant_id })
  const listed = await listServerTools(transport, { ...around, secrets }, bounds)
  if ('code' in listed) throw refused(listed)
  const { name, tools } = listed
  const definitions = canonicalJson(tools.map(tool => [tool.name, tool.hash]) as JsonValue)
  return { source: { kind: 'mcp', name, tools, transport }, bytes: new TextEncoder().encode(definitions) }
}

/** Returns the workers' variables and the secrets stored for this actuator, since a secret goes to no other. */
async function storedFor(
  transport: McpSettings['transport'],
  { around, actuator, given, tenant_id }: Omit<Listing, 'signal' | 'author'>,
): Promise<RegistryDependencies['secrets']> {
  const named = storedSecretsOf(transport)
  const values = new Map(Object.entries(given).filter(([name]) => named.includes(name)))
  const names = named.filter(name => !values.has(name))
  if (names.length === 0) return beside(around, values)
  const wanted = { tenant_id, actuator, names, places: placesOf({ kind: 'mcp', settings: { transport } }) }
  const opened = await (around.stored ?? noneStored)(wanted)
  if (opened === null)
    throw refused({ code: 'secret_not_read', message: 'its secrets could not be read: ask again' })
  if (opened instanceof Map) return beside(around, new Map([...opened, ...values]))
  const { code, message } = opened as SecretLack
  throw refused({ code, message: `${message}; give its value with the import` })
}

function beside(
  { secrets }: RegistryDependencies,
  values: ReadonlyMap<string, string>,
): RegistryDependencies['secrets'] {
  return {
    get: name => values.get(name) ?? secrets.get(name),
    has: name => values.has(name) || secrets.has(name),
  }
}

const reasonsMax = 20

function refused({ code, message, refused: operations = [] }: DocumentRefused): ServiceError {
  const reasons = operations.slice(0, reasonsMax).map(({ operation, code, message }) => ({
    path: `source.${operation}`,
    code,
    message,
  }))
  return new ServiceError('source_refused', message, [{ path: 'source', code, message }, ...reasons])
}
