import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { streamHolders } from '../../shared/flow/core/stream-holders.ts'
import type { RuleChanges } from '../../shared/flow/mcp/rule-changes.ts'
import type { McpRequest } from './mcp-request.ts'
import { createToolServer } from './tool-server.ts'

/** A request of the Model Context Protocol, authenticated and read. */
export interface McpMessage extends McpRequest {
  changes: RuleChanges
  organization_id: string | null
  /** With the headers of the protocol; its body is `message`. */
  request: Request
  /** Aborted when the client is gone, and to end what goes on. */
  gone: AbortController
  message: unknown
}

/** Answer one request with the official server, for clients of 2026-07-28 and of the protocols with a handshake. */
export async function serveMcp(asked: McpMessage): Promise<Response> {
  const bus = isListening(asked.message) ? await openBus(asked) : closedBus
  // What it refuses it answers; what fails in our own code is reported where that happens.
  const handler = createMcpHandler(() => createToolServer(asked), { bus, onerror: () => undefined })
  return handler.fetch(asked.request, { parsedBody: asked.message })
}

function isListening(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message
    ? message.method === 'subscriptions/listen'
    : false
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
