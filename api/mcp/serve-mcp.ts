import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { RuleChanges } from '../../shared/flow/mcp/rule-changes.ts'
import { createToolServer, type McpRequest } from './tool-server.ts'

/** A request of the Model Context Protocol, authenticated and read. */
export interface McpMessage extends McpRequest {
  changes: RuleChanges
  /** With the headers of the protocol; its body is `message`. */
  request: Request
  message: unknown
  onError(error: Error): void
}

/** Answer one request with the official server, for clients of 2026-07-28 and of the protocols with a handshake. */
export function serveMcp(asked: McpMessage): Promise<Response> {
  const { tenant_id } = asked.caller.principal
  const handler = createMcpHandler(() => createToolServer(asked), {
    bus: busOf(asked.changes, tenant_id),
    onerror: asked.onError,
  })
  return handler.fetch(asked.request, { parsedBody: asked.message })
}

/** The list of tools changes with the rules of its tenant, whichever process changed them. */
function busOf(changes: RuleChanges, tenantId: string): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe: listener => changes.subscribe(tenantId, () => listener({ kind: 'tools_list_changed' })),
  }
}
