import type { Response } from 'express'
import { type ErrorCode, errorTable, type Problem, ServiceError } from '../../shared/contract/errors.ts'
import { isOutage } from '../../shared/runtime/outage.ts'

/** Answer with a text as it is, with anything else as JSON; null has no body. */
export function sendBody(response: Response, status: number, body: unknown, type = 'application/json'): void {
  response.statusCode = status
  if (body === null) {
    response.end()
    return
  }
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  response.setHeader('content-type', type)
  response.setHeader('content-length', bytes.length)
  response.end(bytes)
}

/** Answer with a problem (RFC 9457): never a stack, a statement or another tenant's data. */
export function sendProblem(response: Response, error: ServiceError, requestId: string): void {
  const { status, title } = errorTable[error.code]
  const problem: Problem = {
    type: `urn:action-gate:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.issues.length > 0 ? { errors: [...error.issues] } : {}),
  }
  if (status === 503 && !response.hasHeader('retry-after')) response.setHeader('retry-after', '1')
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  sendBody(response, status, problem, 'application/problem+json')
}

/** Any error as one with a stable code; what is unexpected says nothing of itself to the caller. */
export function asServiceError(error: unknown): { error: ServiceError; unexpected: boolean } {
  if (error instanceof ServiceError) return { error, unexpected: false }
  if (error instanceof URIError) return { error: new ServiceError('not_found'), unexpected: false }
  const code: ErrorCode = isOutage(error) ? 'storage_unavailable' : 'internal_error'
  return { error: new ServiceError(code), unexpected: true }
}
