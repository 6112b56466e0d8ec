import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
  tenant = await service.tenant()
})

afterAll(() => service.close())

const unknownAction = `act_${'0'.repeat(36)}`
const table = Object.values(endpoints as Record<string, Endpoint>)
const paths = [...new Set(table.map(({ path }) => path))]

function concrete(path: string): string {
  return path
    .replace('{action_id}', unknownAction)
    .replace('{tenant_id}', tenant.id)
    .replace('{key_id}', 'agk_aaaaaaaaaaaaaaaa')
}

describe('the public endpoints', () => {
  it.each(['/health', '/v1/health'])('%s says that the process is alive', async path => {
    const { status, body } = await service.call('GET', path)
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok', version: '0.1.0' } })
  })

  it('/v1/ready says that database and queue are there', async () => {
    const { status, body } = await service.call('GET', '/v1/ready')
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', queue: 'ok' } },
    })
  })

  it('/v1/policy-templates lists at least three, each with an example that it decides', async () => {
    const { body } = await service.call<{ templates: unknown[] }>('GET', '/v1/policy-templates')
    expect(body.templates.length).toBeGreaterThanOrEqual(3)
    expect(body.templates).toEqual(policyTemplates)
  })

  it('/metrics counts requests by their route, and names nobody', async () => {
    const { body } = await tenant.submit()
    await tenant.trace(body.action_id)
    await service.call('GET', `/v1/${tenant.id}/${body.action_id}`)
    const { status, headers, text } = await service.call('GET', '/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain/)
    expect(text).toContain(
      'action_gate_request_seconds_count{route="/v1/actions/{action_id}",method="GET",status="200"}',
    )
    expect(text).toContain('action_gate_decisions_total{decision="allow"}')
    for (const secret of [tenant.id, body.action_id, tenant.agent.split('.')[0], '127.0.0.1']) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('a path that is not there', () => {
  it.each([
    '/',
    '/v1',
    '/v2/actions',
    '/v1/action',
    '/v1/actions/x/y',
    '/v1/actions/',
    '/V1/ACTIONS',
    '//v1/actions',
    '/health/',
    '/v1/accounts/nothing',
    '/%2e%2e/etc/passwd',
    '/constructor',
    '/v1/actions/%ff',
    '/v1/actions/%',
  ])('%s is 404', async path => {
    const { status, body } = await service.call<Problem>('GET', path, { key: tenant.agent })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
  })

  it.each([
    '/v1/actions/%00',
    '/v1/actions/%2e%2e',
    '/v1/actions/act_UPPER',
    `/v1/actions/${unknownAction}%20`,
    `/v1/actions/${'a'.repeat(5_000)}`,
  ])('%.40s is an action that nobody knows', async path => {
    const { status, body } = await service.call<Problem>('GET', path, { key: tenant.agent })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'action_not_found' })
  })

  it.each(['/v1/tenants/%00/policy', '/v1/tenants/..%2f/policy', '/v1/tenants/nobody/policy'])(
    '%s is a tenant that nobody knows',
    async path => {
      const { status, body } = await service.call<Problem>('GET', path, { admin: service.admin })
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'tenant_not_found' })
    },
  )
})

describe('a method that a path does not have', () => {
  const wrong = paths.flatMap(path => {
    const known: string[] = table.filter(row => row.path === path).map(({ method }) => method)
    const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
    return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      .filter(method => !known.includes(method))
      .map(method => ({ method, path, allow }))
  })

  it.each(wrong)('$method $path is 405 with Allow', async ({ method, path, allow }) => {
    const { status, headers, body } = await service.call<Problem>(method, concrete(path), { json: {} })
    expect({ status, allow: headers.allow, code: body.code }).toEqual({
      status: 405,
      allow,
      code: 'method_not_allowed',
    })
  })

  it('HEAD is GET without its body', async () => {
    const { status, headers, text } = await service.call('HEAD', '/health')
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 200,
      text: '',
      type: 'application/json',
    })
  })
})

describe('every answer', () => {
  it.each([
    ['GET', '/health', 200],
    ['GET', '/metrics', 200],
    ['GET', '/nowhere', 404],
    ['POST', '/v1/actions', 401],
    ['DELETE', '/v1/actions', 405],
  ])(
    '%s %s has headers that a browser obeys, and a request id of its own',
    async (method, path, expected) => {
      const first = await service.call(method, path, { headers: { 'x-request-id': 'mine' } })
      const second = await service.call(method, path)
      expect(first.status).toBe(expected)
      expect(first.headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'strict-transport-security': expect.stringContaining('max-age='),
        'cache-control': 'no-store',
      })
      expect(first.headers).not.toHaveProperty('x-powered-by')
      expect(first.headers['x-request-id']).toMatch(/^req_[a-z2-7]{16}$/)
      expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    },
  )
})

describe('what is not HTTP', () => {
  it.each([
    ['a wrong request line', 'NONSENSE\r\n\r\n', 400],
    ['headers beyond the limit', `GET /health HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'a length twice',
      'POST /v1/actions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /v1/actions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('%s is refused and the connection closed', async (_name, text, status) => {
    expect(await answerTo(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it.each(['http://[', 'http://[::1'])('a target like %s is a path that is not there', async target => {
    const text = await answerTo(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 404 /)
    expect(head).toMatch(/^content-type: application\/problem\+json$/im)
    expect(head).toMatch(/^content-security-policy: default-src 'none'/im)
    const [, id] = /^x-request-id: (req_\w{16})$/im.exec(head) ?? []
    expect(JSON.parse(body)).toMatchObject({ code: 'not_found', request_id: id })
    const line = service
      .logged()
      .split('\n')
      .find(one => one.includes(String(id)))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ route: 'unknown', method: 'GET', status: 404 })
  })

  it('the service is still there', async () => {
    expect((await service.call('GET', '/health')).status).toBe(200)
  })
})

/** What comes back on a bare connection until the other side closes it. */
function answerTo(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
