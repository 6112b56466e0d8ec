import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { monotonicMs } from '../../runtime/clock.ts'

/** An access token as its server gave it out. */
export interface IssuedToken {
  value: string
  /** Null where the server does not say. */
  lives_ms: number | null
}

/** Access tokens of a worker, shared by all its calls that prove themselves alike. */
export interface TokenCache {
  /**
   * The token of a name, fetched where there is none that lives. One that ends soon is still given out while another is
   * fetched. Of a name one fetch is under way at a time, and whoever needs a token waits for it.
   */
  get(name: string, fetch: () => Promise<IssuedToken>): Promise<string>
  /** The latest tokens of a name, refused ones among them: an answer may still repeat one. */
  recent(name: string): readonly string[]
  /** Forget a token that was refused, unless another has taken its place. */
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
/** Before its end a token is fetched anew, and soon after that the old one is not used any more. */
const renewShare = 0.2
const renewMsMax = 60_000
const endShare = 0.05
const endMsMax = 5_000
/** After a fetch that failed, while the old token still lives. */
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
