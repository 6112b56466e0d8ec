import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { goodPassword } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({
    worker: null,
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_BASE_URL: 'https://gate.example.org',
      SERVICE_LOGIN_LIMIT: '1000000',
    },
  })
})

afterAll(() => service.close())

/** The answer to a request as it stands on the wire. */
async function wire(lines: readonly string[]): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(service.url).port) })
  socket.setEncoding('latin1')
  let text = ''
  socket.on('data', part => (text += part))
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  return text
}

describe('the host of a request', () => {
  it.each(['GET /health HTTP/1.1', 'GET /v1/nothing HTTP/1.1', 'GET /app HTTP/1.1'])(
    'is refused for %s where two are named',
    async line => {
      const answer = await wire([line, 'Host: gate.example.org', 'hOST: evil.example'])
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('"code":"invalid_header"')
    },
  )

  it('is refused where the same is named twice', async () => {
    const answer = await wire(['GET /health HTTP/1.1', 'Host: gate.example.org', 'Host: gate.example.org'])
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('is taken where it is named once, or not at all by HTTP/1.0', async () => {
    expect(await wire(['GET /health HTTP/1.1', 'Host: gate.example.org'])).toMatch(/^HTTP\/1\.1 200 /)
    expect(await wire(['GET /health HTTP/1.0'])).toMatch(/^HTTP\/1\.1 200 /)
  })
})

let accounts = 0

async function signUp(origin: string): Promise<string> {
  const json = {
    email: `origin${accounts++}@example.org`,
    password: goodPassword,
    organization: 'Example',
    template: 'support',
  }
  const headers = { origin, host: 'gate.example.org' }
  const { status, body } = await service.call<Problem>('POST', '/v1/accounts/signup', { json, headers })
  return `${status} ${body.code ?? ''}`.trim()
}

describe('the origin of a write', () => {
  it.each([
    ['another scheme', 'http://gate.example.org'],
    ['another port', 'https://gate.example.org:8443'],
    ['another host', 'https://gate.example.com'],
    ['a path behind it', 'https://gate.example.org/'],
    ['a name before it', 'https://x@gate.example.org'],
    ['capital letters', 'https://GATE.example.org'],
    ['nothing of a page', 'null'],
  ])('is refused with %s, though the host is that of the base URL', async (_, origin) => {
    expect(await signUp(origin)).toBe('403 cross_site_request')
  })

  it('is taken where it is that of the base URL', async () => {
    expect(await signUp('https://gate.example.org')).toBe('201')
  })
})
