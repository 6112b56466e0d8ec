import type { Client, Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Outcome } from '../../contract/configuration/actuator.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator.ts'
import { openDeadline } from '../../runtime/deadline.ts'
import type { Actuator, Invocation } from '../actuator.ts'
import { refusalIn } from '../egress/egress-guard.ts'
import { isTooLate } from '../in-time.ts'
import { reasonOf } from '../reason-of.ts'
import { type Redact, redacting } from '../redact.ts'
import type { ActuatorDependencies } from '../surroundings.ts'
import { busyIn, createClient, openTransport } from './open-client.ts'
import { toolHash } from './tool-hash.ts'
import { requestOf } from './tool-request.ts'
import { type ToolAnswer, type Wire, watchWire } from './watch-wire.ts'

interface Mcp {
  settings: McpSettings
  around: ActuatorDependencies
  redact: Redact
}

/** What is agreed on a tool: its name at the server and the hash of its definition. */
interface Commitment {
  tool: string
  hash: string
  errorMeansNothingDone: boolean
}

const timeoutPresetMs = limits.actuator_timeout_ms_preset
const responsePresetBytes = 65_536
const listPagesMax = 20
const timeoutOf = ({ timeout_ms }: McpSettings): number => timeout_ms ?? timeoutPresetMs

/** Member of `_meta` in which a server that honours the key finds it. */
export const idempotencyMember = 'io.action-gate/idempotency-key'

/**
 * Calls one tool of a Model Context Protocol server for each operation (specification.md#actuators). The definition that the
 * server publishes in the same session must have the hash that was committed to: a tool swapped under us is not called.
 */
export function mcpActuator(name: string, settings: McpSettings, around: ActuatorDependencies): Actuator {
  const { transport } = settings
  const server = transport.type === 'stdio' ? around.mcpServers.get(transport.server) : undefined
  const mcp = { settings, around, redact: redacting([settings, server ?? null], around.secrets) }
  return {
    name,
    idempotency: settings.idempotency ?? 'none',
    timeout_ms: timeoutOf(settings),
    ...(settings.key_retention_ms === undefined ? {} : { key_retention_ms: settings.key_retention_ms }),
    requestOf: operation => requestOf(settings, operation),
    invoke: invocation => invoke(mcp, invocation),
  }
}

async function invoke(mcp: Mcp, invocation: Invocation): Promise<Outcome> {
  const agreed = commitmentOf(mcp.settings, invocation)
  if ('class' in agreed) return agreed
  const deadline = openDeadline(invocation.signal, timeoutOf(mcp.settings))
  try {
    return await withTimeout(mcp, agreed, { ...invocation, signal: deadline.signal })
  } finally {
    deadline.clear()
  }
}

function commitmentOf({ tools }: McpSettings, invocation: Invocation): Commitment | Outcome {
  const { operation, tool_schema_hash } = invocation
  const entry = Object.hasOwn(tools, operation) ? tools[operation] : undefined
  if (!entry) return failed('operation_not_registered', `no tool is registered for ${operation}`)
  const hash = tool_schema_hash ?? entry.tool_schema_hash
  if (hash === undefined) {
    return failed('tool_not_committed', `neither catalog nor registration commit to the tool of ${operation}`)
  }
  return {
    tool: entry.tool ?? operation,
    hash,
    errorMeansNothingDone: entry.error_means_nothing_done ?? false,
  }
}

/** Before the call everything that fails is proof that nothing was done; after it nothing is. */
async function withTimeout(mcp: Mcp, agreed: Commitment, invocation: Invocation): Promise<Outcome> {
  const { settings, around } = mcp
  const client = createClient()
  let end = async (): Promise<void> => undefined
  try {
    const timeout_ms = timeoutOf(settings)
    const max_response_bytes = settings.max_response_bytes ?? responsePresetBytes
    const { isLate } = invocation
    const opened = openTransport(settings.transport, around, { timeout_ms, max_response_bytes, isLate })
    end = opened.end
    const wire = watchWire(opened.transport, isLate)
    const options = { signal: invocation.signal, timeout: timeout_ms }
    await client.connect(opened.transport, options)
    const tool = await findTool(client, agreed.tool, options)
    const problem = mismatch(tool, agreed)
    if (problem) return problem
    return await call(mcp, client, { tool: tool as Tool, agreed, invocation, options, wire })
  } catch (error) {
    const refused = refusalIn(error)
    if (refused) return failed(refused.code, refused.message)
    return notCalled(mcp, error)
  } finally {
    // What closing says is nothing about the call.
    await end().catch(() => undefined)
  }
}

interface CallOptions {
  signal: AbortSignal
  timeout: number
}

/** The tool as the server lists it in this session, past any cache. */
async function findTool(client: Client, name: string, options: CallOptions): Promise<Tool | undefined> {
  let cursor: string | undefined
  for (let page = 0; page < listPagesMax; page += 1) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor }, {
      ...options,
      cacheMode: 'refresh',
    })
    const found = listed.tools.find(tool => tool.name === name)
    if (found || listed.nextCursor === undefined) return found
    cursor = listed.nextCursor
  }
  return undefined
}

function mismatch(tool: Tool | undefined, { tool: name, hash }: Commitment): Outcome | null {
  if (!tool) return failed('tool_not_found', `the server offers no tool ${name}`)
  const live = toolHash(tool)
  if (live === hash) return null
  return failed('tool_schema_mismatch', `the tool ${name} of the server has ${live}, committed to is ${hash}`)
}

interface ToolCall {
  tool: Tool
  agreed: Commitment
  invocation: Invocation
  options: CallOptions
  wire: Wire
}

/** What the server answered decides, as it came over the wire; what the client makes of it does not. */
async function call(
  mcp: Mcp,
  client: Client,
  { tool, agreed, invocation, options, wire }: ToolCall,
): Promise<Outcome> {
  const { parameters, idempotency_key, traceparent } = invocation
  const request = {
    name: tool.name,
    arguments: parameters,
    _meta: { [idempotencyMember]: idempotency_key, traceparent },
  }
  const thrown = await client.callTool(request, { ...options, toolDefinition: tool }).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const answer = wire.answer()
  if (answer) return readToolAnswer(mcp, answer, agreed)
  const error = thrown?.error
  if (!wire.sent() || isTooLate(error) || busyIn(error)) return notCalled(mcp, error)
  return {
    class: 'unknown',
    code: 'no_complete_answer',
    message: reasonOf(error, mcp.redact.text),
  }
}

function readToolAnswer(mcp: Mcp, answer: ToolAnswer, { errorMeansNothingDone }: Commitment): Outcome {
  const errorClass = errorMeansNothingDone ? 'failed' : 'unknown'
  if (answer.kind === 'error') {
    const message = mcp.redact.text(`${answer.code}: ${answer.message}`).slice(0, 500)
    return { class: errorClass, code: 'tool_error', message }
  }
  const { isError, resultType = 'complete' } = answer.result
  if (resultType !== 'complete') {
    const message = 'the tool answered, and not with a complete result'
    return { class: 'unknown', code: 'incomplete_result', message }
  }
  const detail = detailOf(mcp, answer.result)
  if (isError !== true) return { class: 'ok', detail }
  return {
    class: errorClass,
    code: 'tool_error',
    message: JSON.stringify(detail).slice(0, 500),
    body: detail,
  }
}

/** Before the tool was called: nothing was done. */
function notCalled(mcp: Mcp, error: unknown): Outcome {
  const message = reasonOf(error, mcp.redact.text)
  const busy = busyIn(error)
  if (!busy) return { class: 'retry', code: isTooLate(error) ? 'too_late' : 'mcp_not_ready', message }
  const { code, retry_after_ms } = busy
  return { class: 'busy', code, message, ...(retry_after_ms === null ? {} : { retry_after_ms }) }
}

function detailOf(
  mcp: Mcp,
  { content = [], structuredContent }: Record<string, JsonValue | undefined>,
): JsonObject {
  const told: JsonObject =
    structuredContent === undefined ? { content } : { content, structured_content: structuredContent }
  try {
    canonicalJson(told)
  } catch {
    // What is nested so deeply that it cannot be walked says nothing against that it was done.
    return { omitted: 'not_json' }
  }
  return mcp.redact.json(told) as JsonObject
}

function failed(code: string, message: string): Outcome {
  return { class: 'failed', code, message }
}
