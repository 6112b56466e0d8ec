import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit'
import { afterNow } from '../clock.ts'

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

/** A tolerance of 1 % of a token, because sums of fractional milliseconds are not exact. */
export const tokenRounding = 0.01

export function takenOf(terms: BucketTerms, fullInMs: number): number {
  return Math.max(0, Math.ceil(fullInMs / tokenMsOf(terms) - tokenRounding))
}

export function grantedInfo(terms: BucketTerms, fullInMs: number): ClientRateLimitInfo {
  return { totalHits: takenOf(terms, fullInMs), resetTime: afterNow(fullInMs) }
}

export function refusedInfo(terms: BucketTerms, fullInMs: number): ClientRateLimitInfo {
  const nextMs = fullInMs + tokenMsOf(terms) - terms.windowMs
  return { totalHits: terms.limit + 1, resetTime: afterNow(Math.max(0, nextMs)) }
}

/**
 * The buckets of this process alone, each stored as the time at which it is full again. A bucket that was not used
 * for a whole window is full.
 */
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

  /**
   * Forgets all buckets that were unused for one to two windows, by dropping the older map instead of each bucket.
   */
  #forgetFull(now: number): void {
    if (now - this.#turnedAt < this.#terms.windowMs) return
    this.#older = this.#fullAt
    this.#fullAt = new Map()
    this.#turnedAt = now
  }
}
