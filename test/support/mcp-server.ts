import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server of the official SDK with one tool whose definition and answers are the test's. */
export interface Script {
  description: string
  /** How the tool answers; what it throws is an error that it answers. */
  refund(input: { charge: string }): string | Promise<string>
  /** What came with the calls in `_meta`. */
  meta: unknown[]
}

export function scripted(script: Script): McpServer {
  const server = new McpServer({ name: 'refunds', version: '1.0.0' })
  server.registerTool(
    'refund',
    { description: script.description, inputSchema: z.object({ charge: z.string() }) },
    async ({ charge }, context) => {
      script.meta.push(context.mcpReq._meta)
      return { content: [{ type: 'text', text: await script.refund({ charge }) }] }
    },
  )
  return server
}

export interface McpEndpoint {
  url: string
  headers: Record<string, string | string[] | undefined>[]
  close(): Promise<void>
}

export interface McpTraits {
  /** It keeps a session for the client, with a stream of what it pushes. */
  session?: boolean
  /** It sends little that unpacks to much, whatever the client accepts. */
  packed?: boolean
}

/** The server over streamable HTTP. */
export async function serveMcp(script: Script, traits: McpTraits = {}): Promise<McpEndpoint> {
  const handle = traits.session ? await withSession(script) : createMcpHandler(() => scripted(script)).fetch
  const headers: McpEndpoint['headers'] = []
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const answer = await handle(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(body.length > 0 ? { body } : {}),
      }),
    )
    await (traits.packed ? sendPacked : send)(answer, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    headers,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function withSession(script: Script): Promise<(request: Request) => Promise<Response>> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  await scripted(script).connect(transport)
  return request => transport.handleRequest(request)
}

async function send({ status, headers, body }: Response, response: ServerResponse): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers)).flushHeaders()
  for await (const part of body ?? []) response.write(part)
  response.end()
}

async function sendPacked(answer: Response, response: ServerResponse): Promise<void> {
  const unpacked = Buffer.concat([Buffer.from(await answer.arrayBuffer()), Buffer.alloc(20_000_000, '\n')])
  const headers = { ...Object.fromEntries(answer.headers), 'content-encoding': 'br' }
  response.writeHead(answer.status, headers).end(brotliCompressSync(unpacked))
}
