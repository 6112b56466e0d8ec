/** A server answered that it is busy: it did nothing, and is asked again later. */
export class ServerBusy extends Error {
  readonly code: string
  readonly retry_after_ms: number | null

  constructor(status: number, retryAfterMs: number | null) {
    super(`status ${status}`)
    this.code = `http_${status}`
    this.retry_after_ms = retryAfterMs
  }
}

/**
 * A server does not know the session that it gave out (404, as the protocol wants it): it did nothing with the request, and
 * whoever asks begins a new session.
 */
export class SessionEnded extends Error {}

/** What a status says that stands before any work of the server on a request, or null. */
export function refusalOf(
  status: number,
  { retry_after_ms, inSession }: { retry_after_ms: number | null; inSession: boolean },
): Error | null {
  if (status === 429 || (status === 503 && retry_after_ms !== null)) {
    return new ServerBusy(status, retry_after_ms)
  }
  return status === 404 && inSession ? new SessionEnded('the server has ended the session') : null
}

/** The server's being busy in an error or its causes, or null. */
export function busyIn(error: unknown): ServerBusy | null {
  if (error instanceof ServerBusy) return error
  return error instanceof Error && error.cause ? busyIn(error.cause) : null
}

/** The same of a session that has ended. */
export function isSessionEnded(error: unknown): boolean {
  if (error instanceof SessionEnded) return true
  return error instanceof Error && isSessionEnded(error.cause)
}
