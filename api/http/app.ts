import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import helmet from 'helmet'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import type { Logger } from '../../shared/runtime/telemetry/logger.ts'
import type { Limits } from './admit-request.ts'
import { basePathOf, belowBase } from './base-path.ts'
import { refuseWithoutToken } from './metrics-guard.ts'
import { mountEndpoints } from './mount.ts'
import { mountMcp } from './mount-mcp.ts'
import { aboutRequest, notesOf, observe } from './observe.ts'
import { mountPages } from './pages.ts'
import { type CounterStore, createLimiter, createQuietLimiter } from './rate-limit.ts'
import { createBodyReader } from './read-input.ts'
import { asServiceError, sendProblem } from './reply.ts'

export interface AppOptions {
  context: Context
  log: Logger
  counters: ((name: string) => CounterStore) | null
}

export function createApp({ context, log, counters }: AppOptions): Express {
  const app = express()
  app.set('case sensitive routing', true)
  app.set('strict routing', true)
  app.set('etag', false)
  app.set('query parser', false)
  app.set('trust proxy', trustedProxies(context.config.trust_proxy))
  app.disable('x-powered-by')
  const observed = observe(context, log, securityHeaders())
  app.use(observed)
  const fail = failWith(context)
  app.use((request, response, next) => {
    if (!hasSecondHost(request.rawHeaders)) next()
    else fail(request, response, new ServiceError('invalid_header', 'a request has one Host'))
  })
  app.use('/metrics', (request, _response, next) => {
    if (context.config.metrics_port !== undefined) return next(new ServiceError('not_found'))
    refuseWithoutToken(request, context.config)
    next()
  })
  const edge = {
    context,
    fail,
    readBytes: createBodyReader(context.config.body_limit),
    readDocument: createBodyReader(Math.max(context.config.body_limit, limits.import_body_bytes_max)),
    limits: createLimits(context, counters),
  }
  mountEndpoints(app, edge)
  mountMcp(app, edge)
  mountPages(app, context.config, fail)
  app.use((request, response) => fail(request, response, new ServiceError('not_found')))
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    fail(request, response, error),
  )
  const whole = withLast(app, (request, response, error) => {
    if (response.headersSent) response.destroy()
    else observed(request, response, () => fail(request, response, error ?? new ServiceError('not_found')))
  })
  return withoutBase(whole, basePathOf(context.config.base_url))
}

/**
 * Returns true if a request has several Host headers. Node takes the first and a proxy perhaps the last, so the
 * intended host would be a guess.
 */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Strips the base path from each request, so that routes need not know it. */
function withoutBase(app: Express, basePath: string): Express {
  if (basePath === '') return app
  const { handle } = app as unknown as { handle(request: Request, response: Response): void }
  const handleBelow = (request: Request, response: Response) => {
    request.url = belowBase(request.url, basePath)
    handle(request, response)
  }
  return Object.assign(app, { handle: handleBelow })
}

/** Answers requests whose target Express cannot parse, because Express skips all handlers above for them. */
function withLast(
  app: Express,
  answer: (request: Request, response: Response, error: unknown) => void,
): Express {
  const { handle } = app as unknown as { handle: RequestHandler }
  const handleToTheEnd = (request: Request, response: Response) =>
    handle.call(app, request, response, error => answer(request, response, error))
  return Object.assign(app, { handle: handleToTheEnd })
}

/**
 * Returns classes for the server to create requests and responses with. Express changes the prototype of every
 * message, which makes the object slow for its whole life; these have the right prototype from the start.
 */
export function messagesOf(
  app: Express,
): Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>> {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    readonly locals = {}
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/** A batch does the work of many requests, so its limit is a twentieth of the request limit. */
const batchesShare = 20

function createLimits({ config, events }: Context, counters: AppOptions['counters']): Limits {
  const traits = (name: string, limit: number, whose: string, window_ms = 60_000) => ({
    name,
    limit,
    window_ms,
    refusal: `${whose} ${limit} in ${window_ms / 60_000} min at most`,
    store: counters?.(name),
    onRefused: () => events.rateLimited(name),
  })
  const limiter = (...counted: Parameters<typeof traits>) => createLimiter(traits(...counted))
  const quiet = (...counted: Parameters<typeof traits>) => createQuietLimiter(traits(...counted))
  const ofTenant = config.tenant_rate_limit ?? 10 * config.rate_limit
  const ofOrganization = config.organization_rate_limit ?? 3 * ofTenant
  return {
    requests: limiter('requests', config.rate_limit, 'requests of one key, account or address:'),
    tenantRequests: quiet('tenant_requests', ofTenant, 'requests of all keys of a tenant:'),
    organizationRequests: quiet(
      'organization_requests',
      ofOrganization,
      'requests of all keys and sessions of an organization:',
    ),
    batches: quiet('batches', Math.ceil(config.rate_limit / batchesShare), 'batches of one key or account:'),
    authFailures: limiter('authentications', config.auth_failure_limit, 'refused keys of one address:'),
    logIns: limiter('log_ins', config.login_limit, 'log-ins and sign-ups of one address:'),
    logInFailures: limiter('log_in_failures', config.login_account_limit, 'log-ins that fail:', 15 * 60_000),
  }
}

/** Computes helmet's headers once, because they are the same for every answer. */
function securityHeaders(): Map<string, string> {
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  set(request, response, error => {
    if (error) throw error
  })
  return new Map(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]))
}

function failWith(context: Context) {
  return (request: Request, response: Response, thrown: unknown): void => {
    const { error, unexpected } = asServiceError(thrown)
    if (unexpected) context.events.failed('request', thrown, aboutRequest(response))
    // A client that has gone needs no answer. Its error is mostly a body that never arrived in full.
    const gone = request.socket.destroyed
    notesOf(response).code = error.code
    if (gone || response.headersSent) response.destroy()
    else {
      const requestId = String(response.locals.request_id)
      sendProblem(response, error, { requestId, baseUrl: context.config.base_url })
    }
  }
}

export function trustedProxies(setting: string): number | string[] | false {
  if (setting === '') return false
  return /^\d+$/.test(setting) ? Number(setting) : setting.split(/[, ]+/).filter(text => text !== '')
}
