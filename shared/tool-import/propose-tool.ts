import { canonicalJson } from '../canon/canonical-json.ts'
import type { Issue } from '../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import { type CatalogOperation, isReading } from '../contract/configuration/catalog.ts'
import type { HttpOperation, HttpSettings } from '../contract/configuration/http-actuator-schema.ts'
import type { McpSettings } from '../contract/configuration/mcp-actuator-schema.ts'
import { type Meaning, stricter } from './classify.ts'
import type { ImportedOperation } from './http-operation.ts'
import { isAllowed, operationSettings, type PlacedTool, type TenantDocuments } from './place-tool.ts'
import type { ImportedApi, ImportedTool } from './read-openapi.ts'
import { schemaChanges } from './schema-changes.ts'

export interface OperationChange {
  code: 'new' | 'schema' | 'description' | 'request' | 'definition' | 'review' | 'gone'
  message: string
}

export interface ProposedOperation {
  operation: string
  source: string
  changes: OperationChange[]
  left_out: Issue[]
}

export interface ProposedTool extends PlacedTool {
  proposed: ProposedOperation[]
  gone: string[]
  denied: DeniedOperations[]
  warnings: Issue[]
}

/**
 * Operations that the policy allows but the tenant's first catalog would deny; null for all operations of the
 * system.
 */
export interface DeniedOperations {
  system: string
  operations: string[] | null
}

export type Origin =
  /** `moves` is true if the importer states the address. */
  | { kind: 'http'; api: ImportedApi; base_url: string; moves?: boolean }
  | { kind: 'mcp'; tool: ImportedTool; transport: McpSettings['transport'] }

/**
 * Compares a source with a tenant's documents. If `partial`, operations that the import did not ask for are
 * kept.
 */
export function proposeTool(
  documents: TenantDocuments,
  origin: Origin,
  { system, partial }: { system: string; partial: boolean },
): ProposedTool {
  const { operations: offered } = origin.kind === 'http' ? origin.api : origin.tool
  const registered = documents.actuators.find(({ name }) => name === system)
  const known = registered?.kind === origin.kind ? registered : undefined
  const entries = (documents.catalog?.operations ?? []).filter(entry => entry.system === system)
  const before = new Map(entries.map(entry => [entry.operation, entry]))
  const names = new Set(offered.map(({ operation }) => operation))
  const others = entries.filter(({ operation }) => !names.has(operation))
  const kept = partial ? others : []
  const actuator = actuatorOf({ system, origin, known, kept: kept.map(({ operation }) => operation) })
  const made = offered.map(operation =>
    compare(operation, { system, kind: origin.kind, before, known, actuator }),
  )
  const isIn = (operation: string) => !before.has(operation) || isAllowed(documents.policy, system, operation)
  const operations = [...made.map(({ entry }) => entry), ...kept]
  return {
    actuator,
    operations,
    allowed: operations.map(({ operation }) => operation).filter(isIn),
    proposed: [
      ...made.map(({ proposed }) => proposed),
      ...kept.map(({ operation }) => ({ operation, source: '', changes: [], left_out: [] })),
    ],
    gone: partial ? [] : others.map(({ operation }) => operation),
    denied: deniedBy(documents, { system, operations }),
    warnings: [
      ...replaced(registered, origin),
      ...(origin.kind === 'http'
        ? [
            ...movedFrom(known, origin),
            ...unsent(origin.api, known?.settings as HttpSettings | undefined),
            ...withoutKey(actuator, origin.api),
          ]
        : []),
    ],
  }
}

interface Comparing {
  system: string
  kind: 'http' | 'mcp'
  before: ReadonlyMap<string, CatalogOperation>
  known: RegisteredActuator | undefined
  actuator: RegisteredActuator
}

function compare(
  imported: ImportedOperation,
  { system, kind, before, known, actuator }: Comparing,
): { entry: CatalogOperation; proposed: ProposedOperation } {
  const { operation, source, title, parameter_schema, meaning, tool_schema_hash, left_out } = imported
  const old = before.get(operation)
  const entryOf = (review: Meaning): CatalogOperation => ({
    system,
    operation,
    title,
    parameter_schema,
    ...review,
    actuator: { name: system, kind },
    idempotency: idempotencyIn(actuator, operation),
    tool_schema_hash,
    ...(old?.execute_within_ms === undefined ? {} : { execute_within_ms: old.execute_within_ms }),
  })
  if (!old) {
    const changes: OperationChange[] = [{ code: 'new', message: 'is new' }]
    return { entry: entryOf(meaning), proposed: { operation, source, changes, left_out } }
  }
  const changes = changesOf(old, imported, [known, actuator])
  const review = changes.length === 0 ? reviewOf(old) : stricter(reviewOf(old), meaning)
  const isRaised =
    canonicalJson(review as unknown as JsonValue) !== canonicalJson(reviewOf(old) as unknown as JsonValue)
  const raised: OperationChange[] = isRaised
    ? [{ code: 'review', message: `would be of ${review.minimum_risk} risk and ${review.reversibility}` }]
    : []
  return {
    entry: entryOf(review),
    proposed: { operation, source, changes: [...changes, ...raised], left_out },
  }
}

function reviewOf({ effects, minimum_risk, reversibility }: CatalogOperation): Meaning {
  return { effects, minimum_risk, reversibility }
}

function changesOf(
  old: CatalogOperation,
  imported: ImportedOperation,
  [known, actuator]: readonly [RegisteredActuator | undefined, RegisteredActuator],
): OperationChange[] {
  const { operation, parameter_schema, tool_schema_hash, title } = imported
  const changes: OperationChange[] = schemaChanges(old.parameter_schema, parameter_schema).map(message => ({
    code: 'schema',
    message,
  }))
  const isReworded = old.title !== title || old.parameter_schema.description !== parameter_schema.description
  if (isReworded) changes.push({ code: 'description', message: 'describes itself in other words' })
  const requests = [known, actuator].map(one => operationSettings(one, operation) ?? null)
  if (!same(requests[0] ?? null, requests[1] ?? null)) {
    changes.push({ code: 'request', message: `is asked in another way: ${imported.source}` })
  }
  if (old.tool_schema_hash !== tool_schema_hash && changes.length === 0) {
    changes.push({
      code: 'definition',
      message: 'has another definition: its words, its annotations or its results',
    })
  }
  return changes
}

function actuatorOf({
  system,
  origin,
  known,
  kept,
}: {
  system: string
  origin: Origin
  known: RegisteredActuator | undefined
  kept: readonly string[]
}): RegisteredActuator {
  const others = kept.flatMap(operation => {
    const settings = operationSettings(known, operation)
    return settings === undefined ? [] : [[operation, settings] as const]
  })
  if (origin.kind === 'mcp') {
    const tools = origin.tool.operations.map(({ operation, tool }) => {
      const old = operationSettings(known, operation)
      return [operation, { ...old, ...tool }] as const
    })
    const settings = {
      ...(known?.settings as McpSettings | undefined),
      transport: (known?.settings as McpSettings | undefined)?.transport ?? origin.transport,
      tools: Object.fromEntries([...others, ...tools]),
    }
    return { name: system, kind: 'mcp', settings: settings as McpSettings }
  }
  const { api, base_url } = origin
  const settled = (known?.settings as HttpSettings | undefined) ?? {
    base_url,
    ...keyOf(api.operations),
    ...(api.auth === undefined ? {} : { auth: api.auth }),
    ...(api.headers === undefined ? {} : { headers: api.headers }),
  }
  const operations = api.operations.map(imported => {
    const { operation, request } = imported
    const old = operationSettings(known, operation) as HttpOperation | undefined
    const asked = { ...(request as HttpOperation), ...ownKey(imported, settled, old) }
    return [operation, requestSettings(asked, old)] as const
  })
  const settings = {
    ...settled,
    ...(origin.moves === true ? { base_url } : {}),
    operations: Object.fromEntries([...others, ...operations]),
  }
  return { name: system, kind: 'http', settings: settings as HttpSettings }
}

/** Takes the request from the document, but keeps settings that a reviewer made, such as how answers are read. */
function requestSettings(request: HttpOperation, old: HttpOperation | undefined): JsonObject {
  if (!old) return request as unknown as JsonObject
  const {
    method: _method,
    path: _path,
    query: _query,
    body: _body,
    content: _content,
    idempotency: _idempotency,
    headers,
    ...reviewed
  } = old as unknown as JsonObject
  const { headers: asked, ...own } = request as unknown as JsonObject
  const together = { ...(headers as JsonObject | undefined), ...(asked as JsonObject | undefined) }
  return { ...own, ...reviewed, ...(Object.keys(together).length === 0 ? {} : { headers: together }) }
}

type KeySettings = Pick<HttpSettings, 'idempotency' | 'idempotency_header'>

/**
 * Returns the operation's own idempotency, or nothing if the registration's applies. The document decides for
 * a new operation. An old operation without its own idempotency keeps the registration's, and `none` never
 * becomes `key_honoured`.
 */
function ownKey(
  { key_header, request, meaning }: ImportedOperation,
  { idempotency = 'none', idempotency_header = presetKeyHeader }: KeySettings,
  old: HttpOperation | undefined,
): Pick<HttpOperation, 'idempotency'> {
  // A GET that may change something is marked `none`, so that it never counts as a read.
  if (request?.method === 'GET')
    return isReading(meaning) && old?.idempotency !== 'none' ? {} : { idempotency: 'none' }
  if (old && old.idempotency === undefined) return {}
  const takesIt = key_header?.toLowerCase() === idempotency_header.toLowerCase()
  const own = takesIt && old?.idempotency !== 'none' ? 'key_honoured' : 'none'
  return own === idempotency && old?.idempotency === undefined ? {} : { idempotency: own }
}

function idempotencyIn(actuator: RegisteredActuator, operation: string): CatalogOperation['idempotency'] {
  const all = 'idempotency' in actuator.settings ? actuator.settings.idempotency : undefined
  const own = operationSettings(actuator, operation) as Partial<HttpOperation> | undefined
  return own?.idempotency ?? all ?? 'none'
}

/** Warns of changing operations that do not take the key, if other operations of the registration honour it. */
function withoutKey(actuator: RegisteredActuator, { operations }: ImportedApi): Issue[] {
  const changing = operations.filter(({ request }) => request?.method !== 'GET')
  const honours = ({ operation }: ImportedOperation) => idempotencyIn(actuator, operation) === 'key_honoured'
  const lacking = changing.filter(one => !one.key_header)
  if (!changing.some(honours)) return []
  return lacking.map(one => ({
    path: `actuator.settings.operations.${one.operation}.idempotency`,
    code: 'key_not_taken',
    message: honours(one)
      ? `the document does not say that ${one.operation} takes the key, and its registration does`
      : `${one.operation} takes no key: what may have happened is not sent again by itself`,
  }))
}

const presetKeyHeader = 'Idempotency-Key'

/** Marks the idempotency key as honoured if every changing request takes it in the same header. */
function keyOf(operations: readonly ImportedOperation[]): KeySettings {
  const changing = operations.filter(({ request }) => request?.method !== 'GET')
  const headers = new Set(changing.map(({ key_header }) => key_header))
  const [header] = headers
  if (headers.size !== 1 || !header) return {}
  return {
    idempotency: 'key_honoured',
    ...(header.toLowerCase() === presetKeyHeader.toLowerCase() ? {} : { idempotency_header: header }),
  }
}

/** Lists the operations that a first catalog would deny, because with a catalog every proposal needs an entry. */
function deniedBy(
  { policy, catalog }: TenantDocuments,
  { system, operations }: { system: string; operations: readonly CatalogOperation[] },
): DeniedOperations[] {
  if (catalog) return []
  const entered = new Set(operations.map(({ operation }) => operation))
  return policy.allowed_systems.flatMap((name): DeniedOperations[] => {
    const listed = Object.hasOwn(policy.allowed_operations, name)
      ? (policy.allowed_operations[name] ?? [])
      : null
    if (listed === null) return [{ system: name, operations: null }]
    const without = name === system ? listed.filter(operation => !entered.has(operation)) : listed
    return without.length === 0 ? [] : [{ system: name, operations: [...without] }]
  })
}

function unsent(api: ImportedApi, known: HttpSettings | undefined): Issue[] {
  if (!known) return api.warnings
  const { auth, headers = {} } = known
  if (api.auth === undefined || auth !== undefined || Object.keys(headers).length > 0) return []
  const names = api.credentials.map(({ message }) => message).join(', ')
  const message = `the source asks for ${names}, and the registration sends none: add it`
  return [{ path: 'actuator.settings.auth', code: 'credential_not_sent', message }]
}

function replaced(registered: RegisteredActuator | undefined, origin: Origin): Issue[] {
  if (!registered || registered.kind === origin.kind) return []
  const message = `the ${registered.kind} actuator ${registered.name} is replaced`
  return [{ path: 'actuator.kind', code: 'actuator_replaced', message }]
}

function movedFrom(
  known: RegisteredActuator | undefined,
  origin: Extract<Origin, { kind: 'http' }>,
): Issue[] {
  if (!known || origin.moves === true) return []
  const { base_url } = known.settings as HttpSettings
  if (base_url.replace(/\/$/, '') === origin.base_url) return []
  const message = `the source names ${origin.base_url}: calls go on to ${base_url} until somebody changes it`
  return [{ path: 'actuator.settings.base_url', code: 'other_server', message }]
}

function same(left: JsonValue, right: JsonValue): boolean {
  return canonicalJson(left) === canonicalJson(right)
}
