import {
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fetch as guardedFetch } from 'undici'
import type { SecretReference } from '../../contract/base/credentials.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator.ts'
import { EgressRefused, type Way } from '../egress/egress-guard.ts'
import { retryAfter } from '../retry-after.ts'
import type { ActuatorDependencies } from '../surroundings.ts'
import { inOwnGroup } from './own-group.ts'

export interface OpenedTransport {
  transport: Transport
  /** Ends connections, or the program, whatever state they are in. */
  end(): Promise<void>
}

export interface TransportBounds {
  timeout_ms: number
  max_response_bytes: number
  isLate(): boolean
}

/** The way to a Model Context Protocol server; throws EgressRefused where it may not be taken. */
export function openTransport(
  settings: McpSettings['transport'],
  around: ActuatorDependencies,
  bounds: TransportBounds,
): OpenedTransport {
  return settings.type === 'stdio' ? openStdio(settings, around, bounds) : openHttp(settings, around, bounds)
}

/**
 * A client that calls and does nothing else: it offers no sampling, roots or elicitation, answers no request for more
 * input, and compiles no schema that a server sends it.
 */
export function createClient(): Client {
  return new Client(
    { name: 'action-gate', version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: {
        getValidator: () => data => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
}

function openStdio(
  { server }: Extract<McpSettings['transport'], { type: 'stdio' }>,
  { mcpServers, secrets }: ActuatorDependencies,
  { max_response_bytes }: TransportBounds,
): OpenedTransport {
  const configured = mcpServers.get(server)
  if (!configured) throw new EgressRefused(`${server} is not one of SERVICE_MCP_SERVERS`)
  const { command, args, env } = configured
  const transport = new StdioClientTransport({
    ...inOwnGroup(command, args),
    env: { ...getDefaultEnvironment(), ...resolved(env, secrets) },
    stderr: 'ignore',
    maxBufferSize: max_response_bytes,
  })
  return { transport, end: () => transport.close() }
}

function openHttp(
  { url, headers = {}, bearer }: Extract<McpSettings['transport'], { type: 'streamable_http' }>,
  { egress, secrets }: ActuatorDependencies,
  { timeout_ms, ...bounds }: TransportBounds,
): OpenedTransport {
  const target = new URL(url)
  egress.check(target)
  const way = egress.open({ ...bounds, connect_ms: timeout_ms })
  const transport = new StreamableHTTPClientTransport(target, {
    fetch: fetchOn(way),
    requestInit: {
      headers: {
        ...resolved(headers, secrets),
        ...(bearer ? { authorization: `Bearer ${secrets.get(bearer.env) ?? ''}` } : {}),
      },
      redirect: 'error',
    },
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
      await transport.close()
      await way.dispatcher.destroy()
    },
  }
}

/** A server answered that it is busy: it did nothing, and is asked again later. */
export class ServerBusy extends Error {
  readonly code: string
  readonly retry_after_ms: number | null

  constructor(status: number, retryAfterMs: number | null) {
    super(`status ${status}`)
    this.code = `http_${status}`
    this.retry_after_ms = retryAfterMs
  }
}

/** The same in an error or its causes, or null. */
export function busyIn(error: unknown): ServerBusy | null {
  if (error instanceof ServerBusy) return error
  return error instanceof Error && error.cause ? busyIn(error.cause) : null
}

/**
 * Nothing is followed or unpacked, so what is read is what was counted on the wire. The stream of what a server pushes is
 * not asked for: it would hold the one connection, and nobody listens.
 */
function fetchOn({ dispatcher }: Way): FetchLike {
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    const headers = new Headers(init?.headers)
    headers.set('accept-encoding', 'identity')
    const response = await guardedFetch(input, {
      ...(init as object),
      headers: Object.fromEntries(headers),
      dispatcher,
      redirect: 'error',
    })
    const asked = retryAfter({ headers: { 'retry-after': response.headers.get('retry-after') ?? undefined } })
    if (response.status === 429 || (response.status === 503 && asked !== null)) {
      await response.body?.cancel()
      throw new ServerBusy(response.status, asked)
    }
    if (response.headers.has('content-encoding')) {
      await response.body?.cancel()
      throw new Error('the answer has a content-encoding, which was not asked for')
    }
    return response as unknown as Response
  }
}

function resolved(
  values: Readonly<Record<string, string | SecretReference>>,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (secrets.get(value.env) ?? ''),
  ])
  return Object.fromEntries(entries)
}
