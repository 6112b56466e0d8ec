import { createHash } from 'node:crypto'
import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Agent, buildConnector } from 'undici'

/**
 * Lifetimes of kept connections, in ms. An idle connection closes after 4 s, because servers usually wait
 * longer; a server that states its own time is believed up to 30 s. A connection is replaced after 60 s, so
 * that a changed DNS entry takes effect.
 */
export const keptTimes = {
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  clientTtl: 60_000,
} as const

export interface KeptAgents {
  /**
   * Returns the agent of an identity, or makes it. The argument of `make` retires the agent, so that later
   * calls get a new one.
   */
  take(identity: readonly unknown[], make: (ended: () => void) => Agent): Agent
}

/** Milliseconds without use after which an agent is dropped. Its open requests still finish. */
const forgottenAfterMs = 60_000

export function createKeptAgents(): KeptAgents {
  const kept = new Map<string, { agent: Agent; forgetting: NodeJS.Timeout }>()
  const forget = (key: string, agent: Agent): void => {
    if (kept.get(key)?.agent !== agent) return
    clearTimeout(kept.get(key)?.forgetting)
    kept.delete(key)
    // An error of the agent reaches its open requests, so closing the agent ignores the error.
    agent.close().catch(() => undefined)
  }
  return {
    take(identity, make) {
      // The identity contains private keys of certificates, so only its hash is the key in the map.
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
 * Wraps a connector so that HTTP/2 sessions end as RFC 9113 says. undici 7 would cut the connection at the
 * first GOAWAY and lose the answer to the last accepted stream; it would also keep idle sessions open.
 * `ended` is called once a session takes no new exchange.
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

/** Returns the HTTP/2 session of a socket; undici stores it under a symbol. */
function sessionOf(socket: Socket): ClientHttp2Session | undefined {
  const place = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'http2Session')
  return place && (socket as unknown as Record<symbol, ClientHttp2Session>)[place]
}
