import { z } from 'zod'

export const headerNameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be a header name')

/**
 * Headers that no registration names, wherever it names one that is sent. They say where a message begins and ends, whom it
 * is for and how it is packed, or belong to the session with a server: that is the client's to say.
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

/** Besides, of a header whose value the service makes: these say what the body is, or which trace the request is of. */
const madeOtherwise: ReadonlySet<string> = new Set(['accept', 'content-type', 'traceparent'])

const problem = {
  message: 'names a header that the service sets itself, such as Host or Content-Length',
  params: { code: 'framing_header' },
}

const isRefused = (name: string): boolean => refused.has(name.toLowerCase())
const isMadeOtherwise = (name: string): boolean => isRefused(name) || madeOtherwise.has(name.toLowerCase())

/** The one header in which the service sends something of its own: a proof, a key or a moment. */
export const ownHeaderNameSchema = headerNameSchema.refine(name => !isMadeOtherwise(name), problem)

/** Whether a registration may write a header of a request. */
export function mayWriteHeader(name: string): boolean {
  return headerNameSchema.safeParse(name).success && !isRefused(name)
}

/** Headers of requests that a registration writes. */
export function writtenHeaders<Value extends z.ZodType>(value: Value) {
  return namedHeaders(value, isRefused)
}

/** Headers beside those of requests that a client writes. */
export function addedHeaders<Value extends z.ZodType>(value: Value) {
  return namedHeaders(value, isMadeOtherwise)
}

function namedHeaders<Value extends z.ZodType>(value: Value, isTaken: (name: string) => boolean) {
  return z.record(headerNameSchema, value).refine(headers => !Object.keys(headers).some(isTaken), problem)
}
