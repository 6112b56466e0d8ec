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

/** The same, where its body may be no text. */
export type SentRequest = Omit<HttpRequest, 'body'> & { body: string | Buffer | null }

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Complete, alone in its buffer, and no larger than was allowed; empty where it is `too_large`. */
  body: Buffer<ArrayBuffer>
  too_large?: true
}

/**
 * What became of one request (specification.md#outcome-classes): `refused` and `not_sent` are proof that nothing left, `lost`
 * that something may have.
 */
export type Exchange =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'refused' | 'not_sent' | 'lost'; code: string; message: string }

export interface Bounds {
  guard: EgressGuard
  timeout_ms: number
  max_response_bytes: number
  signal: AbortSignal
  /** Nothing is sent once it says so; absent: it is never too late. */
  isLate?(): boolean
  /** What the client shows of itself where TLS asks for it. */
  certificate?: ClientCertificate
  /** Whose connection it may use, and leaves to the next one; absent: a connection of its own. */
  keptFor?: readonly string[]
  /** `dropped`: the status is all that is wanted, whatever becomes of the body; `cut`: also where the body is too large. */
  body?: 'dropped' | 'cut'
}

/**
 * Send one request, on a connection of its own unless one is kept for it, and read its whole answer. Nothing is followed, repeated or unpacked: a
 * failure after the request began to be written says nothing of what happened at the other end.
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

/** Others have their turn whenever so much of an answer was copied: the pages of 13 MB take 80 ms of CPU at once. */
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

/** Take what fits, so that whoever sends it is not cut off in the middle, and keep nothing. */
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

/** `Retry-After`, seconds or a date (RFC 9110 section 10.2.3), in milliseconds from now; null where there is none. */
export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | null {
  const value = headers['retry-after']
  if (typeof value !== 'string') return null
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - wallTimeMs()
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : null
}
