import { type CallToolResult, ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server'
import type { ToolResult } from '../../shared/contract/action/tool-result-schema.ts'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { callTool } from '../../shared/flow/mcp/call-tool.ts'
import { readTask, readToolAction, waitForAction, withdrawTask } from '../../shared/flow/mcp/tool-actions.ts'
import { isSettled } from '../../shared/lifecycle/status.ts'
import { pagesFor } from '../../shared/mcp/tool-book.ts'
import { isError, messageOf, resultOfTrace, type ToolTrace, textsOf } from '../../shared/mcp/tool-result.ts'
import { serviceTools } from '../../shared/mcp/tools.ts'
import { monotonicMs } from '../../shared/runtime/clock.ts'
import { version } from '../../shared/runtime/version.ts'
import type { McpRequest } from './mcp-request.ts'
import { type CallMeta, readCall } from './read-call.ts'
import { refusalOf, unknownTool } from './refusal.ts'
import { taskId } from './task-params.ts'

const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Every call first waits up to 1 second, so that a fast one returns its result even to a client with tasks. */
const soonMs = 1_000

const instructions =
  'Every tool here changes something outside. Action Gate decides each call by policy, asks a person where that is needed, executes the call itself and records it. Never perform the change another way. Where a result says that a person is waited for, wait with action_wait; do not call the tool again.'

/** Creates the server of one request. It keeps no state, so that any process can answer the next request. */
export function createToolServer(request: McpRequest): Server {
  const server = new Server(
    { name: 'action-gate', title: 'Action Gate', version },
    { capabilities: { tools: { listChanged: true }, extensions: { [tasksExtension]: {} } }, instructions },
  )
  server.setRequestHandler('tools/list', ({ params }) =>
    refusalOf(request, () => listTools(request, params?.cursor), 'throw'),
  )
  server.setRequestHandler('tools/call', ({ params }, asked) =>
    refusalOf(request, () => answerCall(request, params, asked)),
  )
  serveTasks(server, request)
  return server
}

const listTtlMs = 60_000

/** Returns an empty list, because `serveMcp` inserts the page, which is JSON text already. */
async function listTools(request: McpRequest, cursor: string | undefined) {
  const { tenant_id, key_id } = request.caller.principal
  const pages = pagesFor(await request.books.current(tenant_id), key_id)
  const before = pages.findIndex(({ next }) => next !== null && next === cursor)
  if (cursor !== undefined && before < 0) throw new ProtocolError(-32602, 'the cursor is of another list')
  const page = pages[before + 1]
  request.listed = page?.bytes ?? null
  return {
    tools: [],
    ...(page && page.next !== null ? { nextCursor: page.next } : {}),
    ttlMs: listTtlMs,
    cacheScope: 'private' as const,
  }
}

interface CallParams {
  name: string
  arguments?: Record<string, unknown> | undefined
}

async function answerCall(
  request: McpRequest,
  { name, arguments: given = {} }: CallParams,
  asked: ServerContext,
): Promise<CallToolResult> {
  if (Object.hasOwn(serviceTools, name)) return answerServiceTool(request, { name, given }, asked)
  const { context, books, caller } = request
  const { tenant_id } = caller.principal
  const operation =
    (await books.known(tenant_id)).operations.get(name) ??
    (await books.current(tenant_id)).operations.get(name)
  if (!operation) throw unknownTool(name)
  const call = readCall(operation, given as JsonObject, metaOf(request, asked))
  const hold = context.config.mcp_wait_ms
  const begun = monotonicMs()
  const result = await callTool(context, caller, call, Math.min(soonMs, hold))
  request.about(result.action_id)
  if (isSettled(result.status)) return toolAnswer(result)
  if (declaresTasks(asked)) return (await createdTask(request, result.action_id)) as unknown as CallToolResult
  const wait_ms = hold - (monotonicMs() - begun)
  return toolAnswer(await waited(request, { actionId: result.action_id, wait_ms }, asked))
}

async function answerServiceTool(
  request: McpRequest,
  { name, given }: { name: string; given: Record<string, unknown> },
  asked: ServerContext,
): Promise<CallToolResult> {
  const actionId = taskId({ taskId: given.action_id })
  request.about(actionId)
  const { context, caller } = request
  if (name === serviceTools.action_status.name)
    return toolAnswer(resultOfTrace(await readToolAction(context, caller, actionId)))
  return toolAnswer(await waited(request, { actionId, wait_ms: context.config.mcp_wait_ms }, asked))
}

/** Waits for the action and sends each change of its status to a client that asked for progress. */
async function waited(
  { context, caller }: McpRequest,
  { actionId, wait_ms }: { actionId: string; wait_ms: number },
  asked: ServerContext,
): Promise<ToolResult> {
  const progressToken = asked.mcpReq._meta?.progressToken
  let progress = 0
  const onChange = (trace: ToolTrace): void => {
    if (progressToken === undefined) return
    progress += 1
    const message = messageOf({ ...trace, review_route: trace.verdict.review_route })
    const params = { progressToken, progress, message }
    // A notification fails if the client has disconnected, but the action continues.
    asked.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  return resultOfTrace(await waitForAction(context, caller, { actionId, wait_ms, onChange }))
}

export function toolAnswer(result: ToolResult): CallToolResult {
  return {
    content: textsOf(result).map(text => ({ type: 'text', text })),
    structuredContent: result,
    isError: isError(result),
  }
}

const complete = { resultType: 'complete' } as const

/** Serves the methods of the Tasks extension (SEP-2663), because the official server does not support it yet. */
function serveTasks(server: Server, request: McpRequest): void {
  const { context, caller, span } = request
  const serve = (method: string, answer: (actionId: string) => Promise<Record<string, unknown>>) => {
    server.setRequestHandler(method, { params: anyParams }, async (params, asked) => {
      if (!declaresTasks(asked)) throw missingTasks()
      return refusalOf(request, () => answer(taskId(params as Record<string, unknown>)), 'throw')
    })
  }
  serve('tasks/get', async actionId => {
    request.about(actionId)
    const { task, trace } = await readTask(context, caller, actionId)
    if (task.status !== 'completed') return { ...complete, ...task }
    return { ...complete, ...task, result: { ...complete, ...toolAnswer(resultOfTrace(trace)) } }
  })
  serve('tasks/cancel', async actionId => {
    await readToolAction(context, caller, actionId)
    const late = await withdrawTask(context, caller, { actionId, span })
    const refusal = late && { code: late.code, message: late.message }
    return {
      ...complete,
      ...(refusal ? { _meta: { 'io.action-gate/not-withdrawn': refusal } } : {}),
    }
  })
  // A client's update is no approval, because only a person on a page of the service may decide.
  serve('tasks/update', async actionId => {
    await readToolAction(context, caller, actionId)
    return complete
  })
}

async function createdTask({ context, caller }: McpRequest, actionId: string) {
  const { task } = await readTask(context, caller, actionId)
  return { resultType: 'task', ...task }
}

const anyParams = {
  '~standard': {
    version: 1 as const,
    vendor: 'action-gate',
    validate: (value: unknown) => ({ value: Object(value) as Record<string, unknown> }),
    types: undefined as unknown as { input: unknown; output: Record<string, unknown> },
  },
}

function declaresTasks({ mcpReq }: ServerContext): boolean {
  const { envelope } = mcpReq as { envelope?: Record<string, unknown> }
  const declared = envelope?.['io.modelcontextprotocol/clientCapabilities']
  const extensions = (declared as { extensions?: object } | undefined)?.extensions
  return extensions !== undefined && Object.hasOwn(extensions, tasksExtension)
}

function missingTasks(): ProtocolError {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  return new ProtocolError(-32021, 'the client does not declare the Tasks extension', {
    requiredCapabilities,
  })
}

function metaOf({ caller }: McpRequest, { mcpReq }: ServerContext): CallMeta {
  const { envelope } = mcpReq as { envelope?: Record<string, unknown> }
  const client = envelope?.['io.modelcontextprotocol/clientInfo'] as { name?: unknown } | undefined
  return { given: mcpReq._meta ?? {}, client: client?.name, key: caller.principal.name }
}
