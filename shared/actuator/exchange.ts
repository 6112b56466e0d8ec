import { setImmediate } from 'node:timers/promises'
import { type Dispatcher, errors, request } from 'undici'
import { wallTimeMs } from '../runtime/clock.ts'
import { openDeadline } from '../runtime/deadline.ts'
import { TooLate } from './actuator.ts'
import { type ClientCertificate, type EgressGuard, refusalIn } from './egress/egress-guard.ts'

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  headers: Record<string, string>
  body: string | null
}

export type SentRequest = Omit<HttpRequest, 'body'> & { body: string | Buffer | null }

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The complete body in a buffer that holds nothing else; empty if `too_large`. */
  body: Buffer<ArrayBuffer>
  too_large?: true
}

/**
 * The result of one request (specification.md#outcome-classes). `refused` and `not_sent` prove that nothing
 * was sent. After `lost`, the request may have been sent.
 */
export type Exchange =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'refused' | 'not_sent' | 'lost'; code: string; message: string }

export interface Bounds {
  guard: EgressGuard
  timeout_ms: number
  max_response_bytes: number
  signal: AbortSignal
  isLate?(): boolean
  certificate?: ClientCertificate
  keptFor?: readonly string[]
  /**
   * `dropped`: the caller needs only the status. `cut`: if the body is too large, the answer counts without
   * it.
   */
  body?: 'dropped' | 'cut'
}

/**
 * Sends one request and reads its whole answer, without following redirects or decompressing. It never
 * repeats the request, because the other end may have processed it despite a failure.
 */
export async function exchange(call: SentRequest, bounds: Bounds): Promise<Exchange> {
  const { guard, timeout_ms } = bounds
  const way = guard.open({ ...bounds, connect_ms: timeout_ms })
  const deadline = openDeadline(bounds.signal, timeout_ms)
  try {
    guard.check(call.url)
    deadline.signal.throwIfAborted()
    const { method, url, headers, body } = call
    const response = await request(url, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      body,
      dispatcher: way.dispatcher,
      signal: deadline.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const { statusCode: status, headers: told } = response
    return { kind: 'answered', answer: { status, headers: told, ...(await received(response.body, bounds)) } }
  } catch (error) {
    return failure(error, way.begun())
  } finally {
    deadline.clear()
    await way.end()
  }
}

async function received(
  body: Dispatcher.ResponseData['body'],
  { body: wanted, max_response_bytes }: Bounds,
): Promise<Pick<Answer, 'body' | 'too_large'>> {
  if (wanted === 'dropped') return { body: await dropped(body, max_response_bytes) }
  try {
    return { body: await inOneBuffer(body) }
  } catch (error) {
    if (wanted !== 'cut' || !(error instanceof errors.ResponseExceededMaxSizeError)) throw error
    return { body: Buffer.alloc(0), too_large: true }
  }
}

/** Bytes to copy before yielding to the event loop, because copying 13 MB at once would take 80 ms of CPU. */
const copiedAtOnce = 1_048_576

async function inOneBuffer(body: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)))
  let [at, turn] = [0, copiedAtOnce]
  for (const part of parts) {
    if (at > turn) {
      turn = at + copiedAtOnce
      await setImmediate()
    }
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Reads and discards a body up to the limit, so that the sender is not cut off in the middle. */
async function dropped(body: Dispatcher.ResponseData['body'], limit: number): Promise<Buffer<ArrayBuffer>> {
  await body.dump({ limit })
  return Buffer.alloc(0)
}

function failure(error: unknown, begun: boolean): Exchange {
  const refusal = refusalIn(error)
  if (refusal) return { kind: 'refused', code: refusal.code, message: refusal.message }
  const { code, message } = told(error)
  if (!begun && error instanceof TooLate) return { kind: 'not_sent', code, message }
  if (begun) return { kind: 'lost', code: 'no_complete_answer', message: `${code}: ${message}` }
  return { kind: 'not_sent', code: 'not_connected', message: `${code}: ${message}` }
}

function told(error: unknown): { code: string; message: string } {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!(first instanceof Error)) return { code: 'error', message: String(first) }
  const { code } = first as { code?: unknown }
  return { code: typeof code === 'string' ? code : first.name, message: first.message.slice(0, 400) }
}

/** Returns `Retry-After` as ms from now, or null. The header holds seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | null {
  const value = headers['retry-after']
  if (typeof value !== 'string') return null
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - wallTimeMs()
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : null
}
