import type { ServerResponse } from 'node:http'
import { type Downstream, startDownstream } from './http-downstream.ts'

type Json = Record<string, unknown>

/** A Model Context Protocol server without an SDK, so that it can answer what none would let it. */
export interface RawScript {
  tool: Json
  /** Of the call of the tool with that id: members of its answer, or null where it writes the answer itself. */
  call(response: ServerResponse, id: number): Json | null
  /** Before anything else is answered; true: it has answered. */
  before?(method: string, response: ServerResponse): boolean
}

/** Serves it, and counts the calls of its tool in `called`. */
export async function serveRawMcp(script: RawScript): Promise<Downstream & { called(): number }> {
  let called = 0
  const server = await startDownstream(({ body }, response) => {
    const { id, method = '' } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
    if (method === 'tools/call') called += 1
    if (script.before?.(method, response)) return
    const members = answerTo(script, { method, id: id ?? 0 }, response)
    if (members === null) return
    if (id === undefined) response.writeHead(202).end()
    else answer(response, { jsonrpc: '2.0', id, ...members })
  })
  return { ...server, called: () => called }
}

function answerTo(
  script: RawScript,
  { method, id }: { method: string; id: number },
  response: ServerResponse,
): Json | null {
  if (method === 'tools/call') return script.call(response, id)
  if (method === 'tools/list') return { result: { tools: [script.tool] } }
  if (method !== 'initialize') return { error: { code: -32_601, message: 'no such method' } }
  const serverInfo = { name: 'raw', version: '1' }
  return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }
}

function answer(response: ServerResponse, message: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
