import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'
import type { Config } from '../settings/config.ts'

type Bounds = Pick<
  Config,
  'connections_max' | 'address_connections_max' | 'header_ms_max' | 'request_ms_max' | 'stall_ms_max'
>

/** The classes that requests and responses are made of; those of node unless given. */
type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>

/** Bytes of a request's first line and header together. */
const headerBytesMax = 16_384
/** An idle connection is kept a little longer than load balancers keep theirs, so that they end it and not we. */
const keepAliveMs = 65_000
/** Late requests are looked for so often, at least four times in the time they have. */
const lookMsMax = 1_000
/** Requests that one connection may send before it has to come again. */
const connectionRequestsMax = 100_000
/** Requests that wait for the one before them on their connection, of one connection. */
const waitingMax = 1_000
/** The same of all connections together, so that many of them hold no more memory than a few. */
const allWaitingMax = 5_000

/** A server that knows what it has not answered to the end. */
export interface BoundedServer extends Server {
  readonly answering: ReadonlySet<ServerResponse>
}

/** An HTTP server that no client can hold: what a connection may take of time and memory is bounded here. */
export function createBoundedServer(
  bounds: Bounds,
  listener: RequestListener,
  messages: Messages = {},
): BoundedServer {
  const answering = new Set<ServerResponse>()
  const server = createServer({ ...optionsFor(bounds), ...messages }, inTurn(listener, answering))
  server.maxConnections = bounds.connections_max
  server.maxRequestsPerSocket = connectionRequestsMax
  server.setTimeout(bounds.stall_ms_max)
  boundAddresses(server, bounds.address_connections_max)
  return Object.assign(server, { answering })
}

/**
 * Requests that come in a row on one connection are served one after another, each in a turn of its own. Node would start
 * all of them at once and keep their answers, so that a client that asks and never reads could fill the memory.
 */
function inTurn(listener: RequestListener, answering: Set<ServerResponse>): RequestListener {
  const lines = new WeakMap<Socket, RequestListener>()
  const all = { waiting: 0, answering }
  return (request, response) => {
    const line = lines.get(request.socket) ?? lineOf(request.socket, listener, all)
    lines.set(request.socket, line)
    line(request, response)
  }
}

interface AllLines {
  waiting: number
  answering: Set<ServerResponse>
}

/** Takes the requests of one connection. It ends where too many wait; the first that waits has always room. */
function lineOf(socket: Socket, listener: RequestListener, all: AllLines): RequestListener {
  let serving = false
  const waiting: Parameters<RequestListener>[] = []
  const isFull = () => waiting.length >= waitingMax || (waiting.length > 0 && all.waiting >= allWaitingMax)
  const serve: RequestListener = (request, response) => {
    serving = true
    all.answering.add(response)
    response.once('close', () => {
      all.answering.delete(response)
      if (waiting.length > 0) setImmediate(serveNext)
      else serving = false
    })
    listener(request, response)
  }
  const serveNext = () => {
    const next = waiting.shift()
    if (!next) return
    all.waiting -= 1
    if (socket.writable) serve(...next)
  }
  socket.once('close', () => {
    all.waiting -= waiting.length
    waiting.length = 0
  })
  return (request, response) => {
    if (!serving) serve(request, response)
    else if (socket.destroyed || isFull()) socket.destroy()
    else {
      waiting.push([request, response])
      all.waiting += 1
    }
  }
}

function optionsFor({ header_ms_max, request_ms_max }: Bounds): ServerOptions<typeof IncomingMessage> {
  return {
    maxHeaderSize: headerBytesMax,
    headersTimeout: Math.min(header_ms_max, request_ms_max),
    requestTimeout: request_ms_max,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(lookMsMax, Math.ceil(header_ms_max / 4)),
  }
}

/** No address alone can take all connections, and no network of IPv6 by its many addresses. */
function boundAddresses(server: Server, max: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const held = open.get(address) ?? 0
    if (held >= max) {
      socket.destroy()
      return
    }
    open.set(address, held + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}

/** What an address is counted by: IPv6 by its /64, which one client has to itself; IPv4 as it is, mapped or not. */
export function networkOf(address: string): string {
  return ipKeyGenerator(address, 64)
}
