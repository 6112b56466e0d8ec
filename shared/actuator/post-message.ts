import type { EgressGuard } from './egress/egress-guard.ts'
import { type Answer, exchange } from './exchange.ts'
import { retryAfter } from './retry-after.ts'
import { signMessage } from './sign-message.ts'

export interface Message {
  id: string
  url: URL
  body: string
  /** One, or two while the first is replaced. */
  secrets: readonly string[]
}

/** What an endpoint answered; null and the reason where there is no answer. */
export interface Posted {
  status: number | null
  error: string | null
  /** What a busy endpoint asks for. */
  retry_after_ms: number | null
}

export interface PostBounds {
  guard: EgressGuard
  timeout_ms: number
  signal: AbortSignal
  user_agent: string
}

/** More than that of an answer nobody reads. */
const responseBytesMax = 16_384

/** Post one signed message past the egress guard, on a connection of its own; nothing is followed. */
export async function postMessage({ id, url, body, secrets }: Message, bounds: PostBounds): Promise<Posted> {
  const { guard, timeout_ms, signal, user_agent } = bounds
  const headers = {
    'content-type': 'application/json',
    'user-agent': user_agent,
    ...signMessage(secrets, { id, body }),
  }
  const exchanged = await exchange(
    { method: 'POST', url, headers, body },
    { guard, timeout_ms, signal, max_response_bytes: responseBytesMax, body: 'dropped' },
  )
  if (exchanged.kind !== 'answered') {
    const { code, message } = exchanged
    return { status: null, error: `${code}: ${message}`, retry_after_ms: null }
  }
  return { status: exchanged.answer.status, error: null, retry_after_ms: whenBusy(exchanged.answer) }
}

function whenBusy(answer: Answer): number | null {
  return answer.status === 429 || answer.status === 503 ? retryAfter(answer) : null
}
