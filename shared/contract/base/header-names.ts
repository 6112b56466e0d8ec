import { z } from 'zod'

export const headerNameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be a header name')

/**
 * Headers that no registration may name. Only the HTTP client may set them, because they frame, route or encode a
 * message or belong to a server session.
 */
const refused: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-action-gate-request',
])

/** Headers that may not carry a value made by the service, because they describe the body or name the trace. */
const madeOtherwise: ReadonlySet<string> = new Set(['accept', 'content-type', 'traceparent'])

const problem = {
  message: 'names a header that the service sets itself, such as Host or Content-Length',
  params: { code: 'framing_header' },
}

const isRefused = (name: string): boolean => refused.has(name.toLowerCase())
const isMadeOtherwise = (name: string): boolean => isRefused(name) || madeOtherwise.has(name.toLowerCase())

export const ownHeaderNameSchema = headerNameSchema.refine(name => !isMadeOtherwise(name), problem)

export function mayWriteHeader(name: string): boolean {
  return headerNameSchema.safeParse(name).success && !isRefused(name)
}

export function writtenHeaders<Value extends z.ZodType>(value: Value) {
  return namedHeaders(value, isRefused)
}

export function addedHeaders<Value extends z.ZodType>(value: Value) {
  return namedHeaders(value, isMadeOtherwise)
}

function namedHeaders<Value extends z.ZodType>(value: Value, isTaken: (name: string) => boolean) {
  return z.record(headerNameSchema, value).refine(headers => !Object.keys(headers).some(isTaken), problem)
}
