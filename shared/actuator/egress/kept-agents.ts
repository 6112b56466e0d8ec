import { createHash } from 'node:crypto'
import type { Agent } from 'undici'

/**
 * How long connections are kept. An end that says when it closes is believed, up to a bound; the rest is below what servers
 * usually wait. A connection is replaced after a minute, so that a name that leads elsewhere is followed by then.
 */
export const keptFor = {
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  clientTtl: 60_000,
} as const

/** Agents whose connections later exchanges of the same identity use. */
export interface KeptAgents {
  take(identity: readonly unknown[], make: () => Agent): Agent
}

/** One that no exchange took for a minute is forgotten; what is under way in it goes on. */
const forgottenAfterMs = 60_000

export function createKeptAgents(): KeptAgents {
  const kept = new Map<string, { agent: Agent; forgetting: NodeJS.Timeout }>()
  const forget = (key: string): void => {
    const agent = kept.get(key)?.agent
    kept.delete(key)
    // What goes wrong in it is told to whoever waits for an answer.
    agent?.close().catch(() => undefined)
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
      const agent = make()
      kept.set(key, { agent, forgetting: setTimeout(forget, forgottenAfterMs, key).unref() })
      return agent
    },
  }
}
