import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { streamHolders } from '../../shared/flow/log/follow-log.ts'
import type { RuleChanges } from '../../shared/flow/mcp/rule-changes.ts'
import { gzipAround } from '../http/compressed.ts'
import type { McpRequest } from './mcp-request.ts'
import { createToolServer } from './tool-server.ts'

export { refusedResult } from './refusal.ts'

/** A request of the Model Context Protocol, authenticated and read. */
export interface McpMessage extends McpRequest {
  changes: RuleChanges
  organization_id: string | null
  /** With the headers of the protocol; its body is `message`. */
  request: Request
  /** Aborted when the client is gone, and to end what goes on. */
  gone: AbortController
  message: unknown
  /** Whether the client takes gzip. */
  gzip: boolean
}

/** Answer one request with the official server, for clients of 2026-07-28 and of the protocols with a handshake. */
export async function serveMcp(asked: McpMessage): Promise<Response> {
  const bus = methodOf(asked.message) === 'subscriptions/listen' ? await openBus(asked) : closedBus
  // What it refuses it answers; what fails in our own code is reported where that happens.
  const handler = createMcpHandler(() => createToolServer(asked), { bus, onerror: () => undefined })
  const answer = await handler.fetch(asked.request, { parsedBody: asked.message })
  return methodOf(asked.message) === 'tools/list' ? withTools(answer, asked) : answer
}

/**
 * Put a page of tools into the answer that has an empty list. The official server reads every tool of every answer again,
 * member by member: 500 of them took it 9 ms, and take 1 this way.
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

/** A client listens again after that, with a key that is looked at again. */
const listenMsMax = 900_000

const closedBus: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined }

/** A client that listens hears when the rules of its tenant change, whichever process changed them. */
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
