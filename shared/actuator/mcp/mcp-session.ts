import type { Client, Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import { createStopwatch, type Stopwatch } from '../../runtime/clock.ts'
import type { EgressGuard } from '../egress/egress-guard.ts'
import { createClient, openTransport, type TransportBounds } from './open-client.ts'
import type { ResolvedServer } from './resolve-server.ts'
import { createWire, type Wire, type WireAnswer } from './watch-wire.ts'

export interface Attempt {
  signal: AbortSignal
  timeout_ms: number
  isLate(): boolean
}

export interface Confirmed {
  tool: Tool
  changes: number
}

/** The result of a request. Nothing was sent unless `begun` is true. An answer always comes from the server. */
export interface Reply {
  begun: boolean
  answer: WireAnswer | null
  error: unknown
}

export interface Session {
  readonly ready: Promise<void>
  broken(): boolean
  whenBroken(then: () => void): void
  /**
   * Returns the server's definition of a tool. A list of tools counts for `confirm_ms`, unless the server
   * announces a change.
   */
  confirm(name: string, confirm_ms: number | undefined, attempt: Attempt): Promise<Confirmed | null>
  /** Calls the tool. The reply holds ToolsChanged if the server announced a change after the confirmation. */
  call(confirmed: Confirmed, params: CallParams, attempt: Attempt): Promise<Reply>
  ask(method: string, params: JsonObject, attempt: Attempt): Promise<Reply>
  end(): Promise<void>
}

export interface CallParams {
  name: string
  arguments: JsonObject
  _meta: Record<string, string>
  task?: { ttl: number }
}

/** Milliseconds after which a server's tools are listed again, even if it announces changes. */
const confirmMsPreset = 60_000
const listsMax = 5

interface Opened {
  client: Client
  wire: Wire
  server: ResolvedServer
  listed: { tools: readonly Tool[]; changes: number; age: Stopwatch } | null
  tellsChanges: boolean
  breaking: AbortController
}

/**
 * Gives a program its own time limit for starting, because later calls use the program too. Starting is never
 * late, since nothing leaves the machine.
 */
function openingBounds(server: ResolvedServer, bounds: TransportBounds): TransportBounds {
  if (server.type !== 'stdio') return bounds
  return { ...bounds, timeout_ms: limits.mcp_program_start_ms_max, isLate: () => false }
}

export function openSession(server: ResolvedServer, egress: EgressGuard, asked: TransportBounds): Session {
  const bounds = openingBounds(server, asked)
  const wire = createWire(server.type)
  const client = createClient()
  const { transport, end } = openTransport(server, { egress, wire }, bounds)
  const opened: Opened = {
    client,
    wire,
    server,
    listed: null,
    tellsChanges: false,
    breaking: new AbortController(),
  }
  const { signal } = opened.breaking
  const ready = connect(opened, () => client.connect(transport, { timeout: bounds.timeout_ms }))
  ready.catch(() => opened.breaking.abort())
  return {
    ready,
    broken: () => signal.aborted,
    whenBroken: then => signal.addEventListener('abort', then, { once: true }),
    confirm: (name, confirm_ms, attempt) => confirm(opened, { name, confirm_ms }, attempt),
    call: ({ tool, changes }, params, attempt) =>
      send(opened, { ...attempt, isStale: () => wire.changes() !== changes }, options =>
        client.callTool(params, { ...options, toolDefinition: tool }),
      ),
    ask: (method, params, attempt) =>
      send(opened, attempt, options => client.request({ method, params }, anything, options)),
    end,
  }
}

async function connect(opened: Opened, begin: () => Promise<void>): Promise<void> {
  const { client, wire, server } = opened
  await begin()
  const breaks = (): void => opened.breaking.abort()
  client.onclose = breaks
  if (server.type === 'stdio') {
    client.onerror = breaks
    await listenForChanges(opened)
  }
  wire.opened()
}

/** Asks a program to announce changes of its tools. A program with the legacy protocol announces them unasked. */
async function listenForChanges(opened: Opened): Promise<void> {
  const { client } = opened
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return
  if (client.getProtocolEra() === 'legacy') {
    opened.tellsChanges = true
    return
  }
  const subscription = await client.listen({ toolsListChanged: true })
  opened.tellsChanges = subscription.honoredFilter.toolsListChanged === true
  const silent = (): void => {
    opened.tellsChanges = false
  }
  subscription.closed.then(silent, silent)
}

async function confirm(
  opened: Opened,
  { name, confirm_ms }: { name: string; confirm_ms: number | undefined },
  attempt: Attempt,
): Promise<Confirmed | null> {
  const { wire, tellsChanges } = opened
  const countsMs = confirm_ms ?? (tellsChanges ? confirmMsPreset : 0)
  const { listed } = opened
  const counts = listed !== null && listed.changes === wire.changes() && listed.age() < countsMs
  const { tools, changes } = counts ? listed : await list(opened, attempt)
  const tool = tools.find(listedTool => listedTool.name === name)
  return tool ? { tool, changes } : null
}

async function list(opened: Opened, attempt: Attempt): Promise<NonNullable<Opened['listed']>> {
  const { client, wire } = opened
  for (let count = 0; count < listsMax; count += 1) {
    const [changes, age] = [wire.changes(), createStopwatch()]
    const request = wire.expect(attempt)
    const options = { signal: attempt.signal, timeout: attempt.timeout_ms, headers: request.headers }
    const { tools } = await client.listTools({}, { ...options, cacheMode: 'refresh' }).finally(request.close)
    opened.listed = { tools, changes, age }
    if (wire.changes() === changes) return opened.listed
  }
  throw new Error('the tools of the server changed whenever they were listed')
}

interface Options {
  signal: AbortSignal
  timeout: number
  headers: Record<string, string>
}

async function send(
  { wire }: Opened,
  attempt: Attempt & { isStale?(): boolean },
  begin: (options: Options) => Promise<unknown>,
): Promise<Reply> {
  const request = wire.expect(attempt)
  const { signal, timeout_ms: timeout } = attempt
  const error = await begin({ signal, timeout, headers: request.headers })
    .then(
      () => null,
      (thrown: unknown) => thrown,
    )
    .finally(request.close)
  return { begun: request.begun(), answer: request.answer(), error }
}

/** A schema that accepts any value, because the answer is read from the wire. */
const anything = {
  '~standard': {
    version: 1,
    vendor: 'action-gate',
    validate: (value: unknown) => ({ value }),
  },
} as const
