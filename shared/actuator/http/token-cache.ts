import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { monotonicMs } from '../../runtime/clock.ts'

export interface IssuedToken {
  value: string
  lives_ms: number | null
}

export interface TokenCache {
  /**
   * Returns the token of a name, and fetches one if none is valid. Shortly before a token ends, it is still
   * returned while the next token is fetched. All callers of a name share one fetch.
   */
  get(name: string, fetch: () => Promise<IssuedToken>): Promise<string>
  /** Returns the latest 4 tokens of a name, including refused ones, because an answer may still repeat one. */
  recent(name: string): readonly string[]
  /** Forgets a refused token unless a newer one has replaced it. */
  drop(name: string, value: string): void
}

interface Kept {
  value: string
  renew_at: number
  ends_at: number
}

const namesMax = 10_000
const recentMax = 4
const livesPresetMs = 300_000
/** A token is renewed in its last 20 % (at most 60 s) and not used in its last 5 % (at most 5 s). */
const renewShare = 0.2
const renewMsMax = 60_000
const endShare = 0.05
const endMsMax = 5_000
/** Milliseconds from a failed renewal to the next one, while the old token is still valid. */
const pauseMs = 1_000

export function createTokenCache(now: () => number = monotonicMs): TokenCache {
  const kept = createBoundedMap<Kept>(namesMax)
  const recent = createBoundedMap<readonly string[]>(namesMax)
  const underWay = new Map<string, Promise<string>>()

  const keep = (name: string, { value, lives_ms }: IssuedToken, asked: number): string => {
    const lives = lives_ms ?? livesPresetMs
    recent.put(name, [value, ...(recent.get(name) ?? [])].slice(0, recentMax))
    kept.put(name, {
      value,
      renew_at: asked + lives - Math.min(lives * renewShare, renewMsMax),
      ends_at: asked + lives - Math.min(lives * endShare, endMsMax),
    })
    return value
  }

  const fetchOnce = (name: string, fetch: () => Promise<IssuedToken>): Promise<string> => {
    const asked = now()
    const fetching =
      underWay.get(name) ??
      fetch()
        .then(token => keep(name, token, asked))
        .finally(() => underWay.delete(name))
    underWay.set(name, fetching)
    return fetching
  }

  return {
    async get(name, fetch) {
      const token = kept.get(name)
      if (!token || token.ends_at <= now()) return fetchOnce(name, fetch)
      if (token.renew_at <= now()) {
        fetchOnce(name, fetch).catch(() => {
          token.renew_at = now() + pauseMs
        })
      }
      return token.value
    },
    recent: name => recent.get(name) ?? [],
    drop(name, value) {
      if (kept.get(name)?.value === value) kept.forget(name)
    },
  }
}
