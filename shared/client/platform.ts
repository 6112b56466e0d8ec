/** Milliseconds that only grow, whatever happens to the time of day. */
export function elapsedMs(): number {
  return performance.now()
}

/** The time of day, for dates that a server writes. */
function epochMs(): number {
  return Date.now()
}

/** An id that nobody else draws. */
export function newProposalId(): string {
  return `run-${crypto.randomUUID()}`
}

/** A share from 0 to 1, for pauses that differ between clients. */
function randomShare(): number {
  return Math.random()
}

const firstMs = 250
const longestMs = 10_000

/**
 * How long to wait before attempt number `failures` + 1: growing, spread over its upper half so that many clients do not
 * come back at once, and never shorter than the service asked for.
 */
export function pauseMs(failures: number, retryAfterMs: number): number {
  const grown = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10))
  const spread = (grown / 2) * (1 + randomShare())
  return retryAfterMs > 0 ? retryAfterMs + spread / 4 : spread
}

/** `Retry-After` in milliseconds, as seconds or as a date; 0 where it says nothing. */
export function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - epochMs())
}

/** Rests until so long after `begunMs`; ends early where the signal does. */
export async function restUntil(begunMs: number, afterMs: number, signal?: AbortSignal): Promise<void> {
  const left = begunMs + afterMs - elapsedMs()
  if (left > 0) await rest(left, signal)
}

/** Rests so long, or until the signal: who calls looks at the signal next. */
export function rest(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, 0x7fffffff))
    signal?.addEventListener('abort', end)
  })
}
