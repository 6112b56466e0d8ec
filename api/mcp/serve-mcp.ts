import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { streamHolders } from '../../shared/flow/log/follow-log.ts'
import type { RuleChanges } from '../../shared/flow/mcp/rule-changes.ts'
import { gzipAround } from '../http/compressed.ts'
import type { McpRequest } from './mcp-request.ts'
import { createToolServer } from './tool-server.ts'

export { refusedResult } from './refusal.ts'

export interface McpMessage extends McpRequest {
  changes: RuleChanges
  organization_id: string | null
  /** The request with the protocol's headers; `message` is its parsed body. */
  request: Request
  /** A controller that aborts when the client disconnects, and that the service aborts to end a stream. */
  gone: AbortController
  message: unknown
  gzip: boolean
}

/** Answers one request with the official server, for clients of 2026-07-28 and older ones with a handshake. */
export async function serveMcp(asked: McpMessage): Promise<Response> {
  const bus = methodOf(asked.message) === 'subscriptions/listen' ? await openBus(asked) : closedBus
  // The official server answers its own refusals, and our code reports its own failures.
  const handler = createMcpHandler(() => createToolServer(asked), { bus, onerror: () => undefined })
  const answer = await handler.fetch(asked.request, { parsedBody: asked.message })
  return methodOf(asked.message) === 'tools/list' ? withTools(answer, asked) : answer
}

/**
 * Inserts a page of tools into an answer with an empty list, because the official server would parse every tool of
 * every answer again: 500 tools took it 9 ms, and take 1 ms this way.
 */
async function withTools(answer: Response, asked: McpMessage): Promise<Response> {
  const { status, headers } = answer
  const text = await answer.text()
  const [before = '', after] = text.split('"tools":[]')
  if (after === undefined || asked.listed === null) return new Response(text, { status, headers })
  const start = `${before}"tools":`
  headers.set('vary', 'accept-encoding')
  if (!asked.gzip)
    return new Response(Buffer.concat([Buffer.from(start), asked.listed, Buffer.from(after)]), {
      status,
      headers,
    })
  headers.set('content-encoding', 'gzip')
  return new Response(gzipAround(start, asked.listed, after), { status, headers })
}

function methodOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'method' in message ? message.method : null
}

/** A stream ends after 15 minutes, so that the client opens it again and its key is checked again. */
const listenMsMax = 900_000

const closedBus: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined }

/** Opens a stream that announces every change of the tenant's rules, also those that another process made. */
async function openBus({ context, books, changes, caller, organization_id, gone }: McpMessage) {
  const { key_id, tenant_id } = caller.principal
  const opened = context.streams.open(streamHolders(`key ${key_id}`, tenant_id, organization_id))
  if (!opened.ok) {
    const { name, most } = opened.error
    throw new ServiceError('too_many_streams', `${name} has ${most} open, as many as it may; close one`)
  }
  const end = () => gone.abort()
  const bound = setTimeout(end, listenMsMax)
  opened.value.ended.addEventListener('abort', end, { once: true })
  gone.signal.addEventListener(
    'abort',
    () => {
      clearTimeout(bound)
      opened.value.end()
    },
    { once: true },
  )
  const { version } = await books.current(tenant_id)
  const bus: ServerEventBus = {
    publish: () => undefined,
    subscribe: listener =>
      changes.subscribe(tenant_id, version, () => listener({ kind: 'tools_list_changed' })),
  }
  return bus
}
