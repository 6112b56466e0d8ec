import type { Express, Request, Response } from 'express'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { type Endpoint, isList } from '../../shared/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { underAuthor } from '../../shared/flow/core/hold-author.ts'
import type { Place, Room } from '../../shared/runtime/room.ts'
import type { Handler, SignedBody } from '../handlers/handler.ts'
import { handlers } from '../handlers/handlers.ts'
import { type Admitted, admit, type Limits, refuseEnded } from './admit-request.ts'
import { authorOf } from './author-of.ts'
import { basePathOf } from './base-path.ts'
import { compressed } from './compressed.ts'
import { setCookies } from './cookies.ts'
import { notesOf, spanOf } from './observe.ts'
import { proofAsker } from './proof-asker.ts'
import { type BodyReader, readBody, readParams, readPreferences, readQuery } from './read-input.ts'
import { sendBody, sendEvents } from './reply.ts'
import { needsSecureCookies } from './same-site.ts'

export interface Edge {
  context: Context
  limits: Limits
  readBytes: BodyReader
  readDocument: BodyReader
  fail(request: Request, response: Response, error: unknown): void
}

type Route = (request: Request, response: Response) => void

/** Mounts a route for every endpoint: authenticate → limit → read → handle → reply. */
export function mountEndpoints(app: Express, edge: Edge): void {
  const byPath = new Map<string, Set<string>>()
  const { hosted_accounts, local_accounts } = edge.context.config
  const exact = new Map<string, Route>()
  app.use((request, response, next) => {
    const route = exact.get(`${request.method} ${request.path}`)
    if (route) route(request, response)
    else next()
  })
  for (const [name, endpoint] of parametersFirst(Object.entries(endpoints) as [EndpointName, Endpoint][])) {
    if ((endpoint.hosted && !hosted_accounts) || (endpoint.local && !local_accounts)) continue
    const path = expressPath(endpoint.path)
    byPath.set(path, (byPath.get(path) ?? new Set()).add(endpoint.method))
    const serve = serveEndpoint(name, endpoint, edge)
    const route: Route = (request, response) => {
      response.locals.route = endpoint.path
      serve(request, response).catch(error => edge.fail(request, response, error))
    }
    app[methods[endpoint.method]](path, route)
    // A map finds paths without parameters, so that they need not be compared with every route.
    if (path === endpoint.path) exact.set(`${endpoint.method} ${path}`, route)
  }
  for (const [path, known] of byPath) refuseOtherMethods(app, path, [...known], edge.fail)
}

/** Registers paths with parameters first, because Express compares routes in order and a map finds the rest. */
function parametersFirst(rows: [EndpointName, Endpoint][]): [EndpointName, Endpoint][] {
  const hasParameters = ([, { path }]: [EndpointName, Endpoint]) => path.includes('{')
  return [...rows.filter(hasParameters), ...rows.filter(row => !hasParameters(row))]
}

function refuseOtherMethods(app: Express, path: string, known: readonly string[], fail: Edge['fail']): void {
  const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
  app.all(path, (request, response) => {
    response.setHeader('allow', allow)
    fail(request, response, new ServiceError('method_not_allowed', `this path has ${allow}`))
  })
}

const methods = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const

function serveEndpoint(name: EndpointName, endpoint: Endpoint, edge: Edge) {
  const handle = handlers[name] as unknown as Handler<Endpoint>
  const pages = isList(endpoint)
  const contextFor = (admitted: Admitted, request: Request, response: Response): Context => {
    const author = authorOf(name, endpoint, admitted, request.params)
    const context = author ? underAuthor(edge.context, author) : edge.context
    if (!endpoint.proves) return context
    return { ...context, prove: context.proofs.of(proofAsker(endpoint, admitted, request.params, response)) }
  }
  const answerTo = async (admitted: Admitted, request: Request, response: Response) => {
    const room = endpoint.takes ? await takePlace(edge.context.documentRoom, admitted, response) : null
    const params = readParams(endpoint, request)
    const query = readQuery(endpoint, request)
    let bytes: Buffer = Buffer.alloc(0)
    const body = await readBody(endpoint, request, async () => {
      bytes = await (endpoint.takes ? edge.readDocument : edge.readBytes)(request, response)
      return bytes
    })
    room?.shrink(bytes.length)
    return handle(contextFor(admitted, request, response), {
      params,
      query,
      body,
      ...(endpoint.signed ? { signed: signedBody(request, bytes) } : {}),
      ...admitted,
      preferences: readPreferences(endpoint, request),
      span: spanOf(response),
    } as Parameters<Handler<Endpoint>>[1])
  }
  return async (request: Request, response: Response): Promise<void> => {
    const admission = { name, endpoint, context: edge.context, limits: edge.limits, request, response }
    const admitted = await admit(admission)
    const notes = notesOf(response)
    notes.caller = admitted.principal
    notes.action_id = actionIdIn(request.params.action_id)
    const place = pages ? await takePlace(edge.context.listRoom, admitted, response) : null
    const answer = await answerTo(admitted, request, response).catch(async error => {
      await refuseEnded(admission, admitted)
      throw error
    })
    notes.action_id ??= actionIdIn(actionIdOf(answer.body))
    setHeaders({ request, response, answer, baseUrl: edge.context.config.base_url })
    const { type, document } = endpoint.answers[answer.status] ?? {}
    if (isStream(answer.body)) await sendEvents(response, answer.body, edge.context.streams.cut)
    else {
      const body = document ? compressed(request, response, answer.body) : answer.body
      const bytes = sendBody(response, answer.status, body, type)
      place?.shrink(bytes)
    }
  }
}

function signedBody(request: Request, bytes: Buffer): SignedBody {
  const timestamp = request.get('x-slack-request-timestamp') ?? ''
  return { bytes, timestamp, signature: request.get('x-slack-signature') ?? '' }
}

interface Heading {
  request: Request
  response: Response
  answer: Awaited<ReturnType<Handler<Endpoint>>>
  baseUrl: string
}

function setHeaders({ request, response, answer, baseUrl }: Heading): void {
  for (const [header, value] of Object.entries(answer.headers ?? {})) response.setHeader(header, value)
  if (!answer.cookies) return
  const secure = needsSecureCookies(request, baseUrl)
  setCookies(response, answer.cookies, { secure, basePath: basePathOf(baseUrl) })
}

/** Returns the id only if it has our form, because a path may contain anything and the id goes into log lines. */
function actionIdIn(id: unknown): string | undefined {
  return typeof id === 'string' && /^act_[a-z0-9]{1,40}$/.test(id) ? id : undefined
}

function actionIdOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'action_id' in body ? body.action_id : undefined
}

/** Reserves room for a page or document until the response closes; rejects with `overloaded` if there is none. */
async function takePlace(room: Room, { principal, session }: Admitted, response: Response): Promise<Place> {
  const holder = session?.account.account_id ?? principal?.tenant_id ?? ''
  const place = await room.enter(holder, limits.list_bytes_max)
  if (!place) throw new ServiceError('overloaded', 'too many lists or documents are under way')
  if (response.closed) place.leave()
  else response.on('close', () => place.leave())
  return place
}

function isStream(body: unknown): body is AsyncIterable<string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
