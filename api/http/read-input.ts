import express, { type Request, type Response } from 'express'
import type { z } from 'zod'
import { parseStrictJson } from '../../shared/canon/strict-json.ts'
import { type ErrorCode, type Issue, ServiceError } from '../../shared/contract/base/errors.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { readShape } from '../../shared/contract/base/read-shape.ts'
import { inOneGo } from '../../shared/contract/base/slices.ts'
import type { Endpoint, RequestHeader } from '../../shared/contract/endpoints/endpoint.ts'
import type { Preferences } from '../handlers/handler.ts'

export type BodyReader = (request: Request, response: Response) => Promise<Buffer>

export function createBodyReader(limit: number): BodyReader {
  const raw = express.raw({ type: () => true, limit, inflate: false })
  return (request, response) =>
    new Promise((resolve, reject) => {
      raw(request, response, (error?: unknown) => {
        if (error) reject(bodyError(error, limit))
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
      })
    })
}

/** Reads path parameters. An invalid id gives the same error as an unknown one. */
export function readParams(endpoint: Endpoint, request: Request): unknown {
  if (!endpoint.params) return undefined
  const parsed = endpoint.params.safeParse(request.params)
  if (parsed.success) return parsed.data
  const code: ErrorCode = endpoint.errors.find(error => error.endsWith('_not_found')) ?? 'not_found'
  throw new ServiceError(code)
}

const namesMax = 32

export function readQuery(endpoint: Endpoint, request: Request): unknown {
  const search = request.originalUrl.indexOf('?')
  if (!endpoint.query || search < 0) return endpoint.query ? parse(endpoint.query, {}) : undefined
  const written = request.originalUrl.slice(search)
  if (written.split('&', namesMax + 1).length > namesMax) {
    throw invalid([{ path: '', code: 'too_many_names', message: `a query has ${namesMax} names at most` }])
  }
  const given = new URLSearchParams(written)
  const repeated = [...given.keys()].filter((name, at, names) => names.indexOf(name) !== at)
  if (repeated.length > 0) {
    throw invalid(
      [...new Set(repeated)].map(path => ({ path, code: 'repeated', message: 'is given more than once' })),
    )
  }
  return parse(endpoint.query, Object.fromEntries(given))
}

/** Parses the body strictly from its raw bytes, before any other code sees it (specification.md#audit-bytes). */
export async function readBody(
  endpoint: Endpoint,
  request: Request,
  read: () => Promise<Buffer>,
): Promise<unknown> {
  if (!endpoint.body) return undefined
  const empty = request.headers['content-length'] === '0' || !hasBody(request)
  const type = request.headers['content-type']
  if (!empty && endpoint.form && isForm(type)) return parse(endpoint.body, readForm(await read()))
  if (!empty && !isJson(type)) throw new ServiceError('unsupported_media_type')
  const bytes = empty ? Buffer.from('{}') : await read()
  const json = parseStrictJson(bytes)
  if (!json.ok) {
    const { path, code, message } = json.issue
    throw new ServiceError('malformed_json', message, [{ path, code, message }])
  }
  return parse(endpoint.body, json.value)
}

/** Reads a form. A repeated name is refused, since one parser may take the first value and another the last. */
function readForm(bytes: Buffer): Record<string, string> {
  const given = new URLSearchParams(bytes.toString('utf8'))
  const repeated = [...given.keys()].find((name, at, names) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw invalid([{ path: repeated, code: 'repeated', message: 'is given more than once' }])
  return Object.fromEntries(given)
}

function isForm(type: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(type ?? '')
}

/** Reads `Prefer: wait=N`, `If-None-Match`, `If-Match` and `Last-Event-ID` if the endpoint takes them. */
export function readPreferences(endpoint: Endpoint, request: Request): Preferences {
  const given = (name: RequestHeader) => (endpoint.headers?.includes(name) ? request.get(name) : undefined)
  return {
    wait_ms: waitMs(given('prefer')),
    if_none_match: entityTags(given('if-none-match')),
    if_match: given('if-match') ?? null,
    last_event_id: lastEventId(given('last-event-id')),
  }
}

/** Parses entity tags for weak comparison (RFC 9110 section 13.1.2), which ignores W/. */
export function entityTags(given = ''): string[] {
  const tags = given.split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return tags.filter(tag => tag !== '')
}

function waitMs(prefer: string | undefined): number | null {
  const preferences = (prefer ?? '').split(/[,;]/)
  const wait = preferences
    .map(text => /^\s*wait\s*=\s*"?([^"\s]*)"?\s*$/i.exec(text)?.[1])
    .find(text => text !== undefined)
  if (wait === undefined) return null
  const seconds = /^\d{1,3}$/.test(wait) ? Number(wait) : Number.NaN
  if (seconds <= limits.wait_seconds_max) return seconds * 1000
  throw new ServiceError('invalid_header', `Prefer: wait must be 0 to ${limits.wait_seconds_max} seconds`)
}

function lastEventId(given: string | undefined): number | null {
  if (given === undefined) return null
  if (/^(?:-1|0|[1-9]\d{0,14})$/.test(given)) return Number(given)
  throw new ServiceError('invalid_header', 'Last-Event-ID must be the id of an event of this stream')
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const read = inOneGo(readShape(schema, value))
  if (read.ok) return read.value
  throw invalid(read.issues)
}

function invalid(issues: readonly Issue[]): ServiceError {
  return new ServiceError(
    'validation_failed',
    issues
      .slice(0, 3)
      .map(({ path, message }) => `${path}: ${message}`)
      .join('; '),
    issues,
  )
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || request.headers['content-length'] !== undefined
}

export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? '')
}

function bodyError(error: unknown, limit: number): ServiceError {
  const type = error instanceof Error && 'type' in error ? String(error.type) : ''
  if (type === 'entity.too.large')
    return new ServiceError('body_too_large', `the body may have ${limit} bytes`)
  if (type === 'encoding.unsupported')
    return new ServiceError('unsupported_media_type', 'send the body uncompressed')
  return new ServiceError('malformed_json', 'the body could not be read')
}
