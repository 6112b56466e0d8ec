import { createHash } from 'node:crypto'
import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Agent, buildConnector } from 'undici'

/**
 * Lifetimes of connections, in ms. A server's stated close time is believed up to 30 s; 4 s is below what
 * servers usually wait. A connection is replaced after 60 s, so that a changed DNS name takes effect.
 */
export const keptTimes = {
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  clientTtl: 60_000,
} as const

export interface KeptAgents {
  /** Returns an identity's agent; `make` gets a function that retires it, so that later calls get another. */
  take(identity: readonly unknown[], make: (ended: () => void) => Agent): Agent
}

/** Milliseconds without an exchange after which an agent is forgotten; its open requests still finish. */
const forgottenAfterMs = 60_000

export function createKeptAgents(): KeptAgents {
  const kept = new Map<string, { agent: Agent; forgetting: NodeJS.Timeout }>()
  const forget = (key: string, agent: Agent): void => {
    if (kept.get(key)?.agent !== agent) return
    clearTimeout(kept.get(key)?.forgetting)
    kept.delete(key)
    // Errors of the agent reach the requests that wait for answers, so closing it ignores them.
    agent.close().catch(() => undefined)
  }
  return {
    take(identity, make) {
      // The identity is hashed because it includes the keys of certificates.
      const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64')
      const found = kept.get(key)
      if (found) {
        found.forgetting.refresh()
        return found.agent
      }
      const agent: Agent = make(() => forget(key, agent))
      kept.set(key, { agent, forgetting: setTimeout(forget, forgottenAfterMs, key, agent).unref() })
      return agent
    },
  }
}

/**
 * Wraps a connector so that HTTP/2 ends as RFC 9113 says, because undici 7 cuts a connection at the first
 * GOAWAY, which loses the answer to the last stream it names, and keeps idle sessions open. Node lets
 * answered streams finish; `ended` says that no exchange may begin on the session.
 */
export function watchSessions(
  connect: buildConnector.connector,
  ended: () => void,
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [error, socket] = connected
      callback(...connected)
      if (error === null) setImmediate(watchSession, socket, ended)
    })
}

function watchSession(socket: Socket, ended: () => void): void {
  const session = sessionOf(socket)
  if (!session) return
  session.removeAllListeners('goaway')
  session.once('goaway', ended)
  session.setTimeout(keptTimes.keepAliveTimeout, () => {
    ended()
    session.close()
  })
}

/** Returns the HTTP/2 session, which undici stores under a symbol of the socket. */
function sessionOf(socket: Socket): ClientHttp2Session | undefined {
  const place = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'http2Session')
  return place && (socket as unknown as Record<symbol, ClientHttp2Session>)[place]
}
