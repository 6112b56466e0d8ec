import { retryAfterMs } from './platform.ts'
import type { JsonObject, Problem } from './wire.ts'

/** The part of `fetch` that the client uses. The `fetch` of browsers and of Node has this type. */
export type Fetch = (
  url: string,
  init: {
    method: string
    headers: Record<string, string>
    body?: string
    signal: AbortSignal
    redirect: 'manual'
  },
) => Promise<FetchResponse>

export interface FetchResponse {
  readonly status: number
  readonly type: string
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

export interface Sending {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  /** A member that an answer must have, because an answer without it comes from another server. */
  expects: string
  /** Milliseconds for which the service may hold the request. The client waits 30 s longer for the answer. */
  heldMs: number
}

export type Attempt =
  | { kind: 'answered'; status: number; body: JsonObject; etag: string | null; retryAfterMs: number }
  | { kind: 'refused'; status: number; code: string; detail: string; problem: Problem | null }
  | { kind: 'lost'; code: string; detail: string; retryAfterMs: number; cause?: unknown }

const graceMs = 30_000

/** Sends the request once. It never throws, because an error is returned as a lost attempt. */
export async function attempt(
  { fetch, url, headers }: { fetch: Fetch; url: string; headers: Record<string, string> },
  sending: Sending,
  signal?: AbortSignal,
): Promise<Attempt> {
  const aborter = new AbortController()
  const abort = () => aborter.abort()
  const timer = setTimeout(abort, sending.heldMs + graceMs)
  signal?.addEventListener('abort', abort)
  try {
    const response = await fetch(`${url}${sending.path}`, {
      method: sending.method,
      headers: { ...headers, ...sending.headers },
      ...(sending.body === undefined ? {} : { body: sending.body }),
      signal: aborter.signal,
      redirect: 'manual',
    })
    return read(response, await response.text(), sending.expects)
  } catch (cause) {
    const detail = aborter.signal.aborted ? 'no answer came in time' : 'the service cannot be reached'
    return { kind: 'lost', code: 'network_error', detail, retryAfterMs: 0, cause }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

function read(response: FetchResponse, text: string, expects: string): Attempt {
  const { status } = response
  const retry = retryAfterMs(response.headers.get('retry-after'))
  if (status === 304 || (status >= 200 && status < 300)) {
    const body = status === 304 ? {} : objectOf(text)
    const etag = response.headers.get('etag')
    if (body && (status === 304 || expects in body))
      return { kind: 'answered', status, body, etag, retryAfterMs: retry }
    return {
      kind: 'lost',
      code: 'not_the_service',
      detail: 'what answered is not the service',
      retryAfterMs: retry,
    }
  }
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const detail = 'the service does not redirect, and the key is not sent elsewhere'
    return { kind: 'refused', status, code: 'redirected', detail, problem: null }
  }
  return failed(status, problemOf(objectOf(text)), retry)
}

function failed(status: number, problem: Problem | null, retry: number): Attempt {
  const code = problem?.code ?? `http_${status}`
  const detail = problem?.detail ?? `status ${status} without a problem of the service`
  if (passing.has(status) || code === 'concurrent_change')
    return { kind: 'lost', code, detail, retryAfterMs: retry }
  return { kind: 'refused', status, code, detail, problem }
}

function objectOf(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

function problemOf(body: JsonObject | null): Problem | null {
  if (typeof body?.code !== 'string' || typeof body.detail !== 'string') return null
  return body as unknown as Problem
}
