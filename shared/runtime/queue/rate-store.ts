import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { createBoundedMap } from '../bounded-map.ts'
import { afterNow } from '../clock.ts'

const answerMsMax = 100
const retryAfterMs = 2_000
const knownWindowsMax = 50_000
/** What other processes count is known for so long. */
const knownMs = 1_000
/** Counts that nobody waits for are told so often: telling costs this process and Redis as much as a request. */
const gatherMs = 100
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
  redis.defineCommand('giveBack', { numberOfKeys: 1, lua: giveBackScript })
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

/** Takes one off a window that there still is: a count of its own would be below none, and never end. */
const giveBackScript = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`

interface CountingRedis extends Redis {
  countRequests(key: string, count: number, windowMs: number): Promise<[hits: number, leftMs: number]>
  giveBack(key: string): Promise<void>
}

/** A window as it was last told, with what was counted here since. */
interface Window {
  hits: number
  endsAt: number
  toldAt: number
}

/** What was counted and not told yet, and who waits to hear of it. */
interface Gathered {
  count: number
  waiting: ((info: ClientRateLimitInfo | null) => void)[]
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
  readonly #windows = createBoundedMap<Window>(knownWindowsMax)
  #gathered = new Map<string, Gathered>()
  #later: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #windowMs = 0
  #waitlessHitsMax = 0
  #brokenUntil = 0

  constructor(redis: CountingRedis, prefix: string, now: () => number) {
    this.#redis = redis
    this.#prefix = prefix
    this.#now = now
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
    const gathered = this.#gather(key)
    if (!window || !this.#isFar(window)) {
      const counted = new Promise<ClientRateLimitInfo | null>(resolve => gathered.waiting.push(resolve))
      // What the request does first goes out before what is counted.
      this.#soon ??= setImmediate(this.#tell)
      return (await counted) ?? this.#local.increment(key)
    }
    window.hits += 1
    this.#later ??= setTimeout(this.#tell, gatherMs)
    return infoOf(window, this.#now())
  }

  #isFar({ hits, endsAt, toldAt }: Window): boolean {
    const now = this.#now()
    return hits < this.#waitlessHitsMax && now < endsAt && now - toldAt < knownMs
  }

  #gather(key: string): Gathered {
    const gathered = this.#gathered.get(key) ?? { count: 0, waiting: [] }
    gathered.count += 1
    this.#gathered.set(key, gathered)
    return gathered
  }

  readonly #tell = (): void => {
    clearTimeout(this.#later)
    this.#later = undefined
    this.#soon = undefined
    const gathered = this.#gathered
    this.#gathered = new Map()
    void this.#countAll(gathered)
  }

  /** Where Redis does not answer, those who wait are told so, and this process counts alone for a while. */
  async #countAll(gathered: ReadonlyMap<string, Gathered>): Promise<void> {
    try {
      await Promise.all([...gathered].map(([key, counted]) => this.#countKey(key, counted)))
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      for (const { waiting } of gathered.values()) for (const resolve of waiting) resolve(null)
    }
  }

  /** Those who wait are told the window as it was for each of them. */
  async #countKey(key: string, { count, waiting }: Gathered): Promise<void> {
    const [hits, leftMs] = await this.#redis.countRequests(this.#prefix + key, count, this.#windowMs)
    const toldAt = this.#now()
    const endsAt = toldAt + leftMs
    const untold = this.#gathered.get(key)?.count ?? 0
    this.#windows.put(key, { hits: hits + untold, endsAt, toldAt })
    waiting.forEach((resolve, at) => {
      resolve(infoOf({ hits: hits - waiting.length + at + 1, endsAt }, toldAt))
    })
  }

  async decrement(key: string): Promise<void> {
    if (this.#now() < this.#brokenUntil) return this.#local.decrement(key)
    try {
      await this.#redis.giveBack(this.#prefix + key)
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
