import { once } from 'node:events'
import type { Server } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { createEgressGuard } from '../../../shared/actuator/egress/egress-guard.ts'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import type { ActuatorDependencies } from '../../../shared/actuator/surroundings.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'
import { selfSigned } from '../../support/fixtures/self-signed.ts'

const closings: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

const keyed = { idempotency: 'key_honoured', key_retention_ms: 60_000 } as const
const refund: HttpSettings['operations'] = { refund: { method: 'POST', path: '/refunds', body: {} } }

/** Calls of one registration; `around` is the worker that makes them. */
function callerOf(settings: Partial<HttpSettings> & { base_url: string }, around: ActuatorDependencies) {
  const actuator = httpActuator('crm', { operations: refund, timeout_ms: 5_000, ...settings }, around)
  const call = async (tenant_id = 'acme') => {
    const outcome = await actuator.invoke(invocationOf({ operation: 'refund', tenant_id }))
    // Its connection is free in the turn after its answer was read.
    await setImmediate()
    return outcome
  }
  return { actuator, call }
}

/** A server that counts its connections and ends them when it is told to. */
async function startCounting() {
  const ports: (number | undefined)[] = []
  const downstream = await startDownstream((_seen, response, request) => {
    ports.push(request.socket.remotePort)
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
  closings.push(downstream.close)
  return { ...downstream, ports, connections: () => new Set(ports).size }
}

describe('calls of a registration whose key is honoured', () => {
  it('use one connection after the other', async () => {
    const server = await startCounting()
    const { call } = callerOf({ base_url: server.url, ...keyed }, surroundings())
    for (let n = 0; n < 3; n += 1) expect(await call()).toMatchObject({ class: 'ok' })
    expect(server.connections()).toBe(1)
  })

  it('have as many connections as calls under way', async () => {
    const waiting: (() => void)[] = []
    const ports = new Set<number | undefined>()
    const server = await startDownstream((_seen, response, { socket }) => {
      ports.add(socket.remotePort)
      waiting.push(() => response.end())
      if (waiting.length === 3) for (const answer of waiting) answer()
    })
    closings.push(server.close)
    const { call } = callerOf({ base_url: server.url, ...keyed }, surroundings())
    const outcomes = await Promise.all([call(), call(), call()])
    expect(outcomes).toMatchObject([{ class: 'ok' }, { class: 'ok' }, { class: 'ok' }])
    expect(ports.size).toBe(3)
  })

  it('share no connection with another tenant or worker', async () => {
    const server = await startCounting()
    const { call } = callerOf({ base_url: server.url, ...keyed }, surroundings())
    await call('acme')
    await call('beta')
    await callerOf({ base_url: server.url, ...keyed }, surroundings()).call('acme')
    expect(server.connections()).toBe(3)
  })

  it('share one with the look-ups and polls of it', async () => {
    const server = await startCounting()
    const lookup = { method: 'GET' as const, path: '/refunds', executed: [200] }
    const { actuator, call } = callerOf({ base_url: server.url, lookup, ...keyed }, surroundings())
    await call()
    const found = await actuator.lookup?.(invocationOf({ operation: 'refund' }))
    expect(found).toMatchObject({ found: 'executed' })
    expect(server.connections()).toBe(1)
  })
})

it('a call that must not be repeated has a connection of its own, and leaves none', async () => {
  const server = await startCounting()
  const { call } = callerOf({ base_url: server.url }, surroundings())
  for (let n = 0; n < 3; n += 1) expect(await call()).toMatchObject({ class: 'ok' })
  expect(server.connections()).toBe(3)
})

describe('a kept connection', () => {
  it('that the other end closed meanwhile is replaced, and the call is made once', async () => {
    const sockets: Socket[] = []
    const downstream = await startDownstream((_seen, response, request) => {
      sockets.push(request.socket)
      response.end()
    })
    closings.push(downstream.close)
    const { call } = callerOf({ base_url: downstream.url, ...keyed }, surroundings())
    await call()
    const closed = new Promise(resolve => sockets[0]?.once('close', resolve))
    sockets[0]?.end()
    await closed
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(downstream.seen).toHaveLength(2)
  })

  it('that ends under a request leaves its outcome unknown, and nothing is sent again', async () => {
    let calls = 0
    const downstream = await startDownstream((_seen, response, request) => {
      calls += 1
      if (calls === 2) request.socket.destroy()
      else response.end()
    })
    closings.push(downstream.close)
    const { call } = callerOf({ base_url: downstream.url, ...keyed }, surroundings())
    await call()
    expect(await call()).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(calls).toBe(2)
    expect(await call()).toMatchObject({ class: 'ok' })
  })

  it('with an answer that nobody asked for answers no later call with it', async () => {
    const answer = (text: string) =>
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
    const server = createTcpServer(socket => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => socket.write(answer('{"n":1}') + answer('{"forged":true}')))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    closings.push(() => void server.close())
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { call } = callerOf({ base_url, ...keyed, timeout_ms: 500 }, surroundings())
    for (let n = 0; n < 3; n += 1) expect(JSON.stringify(await call())).not.toContain('forged')
  })

  it('with an answer that is too large is not used again', async () => {
    let calls = 0
    const downstream = await startDownstream((_seen, response) => {
      calls += 1
      response.end(calls === 1 ? 'x'.repeat(3_000) : '')
    })
    closings.push(downstream.close)
    const settings = { base_url: downstream.url, max_response_bytes: 2_000, ...keyed }
    const { call } = callerOf(settings, surroundings())
    expect(await call()).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(await call()).toMatchObject({ class: 'ok' })
  })
})

it.each([
  ['a connection of its own', undefined],
  ['a kept connection', ['acme', 'crm']],
] as const)('a way out over %s writes one request', async (_name, whose) => {
  const server = await startCounting()
  const guard = createEgressGuard(['127.0.0.1'])
  const way = guard.open({
    connect_ms: 5_000,
    max_response_bytes: 1_000,
    ...(whose ? { keptFor: whose } : {}),
  })
  closings.push(() => way.end())
  const ask = async () => (await request(server.url, { dispatcher: way.dispatcher })).body.dump()
  await ask()
  await expect(ask()).rejects.toThrow('the connection ended after the request began')
  expect(server.seen).toHaveLength(1)
})

it('a name that leads elsewhere is asked about again with the next connection', async () => {
  const server = await startCounting()
  const addresses = ['127.0.0.1', '169.254.169.254']
  const egress = createEgressGuard(['moving.test'], (_name, _options, callback) => {
    callback(null, [{ address: addresses.shift() ?? '', family: 4 }])
  })
  const base_url = `http://moving.test:${server.port}`
  const { call } = callerOf({ base_url, ...keyed }, surroundings({ egress }))
  expect(await call('acme')).toMatchObject({ class: 'ok' })
  expect(await call('acme')).toMatchObject({ class: 'ok' })
  expect(await call('beta')).toMatchObject({ class: 'failed', code: 'egress_refused' })
})

describe('a server that offers HTTP/2', () => {
  const trusting = () => surroundings({ secrets: new Map([['ACTUATOR_CA', selfSigned.cert]]) })
  const own = { certificate: { env: 'ACTUATOR_CERTIFICATE' }, key: { env: 'ACTUATOR_KEY' } }
  const worker = () =>
    surroundings({
      secrets: new Map([
        ['ACTUATOR_CA', selfSigned.cert],
        ['ACTUATOR_CERTIFICATE', selfSigned.cert],
        ['ACTUATOR_KEY', selfSigned.key],
      ]),
    })
  const auth = { type: 'mtls', ...own, authority: { env: 'ACTUATOR_CA' } } as const

  const sockets: Socket[] = []

  async function start(answer: (stream: ServerHttp2Stream, n: number) => void) {
    const requests: { version: string; connection: unknown }[] = []
    const server: Http2SecureServer = createSecureServer(
      { ...selfSigned, allowHTTP1: true },
      (request, response) => {
        const { httpVersion: version, stream, socket } = request
        requests.push({ version, connection: stream ? stream.session : socket })
        request.resume()
        if (version === '2.0') request.once('end', () => answer(stream, requests.length))
        else response.end()
      },
    )
    server.on('sessionError', () => undefined)
    server.on('secureConnection', socket => sockets.push(socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    closings.push(() => {
      server.close()
      ;(server as unknown as Partial<Pick<Server, 'closeAllConnections'>>).closeAllConnections?.()
    })
    const base_url = `https://localhost:${(server.address() as AddressInfo).port}`
    return { requests, base_url }
  }
  const ends = (stream: ServerHttp2Stream): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' })
    stream.end('{"id":"re_1"}')
  }

  it('is spoken to in it, on one connection, where the call may be repeated', async () => {
    const { requests, base_url } = await start(ends)
    const { call } = callerOf({ base_url, auth, ...keyed }, worker())
    expect(await call()).toMatchObject({ class: 'ok', detail: { body: { id: 're_1' } } })
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(requests.map(({ version }) => version)).toEqual(['2.0', '2.0'])
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(1)
  })

  it('is spoken to in HTTP/1.1 where it may not', async () => {
    const { requests, base_url } = await start(ends)
    const { call } = callerOf({ base_url, auth }, worker())
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(requests).toMatchObject([{ version: '1.1' }])
  })

  it('is not spoken to where its certificate is not trusted', async () => {
    const { requests, base_url } = await start(ends)
    const { call } = callerOf({ base_url, ...keyed }, trusting())
    expect(await call()).toMatchObject({ class: 'retry', code: 'not_connected' })
    expect(requests).toEqual([])
  })

  it('that goes away after it answers what it took is heard to the end', async () => {
    const { requests, base_url } = await start(stream => {
      stream.session?.goaway(0, stream.id)
      setTimeout(ends, 50, stream)
    })
    const { call } = callerOf({ base_url, auth, ...keyed }, worker())
    for (let n = 1; n <= 3; n += 1) {
      expect(await call()).toMatchObject({ class: 'ok', detail: { body: { id: 're_1' } } })
      expect(requests).toHaveLength(n)
    }
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(3)
  })

  it('and is asked nothing more is left after four seconds', async () => {
    const { requests, base_url } = await start(ends)
    const { call } = callerOf({ base_url, auth, ...keyed }, worker())
    expect(await call()).toMatchObject({ class: 'ok' })
    const last = sockets.at(-1)
    const closed = last && once(last, 'close')
    const begun = Date.now()
    await closed
    expect(Date.now() - begun).toBeGreaterThan(3_000)
    expect(Date.now() - begun).toBeLessThan(6_000)
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(requests).toHaveLength(2)
  })

  it.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['goes away', stream => stream.session?.goaway(0)],
    ['goes away with an error', stream => stream.session?.goaway(2)],
    ['resets the request', stream => stream.close(8)],
    ['refuses the request after it was sent', stream => stream.close(7)],
    ['ends the connection', stream => stream.session?.destroy()],
    ['cuts the connection', () => sockets.at(-1)?.destroy()],
    [
      'ends in the middle of an answer',
      stream => {
        stream.respond({ ':status': 200, 'content-length': 100 })
        stream.write('{"id":', () => stream.close(2))
      },
    ],
    [
      'answers more than may be read',
      stream => {
        stream.respond({ ':status': 200, 'content-type': 'application/json' })
        stream.end(JSON.stringify({ text: 'x'.repeat(100_000) }))
      },
    ],
    ['does not answer', () => undefined],
  ])('that %s: unknown, and asked once', async (_name, misbehave) => {
    const { requests, base_url } = await start((stream, n) => {
      stream.on('error', () => undefined)
      if (n === 2) misbehave(stream)
      else ends(stream)
    })
    const { call } = callerOf({ base_url, auth, timeout_ms: 1_000, ...keyed }, worker())
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(await call()).toMatchObject({ class: 'unknown' })
    expect(requests).toHaveLength(2)
    expect(await call()).toMatchObject({ class: 'ok' })
    expect(requests).toHaveLength(3)
  })
})
