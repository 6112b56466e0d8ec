import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { createBoundedMap } from '../bounded-map.ts'
import {
  type BucketTerms,
  grantedInfo,
  LocalBuckets,
  refusedInfo,
  takenOf,
  termsOf,
  tokenMsOf,
  tokenRounding,
} from './token-bucket.ts'

const answerMsMax = 100
const retryAfterMs = 2_000
const knownBucketsMax = 50_000
/** Milliseconds for which the last count from Redis is considered current. */
const knownMs = 1_000
/**
 * Counts for which no request waits are sent every 100 ms, because sending a count costs this process and Redis as
 * much as a request.
 */
const gatherMs = 100
/** With a limit of at least 100, a request does not wait for Redis while half of the tokens are left. */
const waitlessLimitMin = 100

export interface SharedCounters {
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
  redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: takeScript })
  redis.defineCommand('giveBack', { numberOfKeys: 1, lua: giveBackScript })
  return {
    store: name => new SharedStore(redis as CountingRedis, `${prefix}:limit:${name}:`, now),
    close: () => redis.disconnect(),
  }
}

/**
 * Stores a bucket as the time at which it is full again, by Redis's clock. The script counts the `given` tokens,
 * and grants as many `asked` tokens as are left. It returns the number granted and the milliseconds until the
 * bucket is full. A clock that is set back costs at most one full bucket.
 */
const takeScript = `
local given, asked, limit, windowMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local tokenMs = windowMs / limit
local fullAt = tonumber(redis.call('GET', KEYS[1]) or '0')
fullAt = math.min(math.max(fullAt, now), now + windowMs) + given * tokenMs
local room = math.floor((now + windowMs - fullAt) / tokenMs + ${tokenRounding})
local granted = math.max(0, math.min(asked, room))
fullAt = fullAt + granted * tokenMs
redis.call('SET', KEYS[1], string.format('%.17g', fullAt), 'PX', math.max(1, math.ceil(fullAt - now)))
return {granted, string.format('%.17g', fullAt - now)}`

const giveBackScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local fullAt = tonumber(redis.call('GET', KEYS[1]) or '0') - ARGV[1]
if fullAt <= now then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], string.format('%.17g', fullAt), 'PX', math.ceil(fullAt - now)) end`

interface CountingRedis extends Redis {
  takeTokens(
    key: string,
    ...terms: [given: number, asked: number, limit: number, windowMs: number]
  ): Promise<[granted: number, fullInMs: string]>
  giveBack(key: string, tokenMs: number): Promise<void>
}

interface Bucket {
  fullAt: number
  toldAt: number
}

interface Gathered {
  count: number
  waiting: ((info: ClientRateLimitInfo | null) => void)[]
}

/**
 * Counts requests in Redis, with one command for all requests of a moment. A request far from its limit does not
 * wait for Redis, because a recent count shows that half of the limit is left. While Redis does not answer, this
 * process counts alone, so that a limit always holds.
 */
class SharedStore implements Store {
  readonly #redis: CountingRedis
  readonly #prefix: string
  readonly #now: () => number
  readonly #local: LocalBuckets
  readonly #buckets = createBoundedMap<Bucket>(knownBucketsMax)
  #gathered = new Map<string, Gathered>()
  #later: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #terms: BucketTerms = { limit: 0, windowMs: 0 }
  #brokenUntil = 0

  constructor(redis: CountingRedis, prefix: string, now: () => number) {
    this.#redis = redis
    this.#prefix = prefix
    this.#now = now
    this.#local = new LocalBuckets(now)
  }

  init(options: Options): void {
    this.#local.init(options)
    this.#terms = termsOf(options)
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.#now() < this.#brokenUntil) return this.#local.increment(key)
    const bucket = this.#buckets.get(key)
    const gathered = this.#gather(key)
    if (!bucket || !this.#isFar(bucket)) {
      const counted = new Promise<ClientRateLimitInfo | null>(resolve => gathered.waiting.push(resolve))
      this.#soon ??= setImmediate(this.#tell)
      return (await counted) ?? this.#local.increment(key)
    }
    const now = this.#now()
    bucket.fullAt = Math.max(bucket.fullAt, now) + tokenMsOf(this.#terms)
    this.#later ??= setTimeout(this.#tell, gatherMs)
    return grantedInfo(this.#terms, bucket.fullAt - now)
  }

  #isFar({ fullAt, toldAt }: Bucket): boolean {
    const now = this.#now()
    const { limit } = this.#terms
    const isNear = limit < waitlessLimitMin || takenOf(this.#terms, fullAt - now) >= limit / 2
    return !isNear && now - toldAt < knownMs
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

  /** Sends the counts to Redis. If Redis does not answer, this process counts alone for the next 2 seconds. */
  async #countAll(gathered: ReadonlyMap<string, Gathered>): Promise<void> {
    try {
      await Promise.all([...gathered].map(([key, counted]) => this.#countKey(key, counted)))
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      for (const { waiting } of gathered.values()) for (const resolve of waiting) resolve(null)
    }
  }

  async #countKey(key: string, { count, waiting }: Gathered): Promise<void> {
    const { limit, windowMs } = this.#terms
    const asked = waiting.length
    const terms = [count - asked, asked, limit, windowMs] as const
    const [granted, told] = await this.#redis.takeTokens(this.#prefix + key, ...terms)
    const [fullInMs, tokenMs, toldAt] = [Number(told), tokenMsOf(this.#terms), this.#now()]
    const untold = this.#gathered.get(key)?.count ?? 0
    this.#buckets.put(key, { fullAt: toldAt + fullInMs + untold * tokenMs, toldAt })
    waiting.forEach((resolve, at) => {
      const later = (granted - at - 1) * tokenMs
      resolve(at < granted ? grantedInfo(this.#terms, fullInMs - later) : refusedInfo(this.#terms, fullInMs))
    })
  }

  async decrement(key: string): Promise<void> {
    if (this.#now() < this.#brokenUntil) return this.#local.decrement(key)
    try {
      await this.#redis.giveBack(this.#prefix + key, tokenMsOf(this.#terms))
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      this.#local.decrement(key)
    }
  }

  async resetKey(key: string): Promise<void> {
    this.#local.resetKey(key)
  }
}
