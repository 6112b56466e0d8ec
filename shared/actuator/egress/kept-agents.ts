import { createHash } from 'node:crypto'
import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Agent, buildConnector } from 'undici'

/**
 * How long connections are kept. An end that says when it closes is believed, up to a bound; the rest is below what servers
 * usually wait. A connection is replaced after a minute, so that a name that leads elsewhere is followed by then.
 */
export const keptTimes = {
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  clientTtl: 60_000,
} as const

/** Agents whose connections later exchanges of the same identity use. */
export interface KeptAgents {
  /** `make` is told how to say that later exchanges take another one. */
  take(identity: readonly unknown[], make: (ended: () => void) => Agent): Agent
}

/** One that no exchange took for a minute is forgotten; what is under way in it goes on. */
const forgottenAfterMs = 60_000

export function createKeptAgents(): KeptAgents {
  const kept = new Map<string, { agent: Agent; forgetting: NodeJS.Timeout }>()
  const forget = (key: string, agent: Agent): void => {
    if (kept.get(key)?.agent !== agent) return
    clearTimeout(kept.get(key)?.forgetting)
    kept.delete(key)
    // What goes wrong in it is told to whoever waits for an answer.
    agent.close().catch(() => undefined)
  }
  return {
    take(identity, make) {
      // Keys of certificates are part of it.
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
 * A connector after which HTTP/2 ends as RFC 9113 says. undici 7 cuts a connection at the first GOAWAY, and the answer to
 * the stream that it names as the last one is lost; and it keeps an idle session open. Node itself lets streams end that
 * the server still answers. Either way `ended` says that nobody begins another one.
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

/** undici leaves it at its socket. */
function sessionOf(socket: Socket): ClientHttp2Session | undefined {
  const place = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'http2Session')
  return place && (socket as unknown as Record<symbol, ClientHttp2Session>)[place]
}
