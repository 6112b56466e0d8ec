import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { TooLate } from '../actuator.ts'
import { createKeptAgents, keptTimes, watchSessions } from './kept-agents.ts'
import { createLookUp, type LookUp } from './look-up-name.ts'
import { isPublicAddress, mayBeNamed } from './public-address.ts'

/** The error of a call that the guard refused before it connected, so that nothing was sent. */
export class EgressRefused extends Error {
  readonly code = 'egress_refused'
}

export function refusalIn(error: unknown): EgressRefused | null {
  if (error instanceof EgressRefused) return error
  if (error instanceof AggregateError) return refusalIn(error.errors[0])
  return error instanceof Error && error.cause ? refusalIn(error.cause) : null
}

/** A dispatcher for a single request. It connects only to addresses that the guard admits. */
export interface Way {
  dispatcher: Dispatcher
  /** Returns true once writing of the request has begun. Before that, nothing can have been sent. */
  begun(): boolean
  /** Closes the connection at once. A kept connection stays open for the next exchange. */
  end(): Promise<void>
}

export interface WayBounds {
  connect_ms: number
  max_response_bytes: number
  isLate?(): boolean
  certificate?: ClientCertificate
  /**
   * The identity whose exchanges share kept connections, with HTTP/2 if the server offers it. Without one,
   * the exchange opens its own connection, because the server may close a kept one while a request is
   * written.
   */
  keptFor?: readonly string[]
}

/** A client certificate for TLS, in PEM. `ca` replaces the certificate authorities that are trusted by default. */
export interface ClientCertificate {
  cert: string
  key: string
  ca?: string
}

/** A guard that decides by the resolved address where actuators may connect (specification.md#actuators). */
export interface EgressGuard {
  /** Throws EgressRefused if the URL alone forbids the call, before its name is resolved. */
  check(url: URL): void
  open(bounds: WayBounds): Way
}

/**
 * Creates a guard. `allowed` names the hosts (`host` or `host:port`) that may have private addresses and may
 * be called without TLS. The connection's own look-up checks the addresses, so that no second DNS answer can
 * replace the checked one.
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
        // undici may write a request again after a lost connection, but an attempt may send only one.
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

  /** Sends one request at a time on a connection, so that a lost connection leaves only one request in doubt. */
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

/** Refuses a name if any of its addresses is not admitted. */
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
 * Calls `begin` just before the first byte of each request is written to an established connection. If
 * `begin` throws, the request is not written. An answer larger than `bytesMax` ends the request with an
 * error.
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
