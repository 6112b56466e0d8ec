import type { Request, Response } from 'express'
import { type Options, rateLimit, type Store } from 'express-rate-limit'
import { hex, sha256 } from '../../shared/canon/digest.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { createBoundedMap } from '../../shared/runtime/bounded-map.ts'
import { afterNow, monotonicMs } from '../../shared/runtime/clock.ts'
import { networkOf } from '../../shared/runtime/process/http-bounds.ts'
import { LocalBuckets } from '../../shared/runtime/queue/token-bucket.ts'

export type CounterStore = Store

/** Counts a request against a limit. Rejects with `rate_limited` and sets `Retry-After` if it is used up. */
export interface Limiter {
  (request: Request, response: Response, subject: string): Promise<void>
  giveBack(subject: string): Promise<void>
}

export interface LimiterOptions {
  name: string
  limit: number
  refusal: string
  window_ms: number
  store: Store | undefined
  onRefused(): void
}

export function createLimiter(options: LimiterOptions): Limiter {
  const subjects = new WeakMap<Request, string>()
  const store = options.store ?? new LocalBuckets(monotonicMs)
  const settings: Partial<Options> = {
    windowMs: options.window_ms,
    limit: options.limit,
    identifier: options.name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    passOnStoreError: true,
    validate: false,
    store,
    keyGenerator: request => subjects.get(request) ?? '',
    handler: (_request, _response, next) => {
      options.onRefused()
      next(new ServiceError('rate_limited', options.refusal))
    },
  }
  const middleware = rateLimit(settings)
  const count = (request: Request, response: Response, subject: string): Promise<void> => {
    subjects.set(request, subject)
    return new Promise((resolve, reject) => {
      const next = (error?: unknown): void => (error ? reject(error) : resolve())
      void Promise.resolve(middleware(request, response, next)).catch(reject)
    })
  }
  return Object.assign(count, { giveBack: async (subject: string) => store.decrement(subject) })
}

/** Counts against a limit that clients rarely reach, so no header mentions it until it is used up. */
export type QuietLimiter = (response: Response, subject: string) => Promise<void>

const digestsMax = 10_000

export function createQuietLimiter({ name, limit, window_ms, ...options }: LimiterOptions): QuietLimiter {
  const store = options.store ?? new LocalBuckets(monotonicMs)
  const ready = store.init?.({ windowMs: window_ms, limit, identifier: name } as Options)
  // The store may be shared with others, so it sees only digests of the subjects.
  const digests = createBoundedMap<string>(digestsMax)
  const digestOf = (subject: string): string => {
    const known = digests.get(subject)
    if (known !== undefined) return known
    const digest = hex(sha256(subject))
    digests.put(subject, digest)
    return digest
  }
  return async (response, subject) => {
    await ready
    const { totalHits, resetTime } = await store.increment(digestOf(subject))
    if (totalHits <= limit) return
    const leftMs = (resetTime?.getTime() ?? 0) - afterNow(0).getTime()
    response.setHeader('retry-after', String(Math.max(1, Math.ceil(leftMs / 1_000))))
    options.onRefused()
    throw new ServiceError('rate_limited', options.refusal)
  }
}

/** Returns the address of a request; IPv6 addresses count by their /64, because one client has all of it. */
export function addressOf(request: Request): string {
  return networkOf(request.ip ?? 'unknown')
}
