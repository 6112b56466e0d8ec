import type { Express, Request, Response } from 'express'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { ServiceError } from '../../shared/contract/errors.ts'
import type { Context } from '../../shared/flow/context.ts'
import type { Authenticated } from '../../shared/flow/keys.ts'
import type { Handler } from '../handlers/handler.ts'
import { handlers } from '../handlers/handlers.ts'
import { authenticate } from './authenticate.ts'
import { addressOf, type Limiter } from './rate-limit.ts'
import { type BodyReader, readBody, readParams, readPreferences, readQuery } from './read-input.ts'
import { sendBody } from './reply.ts'

export interface Edge {
  context: Context
  limits: { requests: Limiter; authFailures: Limiter }
  readBytes: BodyReader
  /** Answers an error as a problem. */
  fail(request: Request, response: Response, error: unknown): void
}

/** Give every row of the endpoint table its route: authenticate → limit → read → handle → reply. */
export function mountEndpoints(app: Express, edge: Edge): void {
  const byPath = new Map<string, Set<string>>()
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = expressPath(endpoint.path)
    byPath.set(path, (byPath.get(path) ?? new Set()).add(endpoint.method))
    const serve = serveEndpoint(name, endpoint, edge)
    app[methods[endpoint.method]](path, (request, response) => {
      response.locals.route = endpoint.path
      serve(request, response).catch(error => edge.fail(request, response, error))
    })
  }
  for (const [path, known] of byPath) refuseOtherMethods(app, path, [...known], edge.fail)
}

/** A path that is there answers 405 to every method it does not have. */
function refuseOtherMethods(app: Express, path: string, known: readonly string[], fail: Edge['fail']): void {
  const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
  app.all(path, (request, response) => {
    response.setHeader('allow', allow)
    fail(request, response, new ServiceError('method_not_allowed', `this path has ${allow}`))
  })
}

const methods = { GET: 'get', POST: 'post', PUT: 'put' } as const

function serveEndpoint(name: EndpointName, endpoint: Endpoint, edge: Edge) {
  const handle = handlers[name] as unknown as Handler<Endpoint>
  return async (request: Request, response: Response): Promise<void> => {
    const authenticated = await admit({ endpoint, edge, request, response })
    const answer = await handle(edge.context, {
      params: readParams(endpoint, request),
      query: readQuery(endpoint, request),
      body: await readBody(endpoint, request, () => edge.readBytes(request, response)),
      principal: authenticated?.principal,
      now: authenticated?.now ?? '',
      preferences: readPreferences(endpoint, request),
      gone: () => response.destroyed,
    } as Parameters<Handler<Endpoint>>[1])
    for (const [header, value] of Object.entries(answer.headers ?? {})) response.setHeader(header, value)
    sendBody(response, answer.status, answer.body, endpoint.answers[answer.status]?.type)
  }
}

interface Admission {
  endpoint: Endpoint
  edge: Edge
  request: Request
  response: Response
}

/** Who calls, counted against its limit; refused credentials are counted per address. */
async function admit({ endpoint, edge, request, response }: Admission): Promise<Authenticated | null> {
  if (endpoint.access === 'none') {
    if (endpoint.limited !== false) await edge.limits.requests(request, response, addressOf(request))
    return null
  }
  try {
    const authenticated = await authenticate(edge.context, request, endpoint.access)
    await edge.limits.requests(request, response, authenticated.principal.key_id)
    return authenticated
  } catch (error) {
    if (error instanceof ServiceError && refusals.has(error.code)) {
      await edge.limits.authFailures(request, response, addressOf(request))
    }
    throw error
  }
}

const refusals: ReadonlySet<string> = new Set([
  'credential_required',
  'invalid_key',
  'key_revoked',
  'key_expired',
])

/** `{name}` of the table as `:name` of Express. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
