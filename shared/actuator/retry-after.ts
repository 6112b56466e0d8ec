import { wallTimeMs } from '../runtime/clock.ts'
import type { Answer } from './exchange.ts'

/** `Retry-After`, seconds or a date (RFC 9110 section 10.2.3), in milliseconds from now; null where there is none. */
export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | null {
  const value = headers['retry-after']
  if (typeof value !== 'string') return null
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - wallTimeMs()
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : null
}
