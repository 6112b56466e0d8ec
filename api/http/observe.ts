import type { NextFunction, Request, Response } from 'express'
import type { KeyPrincipal, OwnerPrincipal } from '../../shared/contract/action/verdict.ts'
import type { OperatorPrincipal } from '../../shared/contract/operator-schema.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { monotonicMs } from '../../shared/runtime/clock.ts'
import { newName } from '../../shared/runtime/ids.ts'
import type { Logger } from '../../shared/runtime/telemetry/logger.ts'
import { idsOf, type Span } from '../../shared/runtime/telemetry/tracer.ts'

/**
 * Give a request its id, its place in the caller's trace and the headers of every answer; count, log and trace it once,
 * after its answer.
 */
export function observe(context: Context, log: Logger, headers: Map<string, string>) {
  // What is said of a request is said here and nothing else: there is nothing in it to blank.
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

/** The request in the caller's trace. */
export function spanOf(response: Response): Span {
  return response.locals.span as Span
}

/** What log lines about a request carry. */
export function aboutRequest(response: Response) {
  return { request_id: String(response.locals.request_id), ...idsOf(spanOf(response)) }
}

/** Whose request it was, of which action, and the code of its problem. Names and codes alone, so nothing is secret. */
function aboutCaller(response: Response) {
  const { caller, action_id, code } = notesOf(response)
  const key_id = caller && 'key_id' in caller ? caller.key_id : undefined
  const account_id = caller && 'account_id' in caller ? caller.account_id : undefined
  const operator_id = caller && 'operator_id' in caller ? caller.operator_id : undefined
  return { tenant_id: caller?.tenant_id, key_id, account_id, operator_id, action_id, code }
}

/** What the way of a request leaves for its line. */
interface RequestNotes {
  caller?: KeyPrincipal | OwnerPrincipal | OperatorPrincipal | undefined
  action_id?: string | undefined
  code?: string | undefined
}

/** The notes of a request, for whoever comes to know more of it. */
export function notesOf(response: Response): RequestNotes {
  return response.locals as RequestNotes
}

interface Answered {
  /** As in the endpoint table, never a raw path. */
  route: string
  method: string
  status: number
}

/** The status of a request whose connection ended before its answer began: nothing of that was sent. */
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
