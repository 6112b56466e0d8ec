import {
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Response as GuardedResponse, fetch as guardedFetch } from 'undici'
import { openDeadline, unlessAborted } from '../../runtime/deadline.ts'
import type { EgressGuard, Way } from '../egress/egress-guard.ts'
import { retryAfter } from '../exchange.ts'
import { inOwnGroup } from './own-group.ts'
import type { ResolvedAddress, ResolvedProgram, ResolvedServer } from './resolve-server.ts'
import { refusalOf } from './server-refusal.ts'
import { requestHeader, type Wire, type WiredRequest } from './watch-wire.ts'

export interface OpenedTransport {
  transport: Transport
  end(): Promise<void>
}

export interface TransportBounds {
  timeout_ms: number
  max_response_bytes: number
  isLate(): boolean
}

interface Watched {
  egress: EgressGuard
  wire: Wire
}

/** The extension by which a server may answer a call with a task (specification.md#actuators). */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

export function openTransport(
  server: ResolvedServer,
  around: Watched,
  bounds: TransportBounds,
): OpenedTransport {
  const opened = server.type === 'stdio' ? openStdio(server, bounds) : openHttp(server, around, bounds)
  around.wire.watch(opened.transport, bounds.isLate)
  return opened
}

/**
 * Creates a client that only calls. It offers no sampling, roots or elicitation, answers no request for
 * input, and compiles no schema of a server. It accepts a task as an answer.
 */
export function createClient(): Client {
  return new Client(
    { name: 'action-gate', version: '1' },
    {
      capabilities: { extensions: { [tasksExtension]: {} } },
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      listMaxPages: 20,
      jsonSchemaValidator: {
        getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
}

/** The user ids that systemd reserves for DynamicUser programs. */
const unusedUsers = { first: 61_184, count: 4_336 } as const

/** Bytes by which the buffer exceeds the largest answer, because a pipe delivers this many at once. */
const chunkBytes = 65_536

function openStdio(
  { command, args, env, cwd, user }: ResolvedProgram,
  { max_response_bytes }: TransportBounds,
): OpenedTransport {
  const isRoot = process.getuid?.() === 0
  const program = { command, args, cwd, user: user ?? (isRoot ? unusedUsers : null), given: Object.keys(env) }
  const transport = new StdioClientTransport({
    ...inOwnGroup(program),
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'ignore',
    maxBufferSize: max_response_bytes + chunkBytes,
  })
  return { transport, end: () => transport.close() }
}

/** Milliseconds to wait for the server's confirmation that the session ends. */
const farewellMs = 1_000

function openHttp(
  { url, headers }: ResolvedAddress,
  { egress, wire }: Watched,
  bounds: TransportBounds,
): OpenedTransport {
  const ending = new AbortController()
  const open = (request: WiredRequest | undefined): Way => {
    const isLate = request ? request.isLate : () => wire.opening() && bounds.isLate()
    const { timeout_ms: connect_ms, max_response_bytes } = bounds
    return egress.open({ connect_ms, max_response_bytes, isLate })
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchOn(wire, open, ending.signal),
    requestInit: { headers, redirect: 'error' },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  })
  return {
    transport,
    async end() {
      const deadline = openDeadline(ending.signal, farewellMs)
      // The answer is ignored, because the session is not used again.
      await unlessAborted(transport.terminateSession(), deadline.signal).catch(() => undefined)
      deadline.clear()
      await transport.close()
      ending.abort()
    },
  }
}

/**
 * Opens a connection per request, so that a failed connection proves that nothing was sent. It neither
 * follows redirects nor decompresses, so that the size limit counts the bytes received. It skips the server's
 * push stream, because the stream would hold a connection that no code reads.
 */
function fetchOn(
  wire: Wire,
  open: (request: WiredRequest | undefined) => Way,
  ending: AbortSignal,
): FetchLike {
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    const headers = new Headers(init?.headers)
    const request = wire.find(headers)
    headers.delete(requestHeader)
    headers.set('accept-encoding', 'identity')
    const way = open(request)
    const abandon = (): void => {
      ending.removeEventListener('abort', abandon)
      // The request on this connection receives the error, so destroying the connection ignores it.
      way.dispatcher.destroy().catch(() => undefined)
    }
    request?.goes({ begun: way.begun, abandon })
    ending.addEventListener('abort', abandon)
    try {
      const response = await guardedFetch(input, {
        ...(init as object),
        headers: Object.fromEntries(headers),
        dispatcher: way.dispatcher,
        redirect: 'error',
      })
      await refuseAnswer(response, headers.has('mcp-session-id'))
      way.dispatcher.close().then(abandon, abandon)
      return response as unknown as Response
    } catch (error) {
      abandon()
      throw error
    }
  }
}

/** Throws if the status proves that the server did no work on the request, or if the answer is compressed. */
async function refuseAnswer(response: GuardedResponse, inSession: boolean): Promise<void> {
  const { status, headers } = response
  const asked = retryAfter({ headers: { 'retry-after': headers.get('retry-after') ?? undefined } })
  const refusal = headers.has('content-encoding')
    ? new Error('the answer has a content-encoding, which was not asked for')
    : refusalOf(status, { retry_after_ms: asked, inSession })
  if (refusal === null) return
  await response.body?.cancel()
  throw refusal
}
