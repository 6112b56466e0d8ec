export function elapsedMs(): number {
  return performance.now()
}

function epochMs(): number {
  return Date.now()
}

export function newProposalId(): string {
  return `run-${crypto.randomUUID()}`
}

function randomShare(): number {
  return Math.random()
}

const firstMs = 250
const longestMs = 10_000

/**
 * Returns the pause in ms before attempt `failures` + 1. The pause grows up to 10 s and is random in its upper
 * half, so that many clients do not retry at once. It is never shorter than the service asked for.
 */
export function pauseMs(failures: number, retryAfterMs: number): number {
  const grown = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10))
  const spread = (grown / 2) * (1 + randomShare())
  return retryAfterMs > 0 ? retryAfterMs + spread / 4 : spread
}

/** Reads the `Retry-After` header (seconds or a date) as milliseconds; returns 0 if it is absent or invalid. */
export function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - epochMs())
}

export async function restUntil(begunMs: number, afterMs: number, signal?: AbortSignal): Promise<void> {
  const left = begunMs + afterMs - elapsedMs()
  if (left > 0) await rest(left, signal)
}

/** Waits `ms` milliseconds or until the signal aborts. The caller must check the signal. */
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
