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

type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>

const headerBytesMax = 16_384
/** Idle connections live longer than in load balancers, so that the balancer closes a connection first. */
const keepAliveMs = 65_000
/** Node looks for late requests at least four times within their time limit. */
const lookMsMax = 1_000
const connectionRequestsMax = 100_000
const waitingMax = 1_000
/** The limit of waiting requests on all connections together. Otherwise many connections could fill the memory. */
const allWaitingMax = 5_000

export interface BoundedServer extends Server {
  readonly answering: ReadonlySet<ServerResponse>
}

/** Creates an HTTP server that limits the time and memory of each connection, so that no client can block it. */
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
 * Serves the pipelined requests of a connection one after another. Node would start all at once and hold their
 * answers, so a client that never reads could fill the memory.
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

/** Serves the requests of one connection. It destroys the connection if too many wait, but one may always wait. */
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

/** Limits connections per address (per network for IPv6), so that no client can take all connections. */
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

/** Returns the address, or its /64 for IPv6, because one client controls a whole /64. */
export function networkOf(address: string): string {
  return ipKeyGenerator(address, 64)
}
