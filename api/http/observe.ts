import type { NextFunction, Request, Response } from 'express'
import type { KeyPrincipal, OwnerPrincipal } from '../../shared/contract/action/verdict.ts'
import type { OperatorPrincipal } from '../../shared/contract/operator-schema.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { monotonicMs } from '../../shared/runtime/clock.ts'
import { newName } from '../../shared/runtime/ids.ts'
import type { Logger } from '../../shared/runtime/telemetry/logger.ts'
import { idsOf, type Span } from '../../shared/runtime/telemetry/tracer.ts'

/**
 * Gives a request its id, its position in the caller's trace and the common headers, and counts, logs and traces
 * it once, after its answer.
 */
export function observe(context: Context, log: Logger, headers: Map<string, string>) {
  // The lines contain only the fields below, none of them secret, so redaction would be wasted.
  const lines = log.child({}, { redact: [] })
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = monotonicMs()
    const span = context.tracer.begin('server', request.headers.traceparent?.toString())
    response.locals.request_id = newName('req')
    response.locals.span = span
    response.setHeader('x-request-id', response.locals.request_id)
    response.setHeader('cache-control', 'no-store')
    response.setHeaders(headers)
    if (context.ending.signal.aborted) response.setHeader('connection', 'close')
    response.on('close', () => {
      const tookMs = monotonicMs() - begun
      const { route, method, status } = answered(request, response)
      context.events.requestAnswered(route, method, status, tookMs)
      const ms = Math.round(tookMs * 10) / 10
      lines.info(
        { route, method, status, ms, ...aboutRequest(response), ...aboutCaller(response) },
        'request',
      )
      endSpan(span, { route, method, status })
    })
    next()
  }
}

export function spanOf(response: Response): Span {
  return response.locals.span as Span
}

export function aboutRequest(response: Response) {
  return { request_id: String(response.locals.request_id), ...idsOf(spanOf(response)) }
}

/** Returns ids and codes only, so that the log line contains no secret. */
function aboutCaller(response: Response) {
  const { caller, action_id, code } = notesOf(response)
  const key_id = caller && 'key_id' in caller ? caller.key_id : undefined
  const account_id = caller && 'account_id' in caller ? caller.account_id : undefined
  const operator_id = caller && 'operator_id' in caller ? caller.operator_id : undefined
  return { tenant_id: caller?.tenant_id, key_id, account_id, operator_id, action_id, code }
}

interface RequestNotes {
  caller?: KeyPrincipal | OwnerPrincipal | OperatorPrincipal | undefined
  action_id?: string | undefined
  code?: string | undefined
}

export function notesOf(response: Response): RequestNotes {
  return response.locals as RequestNotes
}

interface Answered {
  /** The route template, because raw paths would be too many label values and may hold ids. */
  route: string
  method: string
  status: number
}

const goneStatus = 499

function answered(request: Request, response: Response): Answered {
  const route = typeof response.locals.route === 'string' ? response.locals.route : 'unknown'
  const status = response.headersSent ? response.statusCode : goneStatus
  return { route, method: request.method, status }
}

function endSpan(span: Span, { route, method, status }: Answered): void {
  span.end({
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    failed: status >= 500,
  })
}
