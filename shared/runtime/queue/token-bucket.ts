import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit'
import { afterNow } from '../clock.ts'

/** A bucket of `limit` tokens that is filled in `windowMs`, one token after another: a request takes one. */
export interface BucketTerms {
  limit: number
  windowMs: number
}

export function termsOf({ limit, windowMs }: Options): BucketTerms {
  return { limit: typeof limit === 'number' ? limit : 0, windowMs }
}

export function tokenMsOf({ limit, windowMs }: BucketTerms): number {
  return windowMs / limit
}

/** Sums of parts of milliseconds are not exact: so much of a token is none. */
export const tokenRounding = 0.01

/** How many tokens are out of a bucket that is full again after that time. */
export function takenOf(terms: BucketTerms, fullInMs: number): number {
  return Math.max(0, Math.ceil(fullInMs / tokenMsOf(terms) - tokenRounding))
}

/** As the limiter reads it: the tokens that are out, and when all of them are back. */
export function grantedInfo(terms: BucketTerms, fullInMs: number): ClientRateLimitInfo {
  return { totalHits: takenOf(terms, fullInMs), resetTime: afterNow(fullInMs) }
}

/** Of a request that found no token and took none: it is one too many until the next token is there. */
export function refusedInfo(terms: BucketTerms, fullInMs: number): ClientRateLimitInfo {
  const nextMs = fullInMs + tokenMsOf(terms) - terms.windowMs
  return { totalHits: terms.limit + 1, resetTime: afterNow(Math.max(0, nextMs)) }
}

/** Buckets of this process alone: of each, when it is full again. One that nobody touched for a window is full. */
export class LocalBuckets implements Store {
  readonly #now: () => number
  #terms: BucketTerms = { limit: 0, windowMs: 0 }
  #fullAt = new Map<string, number>()
  #older = new Map<string, number>()
  #turnedAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  init(options: Options): void {
    this.#terms = termsOf(options)
  }

  increment(key: string): ClientRateLimitInfo {
    const now = this.#now()
    this.#forgetFull(now)
    const fullInMs = this.#fullIn(key, now)
    if (takenOf(this.#terms, fullInMs) >= this.#terms.limit) return refusedInfo(this.#terms, fullInMs)
    const after = fullInMs + tokenMsOf(this.#terms)
    this.#fullAt.set(key, now + after)
    return grantedInfo(this.#terms, after)
  }

  decrement(key: string): void {
    const now = this.#now()
    this.#fullAt.set(key, now + Math.max(0, this.#fullIn(key, now) - tokenMsOf(this.#terms)))
  }

  resetKey(key: string): void {
    this.#fullAt.delete(key)
    this.#older.delete(key)
  }

  #fullIn(key: string, now: number): number {
    return Math.max(0, (this.#fullAt.get(key) ?? this.#older.get(key) ?? 0) - now)
  }

  /** Without a look at each: what was not touched for one to two windows goes at once. */
  #forgetFull(now: number): void {
    if (now - this.#turnedAt < this.#terms.windowMs) return
    this.#older = this.#fullAt
    this.#fullAt = new Map()
    this.#turnedAt = now
  }
}
