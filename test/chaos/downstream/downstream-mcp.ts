import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { LedgerLine } from '../check/evidence.ts'
import type { ChaosParameters } from './chaos-parameters.ts'
import { breaksOff, type DownstreamCall, isDone, isThere } from './downstream-call.ts'

/**
 * A Model Context Protocol server of the official SDK with one tool, `write`, whose calls are decided before it sees them. It
 * gives out sessions, and forgets all of them again and again, as a server does that is restarted.
 */
export interface Mcp {
  /** The session that a request is of, or a new one where it names none; null where it is not known, or not any more. */
  sessionOf(request: IncomingMessage): McpSession | null
}

export interface McpSession {
  fetch(request: Request): Promise<Response>
}

/** What was decided of a call, by its JSON-RPC text: the tool answers with it. */
const decided = new Map<string, LedgerLine['answer']>()
const keyMember = 'io.action-gate/idempotency-key'

/** After so many requests every session is forgotten. */
const requestsUntilForgotten = 40

export function createMcp(): Mcp {
  const sessions = new Map<string, McpSession>()
  let requests = 0
  return {
    sessionOf({ headers }) {
      const id = headers['mcp-session-id']
      if (id === undefined) return openSession(sessions)
      requests += 1
      const session = sessions.get(String(id)) ?? null
      if (requests % requestsUntilForgotten === 0) sessions.clear()
      return session
    },
  }
}

function openSession(sessions: Map<string, McpSession>): McpSession {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: id => {
      sessions.set(id, session)
    },
  })
  const connected = createServer().connect(transport)
  const session: McpSession = {
    async fetch(request) {
      await connected
      return transport.handleRequest(request)
    },
  }
  return session
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'chaos', version: '1.0.0' })
  server.registerTool(
    'write',
    {
      description: 'Does what the script says.',
      inputSchema: z.object({
        scripts: z.array(z.string()),
        before_ms: z.number(),
        after_ms: z.number(),
        mute: z.boolean(),
      }),
    },
    (_parameters, context) => {
      const answer = decided.get(String(context.mcpReq._meta?.[keyMember])) ?? 'none'
      const content = [{ type: 'text' as const, text: JSON.stringify({ answer }) }]
      // The registration says that an error means that nothing was done: a repeated delivery gets none.
      return isThere(answer) ? { content } : { content, isError: true }
    },
  )
  return server
}

/** The call of the tool that a request carries; null where it is any other request of the protocol. */
export function callOfMcp(
  text: string,
): (Omit<DownstreamCall, 'script' | 'parameters'> & { parameters: ChaosParameters }) | null {
  if (text === '') return null
  const { method, params } = JSON.parse(text) as { method?: string; params?: Params }
  if (method !== 'tools/call' || !params) return null
  const parameters = params.arguments
  return {
    key: String(params._meta?.[keyMember]),
    action_id: null,
    tenant_id: null,
    attempt: null,
    not_after: null,
    request: `POST /mcp ${params.name}`,
    parameters,
    before_ms: parameters.before_ms,
    after_ms: parameters.after_ms,
  }
}

interface Params {
  name: string
  arguments: ChaosParameters
  _meta?: Record<string, unknown>
}

interface Asked {
  text: string
  /** Of a call of the tool. */
  answer: { answer: LedgerLine['answer']; script: string } | null
}

/** Let the SDK answer, or break off where the script says so. */
export async function answerMcp(
  session: McpSession,
  request: IncomingMessage,
  response: ServerResponse,
  { text, answer }: Asked,
): Promise<void> {
  const isCall = answer !== null
  if (isCall && breaksOff(answer.answer, answer.script)) {
    response.socket?.destroy()
    return
  }
  if (isCall && isDone(answer.answer) && answer.script === 'error') {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
    return
  }
  if (isCall) decided.set(callOfMcp(text)?.key ?? '', answer.answer)
  const answered = await session.fetch(
    new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      ...(text === '' ? {} : { body: text }),
    }),
  )
  const body = Buffer.from(await answered.arrayBuffer())
  response.writeHead(answered.status, {
    ...Object.fromEntries(answered.headers),
    'content-length': body.length,
  })
  if (isCall && isDone(answer.answer) && answer.script === 'half_body')
    response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy())
  else response.end(body)
}
