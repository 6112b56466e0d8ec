import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import { requestToken } from '../../../shared/actuator/http/request-token.ts'
import { createTokenCache } from '../../../shared/actuator/http/token-cache.ts'
import { redactsNothing } from '../../../shared/actuator/recorded-text.ts'
import type { HttpAuth, OAuthClient } from '../../../shared/contract/base/http-auth.ts'
import {
  type HttpSettings,
  httpSettingsSchema,
} from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { type Downstream, type Seen, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { selfSigned } from '../../support/fixtures/self-signed.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

const secrets = new Map([
  ['ACTUATOR_SECRET', 'the secret / of the crm?'],
  ['ACTUATOR_BROKEN', 'two\nlines'],
  ['ACTUATOR_CERTIFICATE', selfSigned.cert],
  ['ACTUATOR_KEY', selfSigned.key],
])
const secret = { env: 'ACTUATOR_SECRET' }

async function downstream(answer: (response: ServerResponse, seen: Seen) => void): Promise<Downstream> {
  const server = await startDownstream((seen, response) => answer(response, seen))
  opened.push(server)
  return server
}

function actuator(base_url: string, auth: HttpAuth, more: Partial<HttpSettings> = {}) {
  const operations: HttpSettings['operations'] = {
    refund: { method: 'POST', path: '/refunds', query: { a: '1' } },
  }
  const settings = httpSettingsSchema.parse({ base_url, auth, operations, ...more })
  const around = surroundings({ secrets })
  const made = httpActuator('crm', settings, around)
  return {
    around,
    invoke: (given: Parameters<typeof invocationOf>[0] = {}) =>
      made.invoke(invocationOf({ operation: 'refund', ...given })),
  }
}

describe('a request proves who sends it', () => {
  it.each<[string, HttpAuth, object]>([
    [
      'with a user and a password',
      { type: 'basic', username: 'crm', password: secret },
      {
        headers: { authorization: `Basic ${Buffer.from('crm:the secret / of the crm?').toString('base64')}` },
      },
    ],
    [
      'with a header of its own',
      { type: 'header', name: 'X-Api-Key', value: secret },
      { headers: { 'x-api-key': 'the secret / of the crm?' } },
    ],
    [
      'with a header and what comes before the secret',
      { type: 'header', name: 'Authorization', value: secret, prefix: 'Token ' },
      { headers: { authorization: 'Token the secret / of the crm?' } },
    ],
    [
      'with a part of the query',
      { type: 'query', name: 'api_key', value: secret },
      { url: '/refunds?a=1&api_key=the+secret+%2F+of+the+crm%3F' },
    ],
  ])('%s, which no answer shows', async (_name, auth, expected) => {
    const server = await downstream((response, { headers, url }) =>
      response.writeHead(422).end(JSON.stringify({ headers, url, again: decodeURIComponent(url) })),
    )
    const outcome = await actuator(server.url, auth).invoke()
    expect(server.seen).toMatchObject([expected])
    expect(outcome).toMatchObject({ class: 'failed', code: 'http_422' })
    expect(JSON.stringify(outcome)).not.toMatch(/the.secret|dGhl|Y3JtOn/)
    expect(JSON.stringify(outcome)).toContain('[redacted]')
  })

  it('with a secret that no header may hold, which ends before anything is sent', async () => {
    const server = await downstream(response => response.end('{}'))
    const auth: HttpAuth = { type: 'header', name: 'X-Api-Key', value: { env: 'ACTUATOR_BROKEN' } }
    const outcome = await actuator(server.url, auth).invoke()
    expect(outcome).toMatchObject({ class: 'failed', code: 'request_not_renderable' })
    expect(JSON.stringify(outcome)).not.toContain('lines')
    expect(server.seen).toEqual([])
  })

  it('with a client certificate where the server asks for one', async () => {
    const shown: unknown[] = []
    const asking = { ...selfSigned, ca: selfSigned.cert, requestCert: true, rejectUnauthorized: true }
    const server = createServer(asking, (request, response) => {
      shown.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN)
      response.end('{}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    opened.push({ close: () => new Promise(resolve => server.close(() => resolve())) })
    const base_url = `https://localhost:${(server.address() as AddressInfo).port}`
    const auth: HttpAuth = {
      type: 'mtls',
      certificate: { env: 'ACTUATOR_CERTIFICATE' },
      key: { env: 'ACTUATOR_KEY' },
      authority: { env: 'ACTUATOR_CERTIFICATE' },
    }
    expect(await actuator(base_url, auth).invoke()).toMatchObject({ class: 'ok' })
    expect(shown).toEqual(['localhost'])
    const without = await actuator(base_url, { ...auth, authority: undefined }).invoke()
    expect(without).toMatchObject({ class: 'retry', code: 'not_connected' })
    const broken = await actuator(base_url, { ...auth, key: secret }).invoke()
    expect(broken).toMatchObject({ class: 'retry', code: 'not_connected' })
    expect(JSON.stringify(broken)).not.toContain('the secret')
    expect(shown).toHaveLength(1)
  })

  it('with a certificate over TLS alone', () => {
    const auth = { type: 'mtls', certificate: secret, key: secret }
    const read = httpSettingsSchema.safeParse({ base_url: 'http://crm.example', auth, operations: {} })
    expect(read.error?.issues).toMatchObject([{ path: ['base_url'] }])
  })
})

describe('an access token', () => {
  interface Served extends Downstream {
    /** Requests of the API, and of the token endpoint. */
    api(): Seen[]
    asked(): Seen[]
  }
  type Answer = (response: ServerResponse, nth: number) => void

  const give =
    (more: object = { expires_in: 3600 }): Answer =>
    (response, nth) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ access_token: `token-number-${nth}`, token_type: 'Bearer', ...more }))

  async function serve(
    token: Answer,
    api: (response: ServerResponse, seen: Seen) => void = r => r.end('{}'),
  ) {
    let nth = 0
    const server = await startDownstream((seen, response) => {
      if (seen.url !== '/token') return api(response, seen)
      nth += 1
      token(response, nth)
    })
    opened.push(server)
    const of = (isToken: boolean) => server.seen.filter(({ url }) => (url === '/token') === isToken)
    return { ...server, api: () => of(false), asked: () => of(true) } satisfies Served
  }

  const client = (url: string, more: Partial<HttpAuth> = {}): HttpAuth =>
    ({
      type: 'oauth2_client_credentials',
      token_url: `${url}/token`,
      client_id: 'the worker',
      client_secret: secret,
      ...more,
    }) as HttpAuth

  it('is fetched once for all calls of a tenant, and sent with each', async () => {
    const server = await serve(give())
    const { invoke } = actuator(server.url, client(server.url, { scope: 'refunds read', audience: 'crm' }))
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => invoke()))
    expect(outcomes.map(({ class: read }) => read)).toEqual(Array(5).fill('ok'))
    expect(server.api().map(({ headers }) => headers.authorization)).toEqual(
      Array(5).fill('Bearer token-number-1'),
    )
    const [asked, ...more] = server.asked()
    expect(more).toEqual([])
    expect(asked?.headers.authorization).toMatch(/^Basic /)
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'refunds read',
      audience: 'crm',
    })
    await invoke({ tenant_id: 'other' })
    expect(server.asked()).toHaveLength(2)
  })

  it('is asked for in the body where the server wants that', async () => {
    const server = await serve(give())
    await actuator(server.url, client(server.url, { client_authentication: 'post' })).invoke()
    const [asked] = server.asked()
    expect(asked?.headers.authorization).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toMatchObject({
      client_id: 'the worker',
      client_secret: 'the secret / of the crm?',
    })
  })

  it('that the API refuses is dropped, and the refusal is what it was', async () => {
    const server = await serve(give(), (response, { headers }) =>
      response.writeHead(headers.authorization === 'Bearer token-number-2' ? 200 : 401).end(),
    )
    const { invoke } = actuator(server.url, client(server.url))
    expect(await invoke()).toMatchObject({ class: 'failed', code: 'http_401' })
    expect(await invoke()).toMatchObject({ class: 'ok' })
    expect(server.asked()).toHaveLength(2)
  })

  it('that the API echoes is hidden', async () => {
    const server = await serve(give(), (response, { headers }) =>
      response.writeHead(422).end(JSON.stringify({ got: headers.authorization })),
    )
    const outcome = await actuator(server.url, client(server.url)).invoke()
    expect(outcome).toMatchObject({ class: 'failed', body: { got: 'Bearer [redacted]' } })
    expect(JSON.stringify(outcome)).not.toContain('token-number')
  })

  const refused = (status: number, body: string): Answer => {
    return response => response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }
  it.each<[string, Answer, string, string]>([
    [
      'is refused',
      refused(401, '{"error":"invalid_client","error_description":"not the secret / of the crm?"}'),
      'token_refused',
      'the token endpoint answered 401: invalid_client not [redacted]',
    ],
    ['is an error of the server', refused(500, '<html>'), 'token_refused', ''],
    ['is of no kind', refused(200, '{"access_token":"x"}'), 'token_refused', ''],
    [
      'has a line feed',
      refused(200, '{"access_token":"a\\nb","token_type":"Bearer"}'),
      'token_refused',
      'no header',
    ],
    [
      'has a NUL',
      refused(200, '{"access_token":"a\\u0000b","token_type":"Bearer"}'),
      'token_refused',
      'no header',
    ],
    [
      'is beyond ASCII',
      refused(200, '{"access_token":"schlüssel","token_type":"Bearer"}'),
      'token_refused',
      'no header',
    ],
    [
      'has a space',
      refused(200, '{"access_token":"a b","token_type":"Bearer"}'),
      'token_refused',
      'no header',
    ],
    ['is cut off', response => response.destroy(), 'token_not_received', ''],
    ['hangs', () => undefined, 'token_not_received', ''],
  ])('that %s lets nothing be sent, which is proof', async (_name, answer, code, message) => {
    const server = await serve(answer)
    const { invoke } = actuator(server.url, client(server.url))
    const outcome = await invoke({ timeLeftMs: () => 400 })
    expect(outcome).toMatchObject({ class: 'retry', code, message: expect.stringContaining(message) })
    expect(JSON.stringify(outcome)).not.toContain('the secret')
    expect(server.api()).toEqual([])
  })

  it('that is garbage once is asked for again, and the call is made', async () => {
    const server = await serve((response, nth) => {
      const access_token = nth === 1 ? 'a\nb' : 'good'
      const body = { access_token, token_type: 'Bearer', expires_in: 1e9 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const { invoke } = actuator(server.url, client(server.url))
    expect(await invoke()).toMatchObject({ class: 'retry', code: 'token_refused' })
    expect(await invoke()).toMatchObject({ class: 'ok' })
    expect(server.api().map(({ headers }) => headers.authorization)).toEqual(['Bearer good'])
  })

  it.each([
    [1e9, 86_400_000],
    [86_400, 86_400_000],
    [60, 60_000],
    [0, 0],
  ])('that lives %d seconds by its server is kept for %d ms', async (expires_in, lives_ms) => {
    const body = Buffer.from(JSON.stringify({ access_token: 'good', token_type: 'Bearer', expires_in }))
    const headers = { 'content-type': 'application/json' }
    const issued = await requestToken(
      client('https://issuer.example') as OAuthClient,
      { client_id: 'the worker', client_secret: 'x' },
      {
        send: async () => ({ kind: 'answered', answer: { status: 200, headers, body } }),
        redact: redactsNothing,
      },
    )
    expect(issued).toEqual({ value: 'good', lives_ms })
  })

  it('of an endpoint that may not be called fails before anything is sent', async () => {
    const server = await serve(give())
    const auth = client('https://169.254.169.254')
    expect(await actuator(server.url, auth).invoke()).toMatchObject({
      class: 'failed',
      code: 'egress_refused',
    })
    expect(server.seen).toEqual([])
  })
})

describe('the cache of tokens', () => {
  const opening = () => {
    let now = 0
    const cache = createTokenCache(() => now)
    const fetched: string[] = []
    const get = (fetch?: () => Promise<{ value: string; lives_ms: number | null }>) =>
      cache.get('crm', () => {
        fetched.push(`token-${fetched.length + 1}`)
        return fetch?.() ?? Promise.resolve({ value: fetched.at(-1) ?? '', lives_ms: 1_000_000 })
      })
    const at = (ms: number): void => {
      now = ms
    }
    return { cache, fetched, get, at }
  }
  const settled = () => new Promise<void>(resolve => setImmediate(resolve))

  it('gives out a token that ends soon while it fetches the next', async () => {
    const { get, at, fetched } = opening()
    await get()
    at(939_000)
    expect(await get()).toBe('token-1')
    expect(fetched).toHaveLength(1)
    at(940_000)
    expect(await Promise.all([get(), get()])).toEqual(['token-1', 'token-1'])
    await settled()
    expect(await get()).toBe('token-2')
    expect(fetched).toHaveLength(2)
  })

  it('keeps a token that still lives when the next is not given out, and asks again', async () => {
    const { get, at, fetched } = opening()
    await get()
    at(940_000)
    expect(await get(() => Promise.reject(new Error('refused')))).toBe('token-1')
    await settled()
    expect(await get()).toBe('token-1')
    expect(fetched).toHaveLength(2)
    at(941_001)
    await get()
    await settled()
    expect(await get()).toBe('token-3')
  })

  it('waits for the next once a token is at its end, and tells all why there is none', async () => {
    const { get, at, fetched } = opening()
    await get()
    at(995_000)
    const refused = () => Promise.reject(new Error('refused'))
    const [one, other] = await Promise.allSettled([get(refused), get(refused)])
    expect(one.status).toBe('rejected')
    expect(other.status).toBe('rejected')
    expect(fetched).toHaveLength(2)
    expect(await get()).toBe('token-3')
  })

  it('drops no token that took the place of a refused one', async () => {
    const { cache, get, fetched } = opening()
    await get()
    cache.drop('crm', 'token-0')
    await get()
    expect(fetched).toHaveLength(1)
    cache.drop('crm', 'token-1')
    expect(await get()).toBe('token-2')
  })
})
