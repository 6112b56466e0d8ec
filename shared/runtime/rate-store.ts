import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { afterNow } from './clock.ts'
import { createLane } from './lane.ts'
import { createRecent } from './recent.ts'

const answerMsMax = 100
const retryAfterMs = 2_000
const knownWindowsMax = 50_000
/** What other processes count is known for so long. */
const knownMs = 1_000
const groupSizeMax = 1_000
/** Of a limit at least so high, requests in the first half of a window need not wait until they were counted. */
const waitlessLimitMin = 100

/** Counters of the rate limits in Redis, shared by all processes. */
export interface SharedCounters {
  /** A store of its own for one limit. */
  store(name: string): Store
  close(): void
}

export function openSharedCounters(redisUrl: string, prefix: string, now: () => number): SharedCounters {
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: answerMsMax,
  })
  redis.on('error', () => undefined)
  redis.defineCommand('countRequests', { numberOfKeys: 1, lua: countScript })
  return {
    store: name => new SharedStore(redis as CountingRedis, `${prefix}:limit:${name}:`, now),
    close: () => redis.disconnect(),
  }
}

/** Adds to a window, which begins with the first request in it; answers its count and the milliseconds that are left. */
const countScript = `
local hits = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {hits, left}`

interface CountingRedis extends Redis {
  countRequests(key: string, count: number, windowMs: number): Promise<[hits: number, leftMs: number]>
}

/** A window as it was last told, with what was counted here since. */
interface Window {
  hits: number
  endsAt: number
  toldAt: number
}

/**
 * Counts in Redis, what comes together in one command. Far from a limit a request is counted without being held up: what
 * all processes had counted is known from an answer of just now, and half of the limit is room for what came since. While
 * Redis does not answer in time, this process counts alone, so that a limit is never lifted.
 */
class SharedStore implements Store {
  readonly #redis: CountingRedis
  readonly #prefix: string
  readonly #now: () => number
  readonly #local = new MemoryStore()
  readonly #windows = createRecent<Window>(knownWindowsMax)
  readonly #count: (key: string) => Promise<ClientRateLimitInfo | null>
  #windowMs = 0
  #waitlessHitsMax = 0
  #brokenUntil = 0

  constructor(redis: CountingRedis, prefix: string, now: () => number) {
    this.#redis = redis
    this.#prefix = prefix
    this.#now = now
    this.#count = createLane({ size_max: groupSizeMax, lanes: 1, run: keys => this.#countGroup(keys) })
  }

  init(options: Options): void {
    this.#local.init(options)
    this.#windowMs = options.windowMs
    const limit = typeof options.limit === 'number' ? options.limit : 0
    this.#waitlessHitsMax = limit < waitlessLimitMin ? 0 : limit / 2
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.#now() < this.#brokenUntil) return this.#local.increment(key)
    const window = this.#windows.get(key)
    const counted = this.#count(key)
    if (!window || !this.#isFar(window)) return (await counted) ?? this.#local.increment(key)
    window.hits += 1
    return infoOf(window, this.#now())
  }

  #isFar({ hits, endsAt, toldAt }: Window): boolean {
    const now = this.#now()
    return hits < this.#waitlessHitsMax && now < endsAt && now - toldAt < knownMs
  }

  /** Null for each where Redis did not answer. */
  async #countGroup(keys: readonly string[]): Promise<(ClientRateLimitInfo | null)[]> {
    await nextTurn()
    const counts = new Map<string, number>()
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    try {
      const told = await Promise.all([...counts].map(([key, count]) => this.#countKey(key, count)))
      const windows = new Map(told.map(({ key, hits, endsAt }) => [key, { hits, endsAt }]))
      return keys.map(key => this.#nextOf(windows.get(key)))
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      return keys.map(() => null)
    }
  }

  /** Counts together what asked together; gives the window as it was before them. */
  async #countKey(key: string, count: number): Promise<{ key: string; hits: number; endsAt: number }> {
    const [hits, leftMs] = await this.#redis.countRequests(this.#prefix + key, count, this.#windowMs)
    const toldAt = this.#now()
    const endsAt = toldAt + leftMs
    this.#windows.put(key, { hits, endsAt, toldAt })
    return { key, hits: hits - count, endsAt }
  }

  #nextOf(window: Pick<Window, 'hits' | 'endsAt'> | undefined): ClientRateLimitInfo | null {
    if (!window) return null
    window.hits += 1
    return infoOf(window, this.#now())
  }

  async decrement(key: string): Promise<void> {
    if (this.#now() < this.#brokenUntil) return this.#local.decrement(key)
    try {
      await this.#redis.decr(this.#prefix + key)
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      await this.#local.decrement(key)
    }
  }

  async resetKey(key: string): Promise<void> {
    await this.#local.resetKey(key)
  }
}

function infoOf({ hits, endsAt }: Pick<Window, 'hits' | 'endsAt'>, now: number): ClientRateLimitInfo {
  return { totalHits: hits, resetTime: afterNow(Math.max(0, endsAt - now)) }
}

/** What a request does first goes out before what is counted. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
