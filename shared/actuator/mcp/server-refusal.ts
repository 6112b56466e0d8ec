/** The error of a busy server that did nothing. The caller should ask again later. */
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
 * The error of a server that ended the session (404 by the protocol) and did nothing. The caller should open
 * another session.
 */
export class SessionEnded extends Error {}

/** Returns the error for a status that proves that the server did no work, or null for any other status. */
export function refusalOf(
  status: number,
  { retry_after_ms, inSession }: { retry_after_ms: number | null; inSession: boolean },
): Error | null {
  if (status === 429 || (status === 503 && retry_after_ms !== null)) {
    return new ServerBusy(status, retry_after_ms)
  }
  return status === 404 && inSession ? new SessionEnded('the server has ended the session') : null
}

export function busyIn(error: unknown): ServerBusy | null {
  if (error instanceof ServerBusy) return error
  return error instanceof Error && error.cause ? busyIn(error.cause) : null
}

export function isSessionEnded(error: unknown): boolean {
  if (error instanceof SessionEnded) return true
  return error instanceof Error && isSessionEnded(error.cause)
}
