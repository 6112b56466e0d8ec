import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerLine } from './check/evidence.ts'
import { answerAs, type DownstreamCall } from './downstream-call.ts'
import { openSyncedLines } from './lines.ts'

/**
 * The system that the actuators act on, as a process of its own that is never killed: the witness. It writes every call
 * into its ledger, LEDGER_FILE, and syncs that before it lets anything be seen of it.
 *
 * `POST /keyed` honours the idempotency key, `POST /plain` does not; `GET /lookup?key=` tells what became of one. Both
 * refuse what they would do after its `not_after`, and a key that was refused stays refused, so a look-up that finds
 * nothing after that time is final.
 */
const ledger = await openSyncedLines<LedgerLine>(process.env.LEDGER_FILE ?? '')
const done = new Set<string>()
const refused = new Set<string>()
let open = 0

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
  const url = new URL(request.url ?? '/', 'http://downstream')
  if (url.pathname === '/open') return send(response, { open: open - 1 })
  if (url.pathname === '/lookup') return lookUp(url.searchParams.get('key') ?? '', response)
  const endpoint = url.pathname === '/keyed' ? 'keyed' : 'plain'
  const arrived = Date.now()
  await perform(endpoint, arrived, JSON.parse(await bodyOf(request)) as DownstreamCall, response)
}

async function perform(
  endpoint: LedgerLine['endpoint'],
  arrived: number,
  call: DownstreamCall,
  response: ServerResponse,
): Promise<void> {
  await delay(call.before_ms)
  const { key, action_id, tenant_id, attempt, script } = call
  const answer = decide(endpoint, call)
  const line = { endpoint, key, action_id, tenant_id, attempt, script, arrived, at: Date.now() }
  await ledger.add({ ...line, effect: answer === 'done', answer })
  await delay(call.after_ms)
  answerAs(answer, script, response)
}

/** In one step without waiting for anything: what is decided here is what happens. */
function decide(endpoint: LedgerLine['endpoint'], call: DownstreamCall): LedgerLine['answer'] {
  if (refused.has(call.key)) return 'refused'
  if (endpoint === 'keyed' && done.has(call.key)) return 'replayed'
  if (Date.now() > Date.parse(call.not_after)) return 'late'
  if (call.script === 'busy') return 'busy'
  if (call.script === 'lost_before') return 'none'
  if (call.script === 'refuse') {
    if (done.has(call.key)) return 'busy'
    refused.add(call.key)
    return 'refused'
  }
  done.add(call.key)
  return 'done'
}

function lookUp(key: string, response: ServerResponse): void {
  const found = done.has(key) ? 'executed' : refused.has(key) ? 'failed' : 'absent'
  send(response, { found })
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
