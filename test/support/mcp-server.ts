import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
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

/** The server over streamable HTTP. */
export async function serveMcp(script: Script): Promise<McpEndpoint> {
  const handler = createMcpHandler(() => scripted(script))
  const headers: McpEndpoint['headers'] = []
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(body.length > 0 ? { body } : {}),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const part of answer.body ?? []) response.write(part)
    response.end()
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
