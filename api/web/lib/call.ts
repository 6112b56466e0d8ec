import { rows } from 'virtual:endpoints'
import type { z } from 'zod'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { EndpointName, endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { basePath } from './base-path.ts'

type Row<Name extends EndpointName> = (typeof endpoints)[Name]
type Given<Part> = Part extends z.ZodType ? z.input<Part> : undefined
type Bodies<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends { body: infer Body extends z.ZodType }
    ? z.output<Body>
    : never
}[keyof Answers]

export interface CallInput<Name extends EndpointName> {
  params?: Row<Name> extends { params: infer Part } ? Given<Part> : undefined
  query?: Row<Name> extends { query: infer Part } ? Given<Part> : undefined
  body?: Row<Name> extends { body: infer Part } ? Given<Part> : undefined
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export type Answered<Name extends EndpointName> = Exclude<Bodies<Row<Name>['answers']>, null>

/** An error response of the service as a problem (RFC 9457). Its `code` is stable. */
export class ProblemError extends Error {
  readonly problem: Problem
  /** Seconds to wait before a retry, or null. */
  readonly retryAfter: number | null

  constructor(problem: Problem, retryAfter: number | null) {
    super(problem.detail)
    this.name = 'ProblemError'
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** The error of a request that the service did not answer. Also thrown if another server answered. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super('The service cannot be reached', { cause })
    this.name = 'UnreachableError'
  }
}

export interface Credentials {
  headers(write: boolean): Record<string, string>
  /** True if the browser sends the session cookie. */
  cookie: boolean
  /**
   * Returns a handler for the problem of the request that is being sent. The handler may ask the person to sign in
   * again. It resolves to true if the same person is signed in and the request may be sent once more.
   */
  renewal(): (problem: Problem) => Promise<boolean>
}

let credentials: Credentials = { headers: () => ({}), cookie: false, renewal: () => async () => false }

/** Sets how the page's requests authenticate. Each page calls this once when it starts. */
export function setCredentials(page: Credentials): void {
  credentials = page
}

/**
 * Calls an endpoint by name. Throws `ProblemError` or `UnreachableError`. An aborted call rejects as `fetch` does.
 */
export async function call<Name extends EndpointName>(
  name: Name,
  input: CallInput<Name> = {},
): Promise<Answered<Name>> {
  const response = await send(name, input)
  if (response.status === 204 || response.status === 304) return null as never
  return (await readJson(response)) as Answered<Name>
}

/**
 * Returns the raw response, for streams and ETags. Throws problems. If the session has ended and the person signs
 * in again, the request is sent once more, so that no decision is lost.
 */
export async function send<Name extends EndpointName>(
  name: Name,
  input: CallInput<Name> = {},
): Promise<Response> {
  const renew = credentials.renewal()
  try {
    return await sendOnce(name, input)
  } catch (error) {
    if (error instanceof ProblemError && (await renew(error.problem))) return sendOnce(name, input)
    throw error
  }
}

/**
 * Milliseconds after which a write is aborted. A person who waits in a dialog then learns that the outcome is
 * unknown.
 */
const writeMsMax = 120_000

async function sendOnce<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<Response> {
  const [method, path] = rows[name]
  const write = method !== 'GET'
  const { signal, body } = input
  const until = signal ?? (write ? AbortSignal.timeout(writeMsMax) : undefined)
  const response = await fetch(urlOf(path, input), {
    method,
    credentials: credentials.cookie ? 'same-origin' : 'omit',
    headers: {
      ...(write ? { 'content-type': 'application/json' } : {}),
      ...credentials.headers(write),
      ...input.headers,
    },
    ...(write ? { body: JSON.stringify(body ?? {}) } : {}),
    ...(until ? { signal: until } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new UnreachableError(error)
  })
  if (response.ok || response.status === 304) return response
  throw new ProblemError(
    (await readJson(response)) as Problem,
    Number(response.headers.get('retry-after')) || null,
  )
}

function urlOf(template: string, { params, query }: CallInput<EndpointName>): string {
  const given = (params ?? {}) as Record<string, unknown>
  const own = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(given[name] ?? '')),
  )
  const path = `${basePath}${own}`
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new UnreachableError(error)
  }
}
