import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { LedgerLine, RealSystem } from '../check/evidence.ts'
import { type RealFiles, type Relayed, relayed, type ServerName } from './real-systems.ts'

/**
 * A thin proxy in front of servers that nobody here wrote. It hands on every request as it came, and keeps of each call what
 * was asked for and what the server answered; the answer goes on only once that is written.
 */
export interface Relay {
  /** Null for a path of anybody else's. */
  take(request: IncomingMessage): Relayed | null
  relay(
    what: Relayed,
    exchange: { request: IncomingMessage; response: ServerResponse; text: string },
  ): Promise<void>
  /** Calls that a server has under way, without what only asks; of the token server everything. */
  open(server: ServerName): number
}

/** A call as its protocol carries it. */
export type RelayedCall = Pick<LedgerLine, 'key' | 'action_id' | 'tenant_id' | 'parameters'>
export type Keep = (endpoint: RealSystem, call: RelayedCall, seen: Seen) => Promise<void>
interface Seen {
  arrived: number
  request: string
  answer: LedgerLine['answer']
}

interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

const path = /^\/real\/([a-z]+)(\/.*)?$/
/** Where each server listens, and what its root is there. */
const roots: Record<Relayed, string> = { json: '', tokens: '', graphql: '', mcp: '/mcp' }

export function createRelay(socketOf: RealFiles['socketOf'], keep: Keep): Relay {
  const open = new Map<ServerName, number>()
  const count = (server: ServerName, more: 1 | -1): void =>
    void open.set(server, (open.get(server) ?? 0) + more)
  return {
    take: ({ url = '' }) => {
      const [, name = ''] = path.exec(url) ?? []
      return isRelayed(name) ? name : null
    },
    open: server => open.get(server) ?? 0,
    async relay(what, { request: asked, response, text }) {
      const arrived = Date.now()
      const { server, endpoint } = relayed[what]
      const { headers, method = 'GET', url = '' } = asked
      const inside = `${roots[what]}${path.exec(url)?.[2] ?? ''}` || '/'
      const call = callIn(what, method, text)
      const counts = call !== null || endpoint === null
      if (counts) count(server, 1)
      const answered = await handOn({ socketPath: socketOf(server), method, headers, path: inside }, text)
      if (counts) count(server, -1)
      if (call !== null && endpoint !== null) {
        const seen = { arrived, request: `${method} ${url}`, answer: answerOf(what, answered) }
        await keep(endpoint, call, seen)
      }
      answer(response, answered)
    },
  }
}

function isRelayed(name: string): name is Relayed {
  return Object.hasOwn(relayed, name)
}

/** `away`: no connection came about, so the server knows of nothing; `broken`: it may have done anything. */
type HandedOn = Answered | 'away' | 'broken'

function handOn(
  to: { socketPath: string; method: string; path: string; headers: IncomingHttpHeaders },
  text: string,
): Promise<HandedOn> {
  return new Promise(resolve => {
    let connected = false
    const asking = request({ ...to, agent: false })
    const fail = (): void => resolve(connected ? 'broken' : 'away')
    asking.once('socket', socket =>
      socket.once('connect', () => {
        connected = true
      }),
    )
    asking.once('error', fail)
    asking.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', fail)
      response.once('end', () => {
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks) })
      })
    })
    asking.end(text)
  })
}

function answer(response: ServerResponse, answered: HandedOn): void {
  if (answered === 'broken') {
    response.socket?.destroy()
    return
  }
  if (answered === 'away') {
    response.writeHead(503, { 'retry-after': '1' }).end()
    return
  }
  const { 'transfer-encoding': _chunked, connection: _kept, ...headers } = answered.headers
  response.writeHead(answered.status, { ...headers, 'content-length': answered.body.length })
  response.end(answered.body)
}

/** What a request asks a server to do; null where it only asks. */
function callIn(what: Relayed, method: string, text: string): RelayedCall | null {
  if (method !== 'POST' || what === 'tokens') return null
  const body = JSON.parse(text) as JsonCall & { variables?: JsonCall } & McpCall
  if (what === 'json') return namedCall({ ...body, key: body.id ?? '' })
  if (what === 'graphql') return namedCall(body.variables ?? {})
  if (body.method !== 'tools/call') return null
  const { arguments: parameters, _meta } = body.params ?? {}
  const key = String(_meta?.['io.action-gate/idempotency-key'])
  return { key, action_id: null, tenant_id: null, parameters }
}

interface JsonCall {
  id?: string
  key?: string
  action?: string
  tenant?: string
}
interface McpCall {
  method?: string
  params?: { arguments?: object; _meta?: Record<string, unknown> }
}

function namedCall({ id: _id, key = '', action, tenant, ...parameters }: JsonCall & object): RelayedCall {
  return { key, action_id: action ?? null, tenant_id: tenant ?? null, parameters }
}

/** What an answer says of the call, in the words of its server. */
export function answerOf(what: Relayed, answered: HandedOn): LedgerLine['answer'] {
  if (answered === 'away') return 'busy'
  if (answered === 'broken') return 'unanswered'
  const { status } = answered
  const text = answered.body.toString()
  if (what === 'json') {
    if (status === 201) return 'done'
    return status === 500 && text.includes('duplicate id') ? 'replayed' : 'refused'
  }
  const isDone = what === 'graphql' ? text.includes('"ship":"on its way"') : text.includes('"result":')
  return status === 200 && isDone ? 'done' : 'refused'
}
