import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import {
  type ErrorCode,
  errorTable,
  type Problem,
  problemType,
  ServiceError,
} from '../../shared/contract/base/errors.ts'
import { isOutage } from '../../shared/runtime/outage.ts'

/** Sends text or bytes directly and other values as JSON; null sends no body. Returns the number of bytes. */
export function sendBody(
  response: Response,
  status: number,
  body: unknown,
  type = 'application/json',
): number {
  response.statusCode = status
  if (body === null) {
    response.end()
    return 0
  }
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  response.setHeader('content-type', type)
  const bytes = Buffer.byteLength(sent)
  response.setHeader('content-length', bytes)
  response.end(sent)
  return bytes
}

/** A client that takes no byte for 30 seconds counts as gone. */
const stalledMsMax = 30_000

/**
 * Sends server-sent events only as fast as the client takes them. While the client lags behind, no further events
 * are read, so that at most two pages wait in memory. A client that takes nothing is disconnected.
 */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<string>,
  cut: AbortSignal,
  stalledMs = stalledMsMax,
): Promise<void> {
  response.setHeader('content-type', 'text/event-stream')
  response.setHeader('x-accel-buffering', 'no')
  response.setTimeout(stalledMs, () => response.destroy())
  const source = Readable.from(events, { objectMode: false, highWaterMark: 1 })
  if (response.req.method === 'HEAD') {
    source.destroy()
    response.end()
    return
  }
  await pipeline(source, response, { signal: cut }).catch((error: NodeJS.ErrnoException) => {
    if (!clientGone.has(error.code ?? '')) throw error
  })
}

export const clientGone: ReadonlySet<string> = new Set([
  'ABORT_ERR',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** Sends a problem (RFC 9457) that never contains a stack, a statement or another tenant's data. */
export function sendProblem(
  response: Response,
  error: ServiceError,
  { requestId, baseUrl }: { requestId: string; baseUrl: string },
): void {
  const { status, title } = errorTable[error.code]
  const problem: Problem = {
    type: problemType(baseUrl, error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.issues.length > 0 ? { errors: [...error.issues] } : {}),
  }
  if ((status === 503 || status === 429) && !response.hasHeader('retry-after'))
    response.setHeader('retry-after', '1')
  if (status === 401) response.setHeader('www-authenticate', challenges[error.code] ?? 'Session')
  sendBody(response, status, problem, 'application/problem+json')
}

/** The challenge in a 401 answer. A session begins only with log-in, so other errors name `Session`. */
const challenges: Readonly<Partial<Record<ErrorCode, string>>> = { credential_required: 'Bearer' }

/** Converts an error to one with a stable code, so that unexpected errors reveal nothing to the caller. */
export function asServiceError(error: unknown): { error: ServiceError; unexpected: boolean } {
  if (error instanceof ServiceError) return { error, unexpected: false }
  if (error instanceof URIError) return { error: new ServiceError('not_found'), unexpected: false }
  const code: ErrorCode = isOutage(error) ? 'storage_unavailable' : 'internal_error'
  return { error: new ServiceError(code), unexpected: true }
}
