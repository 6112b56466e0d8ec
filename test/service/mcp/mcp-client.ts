import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ToolResult } from '../../../shared/contract/action/tool-result-schema.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'

/** The protocols that clients speak: with a handshake, and without. */
export type Era = 'legacy' | 'modern'

/** The official client, connected. */
export async function connect(url: string, key: string, era: Era = 'modern'): Promise<Client> {
  const client = new Client(
    { name: `client of ${era}`, version: '1' },
    { capabilities: {}, versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

export const tasksExtension = 'io.modelcontextprotocol/tasks'

export interface RpcAnswer {
  status: number
  headers: Headers
  body: { result?: JsonObject & RpcResult; error?: { code: number; message: string; data?: JsonObject } }
}

interface RpcResult {
  structuredContent?: ToolResult
  content?: { text: string }[]
  tools?: { name: string }[]
  isError?: boolean
}

export interface RpcOptions {
  tasks?: boolean
  meta?: JsonObject
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** One request of the protocol of 2026-07-28, as it goes over the wire. */
export async function rpc(
  { url, key }: { url: string; key: string },
  method: string,
  params: JsonObject = {},
  { tasks = false, meta = {}, headers = {}, signal }: RpcOptions = {},
): Promise<RpcAnswer> {
  const capabilities = tasks ? { extensions: { [tasksExtension]: {} } } : {}
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  }
  const name = params.name ?? params.taskId
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    ...(signal ? { signal } : {}),
  })
  const text = await answer.text()
  const json = text.startsWith('event:') ? (text.split('data: ').at(-1) ?? '') : text
  return { status: answer.status, headers: answer.headers, body: json === '' ? {} : JSON.parse(json) }
}
