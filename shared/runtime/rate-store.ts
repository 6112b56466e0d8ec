import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { type RedisReply, RedisStore } from 'rate-limit-redis'

const answerMsMax = 100
const retryAfterMs = 2_000

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
  })
  redis.on('error', () => undefined)
  return {
    store: name => new FallbackStore(redis, `${prefix}:limit:${name}:`, now),
    close: () => redis.disconnect(),
  }
}

/** Counts in Redis; while Redis does not answer in time, this process counts alone, so that a limit is never lifted. */
class FallbackStore implements Store {
  readonly #shared: RedisStore
  readonly #local = new MemoryStore()
  readonly #now: () => number
  #options: Options | null = null
  #ready: Promise<void> | null = null
  #brokenUntil = 0

  constructor(redis: Redis, prefix: string, now: () => number) {
    this.#now = now
    this.#shared = new RedisStore({
      prefix,
      sendCommand: (command: string, ...args: string[]) =>
        withinMs(redis.call(command, ...args) as Promise<RedisReply>, answerMsMax),
    })
  }

  init(options: Options): void {
    this.#options = options
    this.#local.init(options)
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.#now() < this.#brokenUntil) return this.#local.increment(key)
    try {
      this.#ready ??= this.#begin()
      await this.#ready
      return await this.#shared.increment(key)
    } catch {
      this.#ready = null
      this.#brokenUntil = this.#now() + retryAfterMs
      return this.#local.increment(key)
    }
  }

  /** Loads the scripts into Redis, which may have been restarted since. */
  async #begin(): Promise<void> {
    if (this.#options) await this.#shared.init(this.#options)
  }

  async decrement(key: string): Promise<void> {
    if (this.#now() < this.#brokenUntil) return this.#local.decrement(key)
    try {
      await this.#shared.decrement(key)
    } catch {
      this.#brokenUntil = this.#now() + retryAfterMs
      await this.#local.decrement(key)
    }
  }

  async resetKey(key: string): Promise<void> {
    await this.#local.resetKey(key)
  }
}

async function withinMs<Answer>(promise: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms)
  })
  return Promise.race([promise, bound]).finally(() => clearTimeout(timer))
}
