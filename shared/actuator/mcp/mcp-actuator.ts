import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import { openDeadline, unlessAborted } from '../../runtime/deadline.ts'
import { type Actuator, type Invocation, isTooLate } from '../actuator.ts'
import { refusalIn } from '../egress/egress-guard.ts'
import { hideIn, type Redact, reasonOf, redacting } from '../recorded-text.ts'
import type { ActuatorDependencies } from '../surroundings.ts'
import { followTask, taskIn } from './follow-task.ts'
import type { SessionState, Wanted } from './kept-sessions.ts'
import { type Attempt, type CallParams, type Confirmed, openSession, type Session } from './mcp-session.ts'
import { identityOf, resolveServer } from './resolve-server.ts'
import { busyIn, isSessionEnded } from './server-refusal.ts'
import { requestOf, toolHash } from './tool-request.ts'
import { ToolsChanged, type WireAnswer } from './watch-wire.ts'

interface Mcp {
  settings: McpSettings
  around: ActuatorDependencies
  redact: Redact
}

interface Commitment {
  tool: string
  hash: string
  errorMeansNothingDone: boolean
}

const timeoutPresetMs = limits.actuator_timeout_ms_preset
const responsePresetBytes = 65_536
const timeoutOf = ({ timeout_ms }: McpSettings): number => timeout_ms ?? timeoutPresetMs

/** The member of `_meta` that carries the idempotency key to a server that honours it. */
export const idempotencyMember = 'io.action-gate/idempotency-key'

/** An actuator that never returns `accepted`, because it follows a task to its end within the attempt. */
interface McpActuator extends Actuator {
  invoke(invocation: Invocation): Promise<Outcome>
}

/**
 * Makes an actuator that calls one Model Context Protocol tool per operation (specification.md#actuators).
 * The tool's definition in the same session must have the committed hash, so that a swapped tool is never
 * called.
 */
export function mcpActuator(name: string, settings: McpSettings, around: ActuatorDependencies): McpActuator {
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
    return hideIn(await callInTime(mcp, agreed, { ...invocation, signal: deadline.signal }), mcp.redact)
  } catch (error) {
    throw new Error(reasonOf(error, mcp.redact.text))
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

/**
 * Treats a failure before the call as proof that nothing was done; a later failure is thrown, because it
 * proves nothing. If a kept session fails or the tools change before the call, it tries once more, because
 * the cause may lie in the session's past.
 */
async function callInTime(mcp: Mcp, agreed: Commitment, invocation: Invocation): Promise<Outcome> {
  const { signal, isLate } = invocation
  const call = { agreed, invocation, attempt: { signal, isLate, timeout_ms: timeoutOf(mcp.settings) } }
  const wanted = wantedSession(mcp, call)
  if ('class' in wanted) return wanted
  const first = await inSession(mcp, wanted, call)
  if ('class' in first) return first
  const mayRepeat = first.ofThePast && !signal.aborted && !isLate()
  const last = mayRepeat ? await inSession(mcp, wanted, call) : first
  return 'class' in last ? last : notCalled(mcp, last.error)
}

interface Call {
  agreed: Commitment
  invocation: Invocation
  attempt: Attempt
}

function wantedSession(mcp: Mcp, { invocation, attempt }: Call): Wanted | Outcome {
  const { settings, around } = mcp
  const { max_response_bytes = responsePresetBytes } = settings
  try {
    const server = resolveServer(settings.transport, around)
    return {
      identity: identityOf(invocation.tenant_id, server, { max_response_bytes }),
      calls_max: server.type === 'stdio' ? server.calls_max : Number.POSITIVE_INFINITY,
      open: () => openSession(server, around.egress, { ...attempt, max_response_bytes }),
    }
  } catch (error) {
    return notCalled(mcp, error)
  }
}

/** A failure before the call. `ofThePast` is true if its cause may lie in the session's past. */
interface NotCalled {
  error: unknown
  ofThePast: boolean
}

type Step = { outcome: Outcome; state: SessionState } | { error: unknown; isOpening?: boolean }

async function inSession(mcp: Mcp, wanted: Wanted, call: Call): Promise<Outcome | NotCalled> {
  const { session, kept, giveBack } = mcp.around.mcpSessions.borrow(wanted)
  let state: SessionState = 'misbehaved'
  try {
    const found = await confirmTool(mcp, session, call)
    const step = 'tool' in found ? await callTool(mcp, session, { ...call, confirmed: found }) : found
    if ('outcome' in step) {
      state = step.state
      return step.outcome
    }
    const { error, isOpening = false } = step
    const isChange = error instanceof ToolsChanged
    // A server that starts more slowly than one attempt goes on starting, so that a later attempt can use it.
    if (isOpening || isChange || busyIn(error) || isTooLate(error) || refusalIn(error)) state = 'sound'
    return { error, ofThePast: isChange || (kept && !isOpening && !busyIn(error)) }
  } finally {
    giveBack(session.broken() ? 'misbehaved' : state)
  }
}

async function confirmTool(
  { settings }: Mcp,
  session: Session,
  { agreed, attempt }: Call,
): Promise<Confirmed | Step> {
  let isOpening = true
  try {
    await unlessAborted(session.ready, attempt.signal)
    isOpening = false
    const confirmed = await session.confirm(agreed.tool, settings.confirm_ms, attempt)
    if (!confirmed) {
      const outcome = failed('tool_not_found', `the server offers no tool ${agreed.tool}`)
      return { outcome, state: 'sound' }
    }
    const problem = mismatch(confirmed.tool, agreed)
    return problem ? { outcome: problem, state: 'sound' } : confirmed
  } catch (error) {
    return { error, isOpening: isOpening && attempt.signal.aborted }
  }
}

/** Calls the tool. If this function throws, the call may already have been sent. */
async function callTool(
  mcp: Mcp,
  session: Session,
  { confirmed, ...call }: Call & { confirmed: Confirmed },
): Promise<Step> {
  const asksForTask = confirmed.tool.execution?.taskSupport === 'required'
  const reply = await session.call(confirmed, paramsOf(call, asksForTask), call.attempt)
  const { begun, answer, error } = reply
  if (answer) {
    const outcome = await readReply(mcp, call, { session, answer, asksForTask })
    return { outcome, state: 'sound' }
  }
  if (!begun || saysNothingDone(error)) return { error }
  const message = reasonOf(error, mcp.redact.text)
  return { outcome: { class: 'unknown', code: 'no_complete_answer', message }, state: 'misbehaved' }
}

/** Returns true if the error proves that the server did not process the call. */
function saysNothingDone(error: unknown): boolean {
  return isTooLate(error) || busyIn(error) !== null || isSessionEnded(error)
}

/** Milliseconds for which a server shall keep a task: 1 hour, so that an operator can find out its outcome. */
const taskTtlMs = 3_600_000

function paramsOf({ agreed, invocation }: Call, asksForTask: boolean): CallParams {
  const { parameters, idempotency_key, traceparent } = invocation
  return {
    name: agreed.tool,
    arguments: parameters,
    _meta: { [idempotencyMember]: idempotency_key, traceparent },
    ...(asksForTask ? { task: { ttl: taskTtlMs } } : {}),
  }
}

interface Answered {
  session: Session
  answer: WireAnswer
  asksForTask: boolean
}

async function readReply(
  mcp: Mcp,
  { agreed, attempt }: Call,
  { session, answer, asksForTask }: Answered,
): Promise<Outcome> {
  const task = answer.kind === 'result' ? taskIn(answer.result, asksForTask) : null
  if (!task) return readToolAnswer(mcp, answer, agreed)
  const followed = await followTask(session, task, attempt)
  if ('answer' in followed) return readToolAnswer(mcp, followed.answer, agreed)
  const { code, message, body } = followed.unknown
  return { class: 'unknown', code, message: mcp.redact.text(message).slice(0, 500), body }
}

function mismatch(tool: Tool, { tool: name, hash }: Commitment): Outcome | null {
  const live = toolHash(tool)
  if (live === hash) return null
  return failed('tool_schema_mismatch', `the tool ${name} of the server has ${live}, committed to is ${hash}`)
}

function readToolAnswer(mcp: Mcp, answer: WireAnswer, { errorMeansNothingDone }: Commitment): Outcome {
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

function notCalled(mcp: Mcp, error: unknown): Outcome {
  const refused = refusalIn(error)
  if (refused) return failed(refused.code, refused.message)
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
    // A result that is nested too deeply to be written still counts as done.
    return { omitted: 'not_json' }
  }
  return mcp.redact.json(told) as JsonObject
}

function failed(code: string, message: string): Outcome {
  return { class: 'failed', code, message }
}
