import { type Attempt, attempt, type Fetch, type Sending } from './attempt.ts'
import { Interrupted, Refused, Unreachable } from './failures.ts'
import { elapsedMs, pauseMs, rest } from './platform.ts'
import type { JsonObject, JsonValue } from './wire.ts'

export interface Connection {
  fetch: Fetch
  /** The service's address without a trailing slash. */
  url: string
  headers: Record<string, string>
  /** The part of the key before the dot. The service shows this part as the principal. */
  keyId: string
  unreachableAfterMs: number
}

export interface Subject {
  actionId: string | null
  proposalId: string | null
}

export type Answered = Extract<Attempt, { kind: 'answered' }>

/**
 * Sends a request until an answer arrives. A lost or postponed attempt is repeated unchanged. Throws `Refused`,
 * `Unreachable` or `Interrupted`.
 */
export async function send(
  connection: Connection,
  sending: Sending,
  { about, signal }: { about: Subject; signal?: AbortSignal | undefined },
): Promise<Answered> {
  let lostAtMs: number | null = null
  for (let failures = 1; ; failures += 1) {
    throwIfAborted(signal, about, failures > 1)
    const begunMs = elapsedMs()
    const tried = await attempt(connection, sending, signal)
    if (tried.kind === 'answered') return { ...tried, body: withAddresses(tried.body, connection.url) }
    if (tried.kind === 'refused') {
      const { status, code, detail, problem } = tried
      throw new Refused({ code, message: detail, ...about }, { status, problem, repeated: failures > 1 })
    }
    throwIfAborted(signal, about, true)
    lostAtMs ??= begunMs
    const pause = pauseMs(failures, tried.retryAfterMs)
    if (elapsedMs() + pause - lostAtMs > connection.unreachableAfterMs) {
      const { code, detail, cause } = tried
      throw new Unreachable({ code, message: detail, ...about, cause })
    }
    await rest(pause, signal)
  }
}

const addresses: ReadonlySet<string> = new Set(['review_url', 'polling_url'])

/** Makes addresses absolute, because people open them outside this client, such as in a chat. */
function withAddresses(body: JsonObject, url: string): JsonObject {
  const told = (name: string, value: JsonValue): JsonValue => {
    if (typeof value === 'string') return addresses.has(name) ? addressOf(value, url) : value
    return Array.isArray(value)
      ? value.map(item => (isObject(item) ? withAddresses(item, url) : item))
      : value
  }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, told(name, value)]))
}

/** Uses only the origin if the address already has the base path, because the path would otherwise occur twice. */
function addressOf(told: string, url: string): string {
  if (!told.startsWith('/')) return told
  const { origin, pathname } = new URL(url)
  const isWhole = pathname !== '/' && told.startsWith(`${pathname}/`)
  return `${isWhole ? origin : url}${told}`
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function throwIfAborted(signal: AbortSignal | undefined, about: Subject, sent: boolean): void {
  if (!signal?.aborted) return
  const message = sent ? 'your signal ended the wait' : 'your signal ended the wait before anything was sent'
  throw new Interrupted({ code: 'interrupted', message, ...about, cause: signal.reason })
}
