import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { StatusMap } from '../../../shared/contract/configuration/answer-rules.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import {
  type Downstream,
  type Seen,
  startDownstream,
  startRawServer,
} from '../../support/fixtures/http-downstream.ts'
import { selfSigned } from '../../support/fixtures/self-signed.ts'
import { short } from '../../support/short.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

async function downstream(answer: (response: ServerResponse, seen: Seen) => void): Promise<Downstream> {
  const server = await startDownstream((seen, response) => answer(response, seen))
  opened.push(server)
  return server
}

const refund: HttpSettings['operations'] = { refund: { method: 'POST', path: '/refunds' } }
const secrets = new Map([
  ['ACTUATOR_TOKEN', 'token-of-the-crm'],
  ['ACTUATOR_KEY', 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ='],
])

function invoke(settings: HttpSettings, parameters: JsonObject = {}, signal?: AbortSignal) {
  const actuator = httpActuator('crm', settings, surroundings({ secrets }))
  return actuator.invoke(invocationOf({ operation: 'refund', parameters, ...(signal ? { signal } : {}) }))
}

describe('the request', () => {
  it('is what the templates say, with the key', async () => {
    const server = await downstream(response => response.end('{"id":7}'))
    const settings: HttpSettings = {
      base_url: `${server.url}/v2/`,
      not_after_header: 'X-Not-After',
      auth: { type: 'bearer', token: { env: 'ACTUATOR_TOKEN' } },
      headers: { 'X-Tenant': '{tenant_id}', 'X-Secret': { env: 'ACTUATOR_TOKEN' } },
      operations: {
        refund: {
          method: 'PUT',
          path: '/charges/{parameters.charge.id}/refunds/{action_id}',
          query: { reason: 'because of {parameters.reason}' },
          body: {
            amount: '{parameters.amount}',
            text: 'for {parameters.charge.id}',
            note: '{parameters.note}',
            tags: ['{parameters.tag}', 'fixed'],
            key: '{idempotency_key}',
          },
        },
      },
    }
    const outcome = await invoke(settings, { charge: { id: 'ch/1 ?#' }, reason: 'a&b=c', amount: 12.5 })
    expect(outcome).toEqual({
      class: 'ok',
      detail: { status: 200, body: { id: 7 } },
      rule: 'status.done',
    })
    const [seen] = server.seen
    expect(seen).toMatchObject({
      method: 'PUT',
      url: '/v2/charges/ch%2F1%20%3F%23/refunds/act_1?reason=because+of+a%26b%3Dc',
      headers: {
        'idempotency-key': 'key-1',
        'x-tenant': 'acme',
        'x-secret': 'token-of-the-crm',
        'x-not-after': '2026-11-21T00:00:30.000Z',
        authorization: 'Bearer token-of-the-crm',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
    })
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      amount: 12.5,
      text: 'for ch/1 ?#',
      tags: ['fixed'],
      key: 'key-1',
    })
  })

  it('carries the parameters where no body is given, and nothing with GET', async () => {
    const server = await downstream(response => response.end())
    await invoke({ base_url: server.url, operations: refund }, { b: 2, a: 1 })
    await invoke({ base_url: server.url, operations: { refund: { method: 'GET', path: '/' } } }, { a: 1 })
    expect(server.seen.map(({ body }) => body)).toEqual(['{"a":1,"b":2}', ''])
  })

  it('is signed after Standard Webhooks', async () => {
    const server = await downstream(response => response.end())
    await invoke(
      { base_url: server.url, auth: { type: 'hmac', key: { env: 'ACTUATOR_KEY' } }, operations: refund },
      { a: 1 },
    )
    const { headers, body } = server.seen[0] as Seen
    const signed = `key-1.${headers['webhook-timestamp']}.${body}`
    const signature = createHmac('sha256', 'secret-secret-secret').update(signed).digest('base64')
    expect(headers).toMatchObject({ 'webhook-id': 'key-1', 'webhook-signature': `v1,${signature}` })
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
  })

  it.each<[string, string, JsonObject]>([
    ['a segment that climbs', '/a/{parameters.id}/b', { id: '..' }],
    ['an empty segment', '/a/{parameters.id}/b', { id: '' }],
    ['a value that is missing', '/a/{parameters.id}', {}],
    ['an inherited member', '/a/{parameters.constructor}', {}],
    ['an object', '/a/{parameters.id}', { id: {} }],
  ])('is not sent with %s in the path', async (_name, path, parameters) => {
    const server = await downstream(response => response.end())
    const settings: HttpSettings = { base_url: server.url, operations: { refund: { method: 'GET', path } } }
    expect(await invoke(settings, parameters)).toMatchObject({
      class: 'failed',
      code: 'request_not_renderable',
    })
    expect(server.seen).toEqual([])
  })

  it('is not sent with a header that would hold a second one', async () => {
    const server = await downstream(response => response.end())
    const settings: HttpSettings = {
      base_url: server.url,
      operations: { refund: { method: 'GET', path: '/', headers: { 'X-Name': '{parameters.name}' } } },
    }
    const outcome = await invoke(settings, { name: 'a\r\nX-Admin: 1' })
    expect(outcome).toMatchObject({ class: 'failed', code: 'request_not_renderable' })
    expect(server.seen).toEqual([])
  })

  it('is not sent for an operation without one', async () => {
    const settings: HttpSettings = { base_url: 'https://crm.example', operations: {} }
    expect(await invoke(settings)).toMatchObject({ class: 'failed', code: 'operation_not_registered' })
  })
})

describe('a complete answer', () => {
  const answered = async (status: number, headers: Record<string, string> = {}, body = '') => {
    const server = await downstream(response => response.writeHead(status, headers).end(body))
    return server.url
  }

  it.each([301, 302, 307, 308, 408, 418, 425, 500, 502, 503, 504])('%i says nothing', async status => {
    const base_url = await answered(status, { location: 'https://example.com/' })
    expect(await invoke({ base_url, operations: refund })).toMatchObject({
      class: 'unknown',
      code: `http_${status}`,
    })
  })

  it('is read by the statuses of the operation', async () => {
    const statuses = { done: [200, 409], refused: [500], busy: [503] }
    const operations: HttpSettings['operations'] = { refund: { method: 'POST', path: '/', statuses } }
    const classOf = async (status: number, headers = {}) =>
      invoke({ base_url: await answered(status, headers), operations })
    expect(await classOf(409)).toEqual({ class: 'ok', detail: { status: 409 }, rule: 'statuses.done' })
    expect(await classOf(201)).toMatchObject({ class: 'unknown' })
    expect(await classOf(500)).toMatchObject({ class: 'failed' })
    expect(await classOf(503, { 'retry-after': '7' })).toMatchObject({
      class: 'busy',
      retry_after_ms: 7_000,
    })
    expect(await classOf(503, { 'retry-after': 'soon' })).not.toHaveProperty('retry_after_ms')
    const past = new Date(Date.now() - 5_000).toUTCString()
    expect(await classOf(503, { 'retry-after': past })).toMatchObject({ retry_after_ms: 0 })
  })

  it.each([
    ['text', 'done'],
    ['half of JSON', '{"id":'],
    ['more than JSON', '{"id":1,"id":2} and so on'],
    ['a byte-order mark alone', '\ufeff'],
  ])('of 200 with %s is not one', async (_name, body) => {
    expect(await invoke({ base_url: await answered(200, {}, body), operations: refund })).toMatchObject({
      class: 'unknown',
      code: 'invalid_response',
    })
  })

  it.each([
    ['a 64-bit id', '{"id":9007199254740993}', 'number_out_of_range'],
    ['a name twice', '{"id":1,"id":2}', 'duplicate_key'],
    ['a name __proto__', '{"__proto__":1}', 'forbidden_key'],
    ['a byte-order mark', '\ufeff{"id":1}', 'byte_order_mark'],
    ['U+0000', '{"id":"a\\u0000b"}', 'nul_character'],
    ['half a character', '{"id":"\\ud800"}', 'lone_surrogate'],
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`, 'too_deep'],
  ])('of 200 in JSON with %s is one, without its body', async (_name, body, omitted) => {
    expect(await invoke({ base_url: await answered(200, {}, body), operations: refund })).toEqual({
      class: 'ok',
      detail: { status: 200, omitted },
      rule: 'status.done',
    })
  })

  it.each<[number, Record<string, string>, object]>([
    [429, {}, {}],
    [429, { 'retry-after': '7' }, { retry_after_ms: 7_000 }],
    [503, { 'retry-after': '7' }, { retry_after_ms: 7_000 }],
  ])('%i with %j is busy without being listed', async (status, headers, more) => {
    const base_url = await answered(status, headers)
    const outcome = await invoke({ base_url, operations: refund })
    const told = { class: 'busy', code: `http_${status}`, message: `status ${status}`, rule: 'status.busy' }
    expect(outcome).toEqual({ ...told, ...more })
  })

  it.each([
    ['refused', 'failed'],
    ['done', 'ok'],
  ] as const)('429 is what it is listed as: %s', async (listed, expected) => {
    const statuses = { [listed]: [429] }
    const operations: HttpSettings['operations'] = { refund: { method: 'POST', path: '/', statuses } }
    expect(await invoke({ base_url: await answered(429), operations })).toMatchObject({ class: expected })
  })

  const del = 'DELETE'
  const honoured = 'key_honoured'
  type Status = { method: 'POST' | 'DELETE'; idempotency?: 'key_honoured'; statuses?: StatusMap }
  const conflicts: [number, Status, string][] = [
    [409, { method: 'POST', idempotency: honoured }, 'unknown'],
    [409, { method: 'POST' }, 'failed'],
    [409, { method: 'POST', idempotency: honoured, statuses: { refused: [409] } }, 'failed'],
    [404, { method: 'POST', idempotency: honoured }, 'failed'],
    [404, { method: del, idempotency: honoured }, 'unknown'],
    [410, { method: del, idempotency: honoured }, 'unknown'],
    [404, { method: del }, 'failed'],
    [404, { method: del, idempotency: honoured, statuses: { refused: [404] } }, 'failed'],
    [410, { method: del, idempotency: honoured, statuses: { done: [204, 410] } }, 'ok'],
  ]
  it.each(
    conflicts.map(
      ([status, operation, expected]) => [status, short(operation, 60), expected, operation] as const,
    ),
  )('%i of %s is %s', async (status, _, expected, { idempotency, ...request }) => {
    const operations: HttpSettings['operations'] = { refund: { path: '/', ...request } }
    const honours = idempotency ? { idempotency } : {}
    const outcome = await invoke({ base_url: await answered(status), ...honours, operations })
    expect(outcome).toMatchObject({ class: expected })
  })

  const ok = { path: 'ok', equals: true }
  const errors = { path: 'errors', present: true }
  it.each<[string, Partial<HttpSettings['operations'][string]>, string, object]>([
    ['success stated', { success_when: ok }, '{"ok":true}', { class: 'ok', detail: { body: { ok: true } } }],
    [
      'success not stated',
      { success_when: ok },
      '{"ok":false}',
      { class: 'unknown', code: 'success_not_stated' },
    ],
    ['success as a text', { success_when: ok }, '{"ok":"true"}', { class: 'unknown' }],
    ['nothing', { success_when: ok }, '', { class: 'unknown', code: 'success_not_stated' }],
    [
      'success within',
      { success_when: { path: 'a.b', one_of: ['x', 'y'] } },
      '{"a":{"b":"y"}}',
      { class: 'ok' },
    ],
    ['an error', { failed_when: errors }, '{"errors":[1]}', { class: 'failed', code: 'failed_as_stated' }],
    ['no error', { failed_when: errors }, '{"errors":null}', { class: 'ok' }],
    ['nothing to judge', { failed_when: errors }, '', { class: 'ok' }],
    [
      'both',
      { success_when: ok, failed_when: errors },
      '{"ok":true,"errors":1}',
      { class: 'unknown', code: 'contradictory_answer' },
    ],
    ['neither', { success_when: ok, failed_when: errors }, '{}', { class: 'unknown' }],
    [
      'a failure beside a 64-bit id',
      { failed_when: errors },
      '{"id":9007199254740993,"errors":1}',
      { class: 'failed' },
    ],
    [
      'success beside a 64-bit id',
      { success_when: ok },
      '{"id":9007199254740993,"ok":true}',
      { class: 'ok', detail: { status: 200, omitted: 'number_out_of_range' } },
    ],
    [
      'a name twice',
      { failed_when: errors },
      '{"errors":1,"errors":null}',
      { class: 'unknown', code: 'invalid_response' },
    ],
    [
      'a name twice behind a 64-bit id',
      { failed_when: errors },
      '{"id":9007199254740993,"errors":1,"errors":null}',
      { class: 'unknown' },
    ],
    ['an error, stated of nothing', {}, '{"ok":false,"errors":[1]}', { class: 'ok' }],
  ])('of 200 with %s in its body is judged as registered', async (_name, stated, body, expected) => {
    const operations: HttpSettings['operations'] = { refund: { method: 'POST', path: '/', ...stated } }
    expect(await invoke({ base_url: await answered(200, {}, body), operations })).toMatchObject(expected)
  })

  it('may have any body where it is ignored', async () => {
    const operations: HttpSettings['operations'] = {
      refund: { method: 'POST', path: '/', response: 'ignored' },
    }
    expect(await invoke({ base_url: await answered(200, {}, 'done'), operations })).toEqual({
      class: 'ok',
      detail: { status: 200 },
      rule: 'status.done',
    })
  })

  it('does not tell the secrets that it echoes', async () => {
    const server = await downstream((response, { headers }) =>
      response
        .writeHead(response.req.url === '/bad' ? 422 : 200)
        .end(JSON.stringify({ got: headers.authorization })),
    )
    const auth = { type: 'bearer', token: { env: 'ACTUATOR_TOKEN' } } as const
    const told = await Promise.all(
      ['/good', '/bad'].map(path =>
        invoke({ base_url: server.url, auth, operations: { refund: { method: 'POST', path } } }),
      ),
    )
    expect(JSON.stringify(told)).not.toContain('token-of-the-crm')
    expect(told[0]).toMatchObject({ detail: { body: { got: 'Bearer [redacted]' } } })
  })
})

describe('an exchange that breaks', () => {
  const raw = async (bytes: string | null) => {
    const server = await startRawServer(bytes)
    opened.push(server)
    return { base_url: server.url, timeout_ms: 300, operations: refund }
  }

  it.each([
    ['nothing at all', ''],
    ['half a header', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"id"'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"'],
    ['a refusal cut short', 'HTTP/1.1 422 No\r\nContent-Length: 10\r\n\r\n{"id"'],
    ['something that is not HTTP', '220 smtp ready\r\n'],
  ])('with %s says nothing', async (_name, bytes) => {
    expect(await invoke(await raw(bytes))).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
  })

  it('without an answer in time says nothing', async () => {
    expect(await invoke(await raw(null))).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
  })

  it('by the abort of the lease says nothing', async () => {
    const server = await downstream(() => undefined)
    const controller = new AbortController()
    const calling = invoke({ base_url: server.url, operations: refund }, {}, controller.signal)
    await expect.poll(() => server.seen.length).toBe(1)
    controller.abort(new Error('the lease was lost'))
    expect(await calling).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
  })

  it('with more than may be read says nothing, and does not read it', async () => {
    let written = 0
    const server = await downstream(response => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536
      }
      response.on('drain', more)
      more()
    })
    const outcome = await invoke({ base_url: server.url, max_response_bytes: 1_000, operations: refund })
    expect(outcome).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(written).toBeLessThan(20_000_000)
  })

  it('is not unpacked', async () => {
    const server = await downstream(response =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    )
    expect(await invoke({ base_url: server.url, operations: refund })).toMatchObject({ class: 'unknown' })
  })
})

describe('what was never sent', () => {
  it('because nobody listens may be tried again', async () => {
    const server = await startDownstream(() => undefined)
    await server.close()
    expect(await invoke({ base_url: server.url, operations: refund })).toMatchObject({
      class: 'retry',
      code: 'not_connected',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('because the name does not resolve may be tried again', async () => {
    expect(await invoke({ base_url: 'https://crm.invalid', operations: refund })).toMatchObject({
      class: 'retry',
    })
  })

  it('because the peer does not speak TLS may be tried again', async () => {
    const server = await startRawServer('not TLS')
    opened.push(server)
    const base_url = server.url.replace('http:', 'https:')
    expect(await invoke({ base_url, operations: refund })).toMatchObject({
      class: 'retry',
      code: 'not_connected',
    })
  })

  it('because nobody vouches for the certificate may be tried again', async () => {
    let asked = 0
    const server = createServer(selfSigned, (_request, response) => {
      asked += 1
      response.end('{}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    opened.push({ close: () => new Promise(resolve => server.close(() => resolve())) })
    const base_url = `https://localhost:${(server.address() as AddressInfo).port}`
    expect(await invoke({ base_url, operations: refund })).toMatchObject({
      class: 'retry',
      code: 'not_connected',
      message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    })
    expect(asked).toBe(0)
  })

  it('because it may not be called is refused for good', async () => {
    expect(await invoke({ base_url: 'https://169.254.169.254', operations: refund })).toMatchObject({
      class: 'failed',
      code: 'egress_refused',
    })
  })

  it('because the signal had aborted may be tried again', async () => {
    const server = await downstream(response => response.end())
    const outcome = await invoke({ base_url: server.url, operations: refund }, {}, AbortSignal.abort())
    expect(outcome).toMatchObject({ class: 'retry' })
    expect(server.seen).toEqual([])
  })
})

describe('a look-up', () => {
  const lookup: HttpSettings['lookup'] = {
    method: 'GET',
    path: '/refunds/{idempotency_key}',
    executed: [200],
    failed: [410],
    state: { path: 'refund.state', executed: ['done'], failed: ['voided'] },
  }
  const find = async (status: number, body: string) => {
    const server = await downstream(response => response.writeHead(status).end(body))
    const actuator = httpActuator('crm', { base_url: server.url, operations: refund, lookup }, surroundings())
    const finding = await actuator.lookup?.(invocationOf({ operation: 'refund' }))
    expect(server.seen[0]?.url).toBe('/refunds/key-1')
    return finding
  }

  it.each<[number, string, object]>([
    [200, '{"refund":{"state":"done"}}', { found: 'executed', detail: { status: 200 } }],
    [200, '{"refund":{"state":"voided"}}', { found: 'failed', code: 'recorded_downstream' }],
    [200, '{"refund":{"state":"running"}}', { found: 'unclear', code: 'state_unclear' }],
    [200, '{"refund":[]}', { found: 'unclear' }],
    [200, 'done', { found: 'unclear' }],
    [
      200,
      '{"id":9007199254740993,"refund":{"state":"done"}}',
      { found: 'executed', detail: { status: 200, omitted: 'number_out_of_range' } },
    ],
    [200, '{"refund":{"state":"voided"},"refund":{"state":"done"}}', { found: 'unclear' }],
    [404, '', { found: 'absent' }],
    [410, 'gone', { found: 'failed', code: 'http_410' }],
    [500, '', { found: 'unclear', code: 'http_500' }],
    [302, '', { found: 'unclear', code: 'http_302' }],
  ])('%i with %s', async (status, body, finding) => {
    expect(await find(status, body)).toMatchObject(finding)
  })

  it('is offered only where one is registered', () => {
    const actuator = httpActuator(
      'crm',
      { base_url: 'https://crm.example', operations: refund },
      surroundings(),
    )
    expect(actuator.lookup).toBeUndefined()
    expect(actuator).toMatchObject({ idempotency: 'none' })
  })
})
