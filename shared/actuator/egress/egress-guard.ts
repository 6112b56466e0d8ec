import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { TooLate } from '../actuator.ts'
import { createKeptAgents, keptTimes, watchSessions } from './kept-agents.ts'
import { createLookUp, type LookUp } from './look-up-name.ts'
import { isPublicAddress, mayBeNamed } from './public-address.ts'

/** Refused before a connection was made: nothing was sent. */
export class EgressRefused extends Error {
  readonly code = 'egress_refused'
}

/** The refusal in an error or its causes, or null. */
export function refusalIn(error: unknown): EgressRefused | null {
  if (error instanceof EgressRefused) return error
  if (error instanceof AggregateError) return refusalIn(error.errors[0])
  return error instanceof Error && error.cause ? refusalIn(error.cause) : null
}

/** A way out for one exchange: its dispatcher connects only where it may, and writes one request. */
export interface Way {
  dispatcher: Dispatcher
  /** Whether a request began to be written: before that, nothing can have been sent. */
  begun(): boolean
  /** Ends its connection, whatever state that is in; a kept one is left to the next exchange. */
  end(): Promise<void>
}

export interface WayBounds {
  connect_ms: number
  max_response_bytes: number
  /** No request is begun once it says so; absent: never. */
  isLate?(): boolean
  certificate?: ClientCertificate
  /**
   * Whose connection is used where one is there, and kept for the next one, with HTTP/2 where that is offered; absent: a
   * connection of its own. A kept one may be closed by the other end while a request is written.
   */
  keptFor?: readonly string[]
}

/** What a client shows of itself where TLS asks for it, and who it takes for an authority if not the usual; PEM. */
export interface ClientCertificate {
  cert: string
  key: string
  ca?: string
}

/** Decides where actuators may connect to (specification.md#actuators), by the address that is really connected to. */
export interface EgressGuard {
  /** Throws EgressRefused for a URL that may not be called whatever it resolves to. */
  check(url: URL): void
  open(bounds: WayBounds): Way
}

/**
 * `allowed` are the names (`host` or `host:port`) that may be private and may be called without TLS; a function says which
 * they are now. What a name resolves to is checked in the look-up of the connection itself, so that a second answer cannot slip in between.
 */
export function createEgressGuard(
  allowed: readonly string[] | (() => readonly string[]),
  lookUp: LookUp = createLookUp(),
): EgressGuard {
  const { isNamed, admit, check } = createRules(allowed)
  const kept = createKeptAgents()
  return {
    check,
    open(bounds) {
      const { max_response_bytes, isLate, keptFor: whose } = bounds
      let begun = false
      const begin = (): void => {
        // A client may write again what a connection lost. An attempt is one request.
        if (begun) throw new errors.SocketError('the connection ended after the request began')
        if (isLate?.()) throw new TooLate()
        begun = true
      }
      const agent = whose ? keptAgentOf(whose, bounds) : agentOf(bounds)
      return {
        dispatcher: agent.compose(boundRequest(begin, max_response_bytes)),
        begun: () => begun,
        end: () => (whose ? Promise.resolve() : agent.destroy()),
      }
    },
  }

  /** Connections of it take one request at a time, so that the end of one is the doubt of one. */
  function keptAgentOf(whose: readonly string[], bounds: WayBounds): Agent {
    const { connect_ms, certificate } = bounds
    const connect = connectorOf(bounds, { allowH2: true })
    return kept.take([whose, connect_ms, certificate], ended => {
      const watched = watchSessions(connect, ended)
      return new Agent({ connect: watched, allowH2: true, pipelining: 1, ...keptTimes })
    })
  }

  function agentOf(bounds: WayBounds): Agent {
    return new Agent({ connect: connectorOf(bounds, { allowH2: false }), pipelining: 0, connections: 1 })
  }

  function connectorOf(
    { connect_ms, certificate }: WayBounds,
    { allowH2 }: { allowH2: boolean },
  ): buildConnector.connector {
    return (options, callback) => {
      const { hostname, port, protocol } = options
      try {
        check(new URL(`${protocol}//${options.host ?? hostname}`))
      } catch (error) {
        return callback(error instanceof Error ? error : new Error(String(error)), null)
      }
      const [name, at] = [bare(hostname), port || presetPort(protocol)]
      const lookup = guardedLookup(lookUp, isNamed(name, at), address => admit(name, at, address))
      const connect = buildConnector({
        lookup,
        allowH2,
        timeout: connect_ms,
        maxCachedSessions: 0,
        ...certificate,
      })
      connect(options, callback)
    }
  }
}

/** What may be called: by its name, by the address that it resolves to, and whole. */
function createRules(allowed: readonly string[] | (() => readonly string[])) {
  const isNamed = (hostname: string, port: string): boolean => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const names = typeof allowed === 'function' ? allowed() : allowed
    return names.some(one => [name, `${name}:${port}`].includes(one.toLowerCase()))
  }
  const admit = (hostname: string, port: string, address: string): void => {
    if (isNamed(hostname, port) ? mayBeNamed(address) : isPublicAddress(address)) return
    throw new EgressRefused(`${hostname} is at ${address}, which may not be called`)
  }
  const check = (url: URL): void => {
    const port = portOf(url)
    const hostname = bare(url.hostname)
    if (url.protocol !== 'https:' && !isNamed(hostname, port)) {
      throw new EgressRefused(`${hostname} may only be called with https`)
    }
    if (isIP(hostname)) admit(hostname, port, hostname)
  }
  return { isNamed, admit, check }
}

/** A look-up all of whose addresses must be admitted: one that is not refuses the name. */
function guardedLookup(lookUp: LookUp, listed: boolean, admit: (address: string) => void): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true, listed }, (error, addresses) => {
      if (error) return callback(error, [])
      try {
        for (const { address } of addresses) admit(address)
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, [])
      }
      const [first] = addresses
      if (options.all || !first) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function portOf({ protocol, port }: URL): string {
  return port || presetPort(protocol)
}

function presetPort(protocol: string | undefined): string {
  return protocol === 'http:' ? '80' : '443'
}

/**
 * Calls `begin` for each request at the last moment before its first byte is written to a connection that has come about;
 * what that throws ends the request, and nothing is written. An answer that is larger than it may be ends it too.
 */
function boundRequest(begin: () => void, bytesMax: number): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) => {
    let bytes = 0
    return dispatch(options, {
      onRequestStart(controller, context) {
        begin()
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData(controller, chunk) {
        bytes += chunk.length
        if (bytes > bytesMax) throw new errors.ResponseExceededMaxSizeError()
        return handler.onResponseData?.(controller, chunk)
      },
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })
  }
}
