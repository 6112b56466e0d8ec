import { createHmac } from 'node:crypto'
import { wallTimeMs } from '../runtime/clock.ts'
import type { EgressGuard } from './egress/egress-guard.ts'
import { type Answer, type Exchange, exchange, retryAfter } from './exchange.ts'

export interface Message {
  id: string
  url: URL
  body: string
  /** Signing secrets: one, or two while the first is replaced, or none if the URL itself is the secret. */
  secrets: readonly string[]
}

/** The endpoint's status, or null with an error if no answer came. */
export interface Posted {
  status: number | null
  error: string | null
  retry_after_ms: number | null
}

export interface PostBounds {
  guard: EgressGuard
  timeout_ms: number
  signal: AbortSignal
  user_agent: string
}

export const responseBytesMax = 16_384

/** Posts one message through the egress guard on its own connection and follows no redirect. */
export async function postMessage({ id, url, body, secrets }: Message, bounds: PostBounds): Promise<Posted> {
  const { guard, timeout_ms, signal, user_agent } = bounds
  const headers = {
    'content-type': 'application/json',
    'user-agent': user_agent,
    ...(secrets.length === 0 ? {} : signMessage(secrets, { id, body })),
  }
  const exchanged = await exchange(
    { method: 'POST', url, headers, body },
    { guard, timeout_ms, signal, max_response_bytes: responseBytesMax, body: 'dropped' },
  )
  return answered(exchanged)
}

export function answered(exchanged: Exchange): Posted {
  if (exchanged.kind !== 'answered') {
    const { code, message } = exchanged
    return { status: null, error: `${code}: ${message}`, retry_after_ms: null }
  }
  return { status: exchanged.answer.status, error: null, retry_after_ms: whenBusy(exchanged.answer) }
}

function whenBusy(answer: Answer): number | null {
  return answer.status === 429 || answer.status === 503 ? retryAfter(answer) : null
}

/** Returns Standard Webhooks headers with one signature per secret and the time of this attempt. */
export function signMessage(
  secrets: readonly string[],
  { id, body }: { id: string; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(wallTimeMs() / 1_000))
  const signatures = secrets.map(secret => {
    const mac = createHmac('sha256', keyBytes(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** Decodes a key of the form `whsec_` and base64. Any other text is used as its own bytes. */
function keyBytes(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}
