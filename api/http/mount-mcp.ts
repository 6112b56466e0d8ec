import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Express, Request as ExpressRequest, Response as ExpressResponse } from 'express'
import { parseStrictJson } from '../../shared/canon/strict-json.ts'
import type { KeyPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { isPlainObject, type JsonValue } from '../../shared/contract/base/json.ts'
import { createRuleChanges } from '../../shared/flow/mcp/rule-changes.ts'
import { createToolBooks } from '../../shared/flow/mcp/tool-books.ts'
import type { McpMessage } from '../mcp/serve-mcp.ts'
import { admit } from './admit-request.ts'
import type { Edge } from './mount.ts'
import { notesOf, spanOf } from './observe.ts'
import { isJson } from './read-input.ts'
import { clientGone, sendBody } from './reply.ts'
import { refuseOtherHosts, refuseOtherSites } from './same-site.ts'

const path = '/mcp'

const admission = {
  method: 'POST',
  path,
  access: 'agent',
  summary: 'Model Context Protocol.',
  answers: {},
  errors: [],
} as const

/**
 * Serves the Model Context Protocol at `/mcp` (integrate.md#connect-an-mcp-client): authenticate → limit → read →
 * the official server. The first request loads that server, since many services never get one.
 */
export function mountMcp(app: Express, edge: Edge): void {
  const { context } = edge
  const shared = { books: createToolBooks(context), changes: createRuleChanges(context) }
  app.post(path, (request, response) => {
    response.locals.route = path
    serve(edge, shared, { request, response }).catch(error => edge.fail(request, response, error))
  })
  app.all(path, (request, response) => {
    response.locals.route = path
    response.setHeader('allow', 'POST')
    edge.fail(request, response, new ServiceError('method_not_allowed', 'this path has POST'))
  })
}

interface Exchange {
  request: ExpressRequest
  response: ExpressResponse
}

type Shared = Pick<McpMessage, 'books' | 'changes'>

async function serve(edge: Edge, shared: Shared, { request, response }: Exchange): Promise<void> {
  const { context, limits } = edge
  refuseOtherHosts(request, context.config.base_url)
  refuseOtherSites(request, context.config.base_url)
  const admitting = { name: null, endpoint: admission, context, limits, request, response }
  const admitted = await admit(admitting).catch(error => refuseCall(edge, { request, response }, error))
  if (admitted === null) return
  const principal = admitted.principal as KeyPrincipal & { tenant_id: string }
  const read = await readMessage(edge, { request, response })
  if (!read.ok) return sendError(response, -32700, { ...read.issue, code: 'malformed_json' })
  if (Array.isArray(read.value)) return sendError(response, -32600, batchRefused)
  const span = spanOf(response)
  const gone = goneWith(response)
  const { serveMcp } = await loadServer()
  const answer = await serveMcp({
    ...shared,
    context,
    span,
    caller: { principal, now: admitted.now, traceparent: span.traceparent },
    message: read.value,
    request: webRequest(request, gone.signal),
    gone,
    listed: null,
    gzip: request.acceptsEncodings('gzip') === 'gzip',
    about(action_id) {
      notesOf(response).action_id = action_id
    },
    organization_id: admitted.organization_id,
  })
  await sendAnswer(response, answer, context.streams.cut)
}

async function readMessage(edge: Edge, { request, response }: Exchange) {
  if (!isJson(request.headers['content-type'])) throw new ServiceError('unsupported_media_type')
  return parseStrictJson(await edge.readBytes(request, response))
}

/**
 * Answers a call beyond a key's limit with a tool result that a model reads, because agent frameworks would end
 * their run on a 429. Returns null once that is sent, and rejects with any other error.
 */
async function refuseCall(edge: Edge, exchange: Exchange, error: unknown): Promise<null> {
  const { response } = exchange
  const isSpent = error instanceof ServiceError && error.code === 'rate_limited'
  if (!isSpent || notesOf(response).caller === undefined) throw error
  const read = await readMessage(edge, exchange)
  const id = read.ok ? idOfCall(read.value) : null
  if (id === null) throw error
  const { refusedResult } = await loadServer()
  notesOf(response).code = error.code
  const seconds = Number(response.getHeader('retry-after'))
  sendBody(response, 200, { jsonrpc: '2.0', id, result: refusedResult(error, seconds) })
  return null
}

function idOfCall(message: JsonValue): string | number | null {
  if (!isPlainObject(message) || message.method !== 'tools/call') return null
  const { id } = message
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

let server: Promise<typeof import('../mcp/serve-mcp.ts')> | undefined

/** Loads the server once. Its promise is kept, since even a finished import costs each request 35 µs. */
function loadServer(): Promise<typeof import('../mcp/serve-mcp.ts')> {
  server ??= import('../mcp/serve-mcp.ts')
  return server
}

const batchRefused = { code: 'batch_refused', message: 'send one message at a time' }

function sendError(response: ExpressResponse, code: number, issue: { code: string; message: string }): void {
  notesOf(response).code = issue.code
  const error = { code, message: issue.message, data: { code: issue.code } }
  sendBody(response, 400, { jsonrpc: '2.0', id: null, error })
}

/** The headers that the protocol needs. The key is not among them, so that it does not reach the MCP server. */
const protocolHeaders = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
/**
 * The two types of an answer. The official server requires their names, although a wildcard covers them as well
 * (RFC 9110).
 */
const answered = ['application/json', 'text/event-stream']

function webRequest(request: ExpressRequest, signal: AbortSignal): Request {
  const takesBoth = answered.every(type => request.accepts(type) !== false)
  const headers: IncomingHttpHeaders = {
    ...request.headers,
    ...(takesBoth ? { accept: answered.join(', ') } : {}),
  }
  const given = protocolHeaders.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  return new Request(`http://localhost${path}`, { method: 'POST', headers: given, signal })
}

/** Aborts when the client or its stream has ended, so that no wait remains. The action itself continues. */
function goneWith(response: ExpressResponse): AbortController {
  const gone = new AbortController()
  response.on('close', () => {
    const answeredWhole = response.writableFinished && response.hasHeader('content-length')
    if (!answeredWhole) gone.abort()
  })
  return gone
}

async function sendAnswer(response: ExpressResponse, answer: Response, cut: AbortSignal): Promise<void> {
  if (response.closed) return
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (!answer.body) {
    response.end()
    return
  }
  if (answer.headers.get('content-type') === 'application/json') {
    sendBody(response, answer.status, Buffer.from(await answer.arrayBuffer()))
    return
  }
  const source = Readable.fromWeb(answer.body as ReadableStream)
  await pipeline(source, response, { signal: cut }).catch((error: NodeJS.ErrnoException) => {
    if (!clientGone.has(error.code ?? '')) throw error
  })
}
