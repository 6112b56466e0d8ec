import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { expect } from 'vitest'
import { errorTable, problemSchema } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { plantCredentials } from './plant-credentials.ts'

export interface Answer<Body> {
  status: number
  headers: IncomingHttpHeaders
  /** The exact text; `body` is what it says as JSON, null where it says nothing. */
  text: string
  body: Body
}

export interface Call {
  /** Sent as `Authorization: Bearer`. */
  key?: string
  /** Sent as `X-Service-Admin-Key`. */
  admin?: string
  headers?: Record<string, string | string[]>
  /** Sent as JSON, unless `raw` says what exactly is sent. */
  json?: unknown
  raw?: string | Buffer
  /** Send without `Content-Length`. */
  chunked?: boolean
}

export type Client = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  call?: Call,
) => Promise<Answer<Body>>

/**
 * A client that holds every answer against the contract: what the endpoint's row allows, in its exact shape, or a
 * problem (RFC 9457) with a code of the table and the status that goes with it.
 */
export function createClient(url: string): { call: Client; close(): void } {
  const agent = new Agent({ keepAlive: true })
  return {
    async call<Body>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
      const { message, text } = await send(new URL(url), agent, { method, path, call })
      const answer = {
        status: message.statusCode ?? 0,
        headers: message.headers,
        text,
        body: parsed(message, text) as Body,
      }
      plantCredentials(answer.headers, answer.body)
      holdAgainstContract(method, path, answer)
      return answer
    },
    close: () => agent.destroy(),
  }
}

interface Sending {
  method: string
  path: string
  call: Call
}

function send(
  url: URL,
  agent: Agent,
  { method, path, call }: Sending,
): Promise<{ message: IncomingMessage; text: string }> {
  const body = bodyOf(call)
  const headers = {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(body === null || call.chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
    ...(call.admin === undefined ? {} : { 'x-service-admin-key': call.admin }),
    ...call.headers,
  }
  plantCredentials(headers, call.json)
  return new Promise((resolve, reject) => {
    const { hostname, port } = url
    const sending = request({ hostname, port, method, path, headers, agent }, message => {
      const chunks: Buffer[] = []
      message.on('data', chunk => chunks.push(chunk))
      message.on('end', () => resolve({ message, text: Buffer.concat(chunks).toString('utf8') }))
      message.on('error', reject)
    })
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The service may close an idle connection just as a request is written to it; a read is then sent again (RFC 9110, 9.2.2).
      const isStale = method === 'GET' && sending.reusedSocket && error.code === 'ECONNRESET'
      if (isStale) resolve(send(url, agent, { method, path, call }))
      else reject(error)
    })
    if (body !== null) sending.write(body)
    sending.end()
  })
}

function bodyOf({ json, raw }: Call): string | Buffer | null {
  if (raw !== undefined) return raw
  return json === undefined ? null : JSON.stringify(json)
}

function parsed(message: IncomingMessage, text: string): unknown {
  return text === '' || !/json/.test(message.headers['content-type'] ?? '') ? null : JSON.parse(text)
}

const rows = Object.values(endpoints as Record<string, Endpoint>).map(endpoint => ({
  endpoint,
  pattern: new RegExp(
    `^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}(\\?.*)?$`,
    's',
  ),
}))

function holdAgainstContract(method: string, path: string, answer: Answer<unknown>): void {
  const row = rows.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
  const documented = row?.endpoint.answers[answer.status]
  if (documented) {
    const { body, type = 'application/json' } = documented
    if (answer.status !== 304) expect(answer.headers['content-type']).toBe(type)
    const read = type.includes('json') ? answer.body : answer.text
    expect(body.safeParse(read).error?.issues ?? []).toEqual([])
  } else if (answer.status >= 400 && method !== 'HEAD') {
    holdAgainstProblem(answer)
  }
}

function holdAgainstProblem({ status, headers, body }: Answer<unknown>): void {
  expect(headers['content-type']).toBe('application/problem+json')
  const problem = problemSchema.parse(body)
  expect(problem).toMatchObject({
    status,
    request_id: headers['x-request-id'],
    type: expect.stringMatching(new RegExp(`/docs/errors#${problem.code}$`)),
  })
  expect(status).toBe(errorTable[problem.code].status)
}
