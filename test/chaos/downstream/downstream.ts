import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerLine } from '../check/evidence.ts'
import { realFiles, serverNames } from '../real/real-systems.ts'
import { createRelay } from '../real/relay.ts'
import { answerAccepted, createOperations, isAccepted } from './accepted-operations.ts'
import type { ChaosParameters } from './chaos-parameters.ts'
import {
  answerAs,
  type DownstreamCall,
  endpoints,
  type OwnEndpoint,
  type Script,
  scripts,
} from './downstream-call.ts'
import { answerMcp, callOfMcp, createMcp } from './downstream-mcp.ts'
import { openSyncedLines } from './lines.ts'

/**
 * The systems that the actuators act on, in a process of its own that is never killed: the witness. It writes every call
 * into its ledger, LEDGER_FILE, with content, order and time, and syncs that before it lets anything be seen of it.
 *
 * `POST /keyed` and `/plain` serve the module actuators, `/http/keyed`, `/http/plain` and `/http/loose` the real http
 * actuator (what follows in the path is the generation of the registration), `/mcp` the real mcp actuator.
 * What `/http/later` accepts is done later, see `accepted-operations.ts`; `GET /later/` and its key tells how far it is, and
 * `GET /questions` how many asked for that.
 * `/real/` and what follows is handed on to servers that nobody here wrote, below REAL_DIRECTORY.
 * `GET /lookup?key=` answers what became of a key. How each of them behaves is in `endpoints`.
 */
const ledger = await openSyncedLines<LedgerLine>(process.env.LEDGER_FILE ?? '')
const done = new Set<string>()
const refused = new Set<string>()
const arrivals = new Map<string, number>()
const mcp = createMcp()
const operations = createOperations(more => {
  open += more
})
let lines = 0
let open = 0
const relay = createRelay(
  realFiles(process.env.REAL_DIRECTORY ?? '').socketOf,
  async (endpoint, call, seen) => {
    lines += 1
    const honours_key = endpoint === 'json_server'
    const which = { n: lines, endpoint, honours_key, attempt: null, delivery: 1 } as const
    const effect = seen.answer === 'done'
    await ledger.add({ ...which, ...call, ...seen, script: 'ok', at: Date.now(), effect })
  },
)

const server = createServer((request, response) => {
  open += 1
  response.once('close', () => {
    open -= 1
  })
  route(request, response).catch((error: unknown) => {
    if (!request.socket.destroyed) process.stderr.write(`${String(error)}\n`)
    request.socket.destroy()
  })
})
server.keepAliveTimeout = 1
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stderr.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
process.on('SIGTERM', () => process.exit(0))

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://downstream')
  if (pathname === '/open') return send(response, 200, { open: openAt(searchParams.get('server')) })
  if (pathname === '/questions') return send(response, 200, operations.asked())
  if (pathname.startsWith('/later/')) return tellState(operations.stateOf(pathname), response)
  if (pathname === '/lookup') return lookUp(searchParams.get('key') ?? '', response)
  const arrived = Date.now()
  const text = await bodyOf(request)
  const real = relay.take(request)
  if (real !== null) return throughout(relay.relay(real, { request, response, text }))
  if (pathname === '/mcp') return routeMcp(request, response, { text, arrived })
  const [endpoint, call] = pathname.startsWith('/http/')
    ? ([`http_${pathname.split('/')[2]}` as OwnEndpoint, httpCall(request, text)] as const)
    : ([pathname.slice(1) as OwnEndpoint, JSON.parse(text) as DownstreamCall] as const)
  if (endpoint === 'http_later' && isAccepted(call.script)) {
    operations.accept(call, header(request, 'x-notify'), () => deliver(endpoint, arrived, call, 1))
    await delay(call.after_ms)
    return answerAccepted(call, response)
  }
  const answer = await perform(endpoint, arrived, call)
  await delay(call.after_ms)
  answerAs(answer, call.script, response)
}

/** A question that is not answered hangs for longer than anybody waits; a broken link may not tell that who asked has gone. */
function tellState(state: string | null, response: ServerResponse): void {
  if (state !== null) {
    send(response, 200, { state })
    return
  }
  const late = setTimeout(() => response.destroy(), hangsMs)
  response.once('close', () => clearTimeout(late))
}

const hangsMs = 5_000

/** Everything that is under way but the question itself, or what a server has under way. */
function openAt(server: string | null): number {
  const known = serverNames.find(name => name === server)
  return known === undefined ? open - 1 : relay.open(known)
}

/** Whoever asked may be gone by then: it is under way until it ends. */
async function throughout(work: Promise<void>): Promise<void> {
  open += 1
  await work.finally(() => {
    open -= 1
  })
}

async function routeMcp(
  request: IncomingMessage,
  response: ServerResponse,
  { text, arrived }: { text: string; arrived: number },
): Promise<void> {
  // What is of a session that was forgotten is not looked at.
  const session = mcp.sessionOf(request)
  if (session === null) return send(response, 404, {})
  const asked = callOfMcp(text)
  if (asked === null) return answerMcp(session, request, response, { text, answer: null })
  const call = { ...asked, script: scriptOf(asked.key, asked.parameters) }
  const answer = await perform('mcp_keyed', arrived, call)
  await delay(call.after_ms)
  return answerMcp(session, request, response, { text, answer: { answer, script: call.script } })
}

/** The real http actuator sends the parameters alone; everything else is in headers. */
function httpCall(request: IncomingMessage, text: string): DownstreamCall {
  const parameters = JSON.parse(text) as ChaosParameters
  const key = header(request, 'idempotency-key') ?? ''
  return {
    key,
    action_id: header(request, 'x-action'),
    tenant_id: header(request, 'x-tenant'),
    attempt: null,
    not_after: header(request, 'x-not-after'),
    request: `${request.method} ${request.url}`,
    parameters,
    script: scriptOf(key, parameters),
    before_ms: parameters.before_ms,
    after_ms: parameters.after_ms,
  }
}

/** Scripts go by the number of calls with the key, the last one for all that follow. */
function scriptOf(key: string, { scripts: asked }: Pick<ChaosParameters, 'scripts'>): Script {
  const nth = (arrivals.get(key) ?? 0) + 1
  arrivals.set(key, nth)
  const script = asked[Math.min(nth, asked.length) - 1]
  return scripts.find(known => known === script) ?? 'ok'
}

/**
 * The answer to the one who called. A network that delivers twice does so after the first delivery, and only to an endpoint
 * that honours the key: nobody could promise one effect anywhere else.
 */
async function perform(
  endpoint: OwnEndpoint,
  arrived: number,
  call: DownstreamCall,
): Promise<LedgerLine['answer']> {
  await delay(call.before_ms)
  const first = await deliver(endpoint, arrived, call, 1)
  if (!endpoints[endpoint].honours_key) return first
  if (call.script === 'again') return deliver(endpoint, arrived, call, 2)
  if (call.script === 'again_later') {
    open += 1
    delay(call.after_ms * 4)
      .then(() => deliver(endpoint, arrived, call, 2))
      .finally(() => {
        open -= 1
      })
  }
  return first
}

async function deliver(
  endpoint: OwnEndpoint,
  arrived: number,
  call: DownstreamCall,
  delivery: 1 | 2,
): Promise<LedgerLine['answer']> {
  const answer = decide(endpoint, call, delivery)
  const { key, action_id, tenant_id, attempt, script, request, parameters } = call
  lines += 1
  const { honours_key } = endpoints[endpoint]
  const which = { n: lines, endpoint, honours_key, key, action_id, tenant_id, attempt }
  const known = { ...which, delivery, request, parameters }
  await ledger.add({ ...known, script, arrived, at: Date.now(), effect: answer === 'done', answer })
  return answer
}

/** In one step without waiting for anything: what is decided here is what happens. */
function decide(endpoint: OwnEndpoint, call: DownstreamCall, delivery: 1 | 2): LedgerLine['answer'] {
  const traits = endpoints[endpoint]
  if (refused.has(call.key)) return 'refused'
  if (traits.honours_key && done.has(call.key)) return delivery === 2 ? 'conflict' : 'replayed'
  if (traits.enforces_not_after && Date.now() > Date.parse(call.not_after ?? '')) return 'late'
  if (call.script === 'busy') return 'busy'
  if (call.script === 'lost_before') return 'none'
  if (call.script === 'refuse') {
    if (done.has(call.key)) return 'busy'
    if (traits.remembers_refusals) refused.add(call.key)
    return 'refused'
  }
  done.add(call.key)
  return 'done'
}

function lookUp(key: string, response: ServerResponse): void {
  const found = done.has(key) ? 'executed' : refused.has(key) ? 'failed' : 'absent'
  send(response, found === 'absent' ? 404 : 200, { found })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
