import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { memoryUsage } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Of the hostile ones; the good client comes from another address of the same machine. */
const hostile = '127.0.0.1'
const good = '127.0.0.2'
const bounds = {
  SERVICE_HEADER_MS_MAX: '2500',
  SERVICE_REQUEST_MS_MAX: '4000',
  SERVICE_STALL_MS_MAX: '4000',
  SERVICE_CONNECTIONS_MAX: '900',
  SERVICE_ADDRESS_CONNECTIONS_MAX: '600',
  SERVICE_SUBMIT_WAIT_MS: '0',
}

let service: TestService
let tenant: TestTenant
let port: number
let open: Socket[] = []

beforeAll(async () => {
  service = await startService({ env: bounds })
  tenant = await service.tenant()
  port = Number(new URL(service.url).port)
  const seen = await served(pause(1_000))
  alone = seen.p99
  report('nobody hostile', seen)
})

afterEach(() => {
  for (const socket of open) socket.destroy()
  open = []
})

afterAll(() => service.close())

/** A connection of which everything is kept: what came, and when it ended. */
interface Raw {
  socket: Socket
  received(): string
  closed: Promise<number>
}

function raw(from = hostile): Raw {
  const begun = performance.now()
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  open.push(socket)
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', part => (text += part))
  socket.on('error', () => undefined)
  const closed = new Promise<number>(resolve =>
    socket.once('close', () => resolve(performance.now() - begun)),
  )
  return { socket, received: () => text, closed }
}

async function many(count: number, first: string): Promise<Raw[]> {
  const all = Array.from({ length: count }, () => raw())
  await Promise.all(all.map(({ socket }) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  for (const { socket } of all) if (socket.writable) socket.write(first)
  return all
}

/** A byte now and then on each of them. */
function drip(to: readonly Raw[], byte: string): NodeJS.Timeout {
  return setInterval(() => {
    for (const { socket } of to) if (socket.writable) socket.write(byte)
  }, 200)
}

/** What a client who behaves meets meanwhile: times in milliseconds, every answer 200. */
async function served(whileThis: Promise<unknown>): Promise<{ p50: number; p99: number; answers: number }> {
  const agent = new Agent({ keepAlive: true, localAddress: good })
  const times: number[] = []
  let going = true
  const stop = () => {
    going = false
  }
  whileThis.then(stop, stop)
  while (going || times.length < 20) {
    const begun = performance.now()
    expect(await ask(agent, '/v1/actions?limit=1')).toBe(200)
    times.push(performance.now() - begun)
    await pause(5)
  }
  agent.destroy()
  await whileThis
  const sorted = times.sort((one, other) => one - other)
  const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), answers: times.length }
}

function ask(agent: Agent, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${tenant.agent}` }
    const sending = request({ host: '127.0.0.1', port, path, agent, headers }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sending.on('error', reject).end()
  })
}

function report(what: string, seen: object): void {
  process.stderr.write(`${what}: ${JSON.stringify(seen)}\n`)
}

/** Of a client alone, on this machine as busy as it is. */
let alone = 0

/** So generous that a busy machine keeps it; what is refused here is a client that has to wait for the hostile ones. */
const p99Max = () => Math.max(1_000, 10 * alone)

const submission = (more: string) =>
  `POST /v1/actions HTTP/1.1\r\nhost: gate\r\nauthorization: Bearer ${tenant.agent}\r\ncontent-type: application/json\r\n${more}\r\n`

describe('slow-loris', () => {
  it('the server closes 500 connections that send a byte now and then, in bounded time', async () => {
    const slow = await many(500, 'GET /v1/actions HTTP/1.1\r\nhost: gate\r\nx-')
    const dripping = drip(slow, 'a')
    const ends = Promise.all(slow.map(({ closed }) => closed))
    const seen = await served(ends)
    const times = await ends
    clearInterval(dripping)
    const longest = Math.max(...times)
    report('slow-loris, 500 connections', { ...seen, longest_ms: Math.round(longest) })
    expect(slow.filter(({ received }) => received().startsWith('HTTP/1.1 408')).length).toBeGreaterThan(450)
    expect(longest).toBeLessThan(10_000)
    expect(seen.p99).toBeLessThan(p99Max())
  })

  it('a body that drips is given up as well, and so is a connection that says nothing', async () => {
    const dripped = await many(100, `${submission('content-length: 10000\r\n')}{`)
    const silent = await many(100, '')
    const dripping = drip(dripped, ' ')
    const ends = Promise.all([...dripped, ...silent].map(({ closed }) => closed))
    const seen = await served(ends)
    const longest = Math.max(...(await ends))
    clearInterval(dripping)
    report('dripping bodies and silence, 200 connections', { ...seen, longest_ms: Math.round(longest) })
    expect(longest).toBeLessThan(10_000)
    expect(seen.p99).toBeLessThan(p99Max())
  })
})

describe('a flood', () => {
  it.each([
    ['one long header', `x-long: ${'a'.repeat(20_000)}\r\n`],
    ['many headers', 'x-a: b\r\n'.repeat(6_000)],
    ['a long first line', null],
  ])('of %s is 431, and the connection ends', async (_, headers) => {
    const text = headers
      ? `GET /health HTTP/1.1\r\nhost: gate\r\n${headers}\r\n`
      : `GET /health?${'a'.repeat(20_000)} HTTP/1.1\r\nhost: gate\r\n\r\n`
    const floods = await many(50, text)
    const ends = Promise.all(floods.map(({ closed }) => closed))
    const seen = await served(ends)
    await ends
    expect(floods.map(({ received }) => received().slice(0, 12))).toEqual(floods.map(() => 'HTTP/1.1 431'))
    expect(seen.p99).toBeLessThan(p99Max())
  })

  it.each([
    ['larger than it may be', 'content-length: 300000\r\n', 'a'.repeat(300_000), 413],
    [
      'compressed',
      'content-encoding: gzip\r\ncontent-length: 1064\r\n',
      gzipSync(Buffer.alloc(1_000_000)),
      415,
    ],
    ['of both lengths at once', 'content-length: 5\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n', 400],
    ['of chunks that are none', 'transfer-encoding: chunked\r\n', 'zz\r\nabc\r\n', 400],
  ])('of bodies %s is refused', async (_, headers, body, status) => {
    const bodies = await many(50, submission(headers))
    const before = memoryUsage().rss
    for (const { socket } of bodies) socket.write(body)
    const seen = await served(expectStatus(bodies, status))
    const grown = Math.round((memoryUsage().rss - before) / 2 ** 20)
    report(`bodies ${headers.split('\r')[0]}`, { ...seen, grown_mb: grown })
    expect(seen.p99).toBeLessThan(p99Max())
    expect(grown).toBeLessThan(100)
  })
})

describe('a body without an end', () => {
  it('is not kept, and is cut off when its time is over', async () => {
    const chunks = `10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(20)
    const endless = await many(50, submission('transfer-encoding: chunked\r\n') + chunks)
    const before = memoryUsage().rss
    const ends = Promise.all(endless.map(({ closed }) => closed))
    const seen = await served(ends)
    const [longest, grown] = [Math.max(...(await ends)), Math.round((memoryUsage().rss - before) / 2 ** 20)]
    report('50 bodies without an end', { ...seen, longest_ms: Math.round(longest), grown_mb: grown })
    expect(endless.filter(({ received }) => !/^(HTTP\/1\.1 (408|413) |$)/.test(received()))).toEqual([])
    expect(longest).toBeLessThan(10_000)
    expect(grown).toBeLessThan(100)
    expect(seen.p99).toBeLessThan(p99Max())
  })
})

describe('connections', () => {
  it('of one address are bounded, so that others get in', async () => {
    const all = await many(800, '')
    const seen = await served(pause(500))
    const left = all.filter(({ socket }) => !socket.destroyed).length
    report('800 connections of one address', { ...seen, let_in: left })
    expect(left).toBeGreaterThan(500)
    expect(left).toBeLessThanOrEqual(600)
    expect(seen.p99).toBeLessThan(p99Max())
    for (const { socket } of all) socket.destroy()
    await expect.poll(() => answered(raw())).toBe(true)
  })

  it('of a client that asks much and never reads end, and hold little memory', async () => {
    const path = '/openapi.yaml'
    const before = memoryUsage().rss
    const deaf = await many(20, '')
    for (const { socket } of deaf) {
      socket.pause()
      socket.write(`GET ${path} HTTP/1.1\r\nhost: gate\r\n\r\n`.repeat(500))
    }
    const seen = await served(pause(2_000))
    const grown = Math.round((memoryUsage().rss - before) / 2 ** 20)
    // The other side's end shows when a byte is sent, which keeps a connection alive: so more seldom than that takes.
    await expect.poll(() => deaf.filter(stillThere).length, { timeout: 28_000, interval: 6_000 }).toBe(0)
    report('20 clients that ask 500 times and never read', { ...seen, grown_mb: grown })
    expect(seen.p99).toBeLessThan(p99Max())
    expect(grown).toBeLessThan(200)
  }, 60_000)

  it('that ask without an end in a row are ended, and hold little memory', async () => {
    const before = memoryUsage().rss
    const asking = await many(6, 'GET /v1/ready HTTP/1.1\r\nhost: gate\r\n\r\n'.repeat(95_000))
    const seen = await served(Promise.all(asking.map(({ closed }) => closed)))
    const grown = Math.round((memoryUsage().rss - before) / 2 ** 20)
    report('6 clients that ask 95,000 times in a row', { ...seen, grown_mb: grown })
    expect(seen.p99).toBeLessThan(p99Max())
    expect(grown).toBeLessThan(200)
  })

  it('with requests in a row are answered one after another', async () => {
    const { socket, received } = raw()
    socket.write('GET /health HTTP/1.1\r\nhost: gate\r\n\r\n'.repeat(1_000))
    const seen = await served(
      expect.poll(() => received().match(/HTTP\/1\.1 200/g)?.length, { timeout: 20_000 }).toBe(1_000),
    )
    report('1,000 requests in one write', seen)
    expect(seen.p99).toBeLessThan(p99Max())
  })
})

function stillThere({ socket }: Raw): boolean {
  if (socket.writable) socket.write('G')
  return !socket.destroyed
}

async function answered({ socket, received }: Raw): Promise<boolean> {
  socket.write('GET /health HTTP/1.1\r\nhost: gate\r\nconnection: close\r\n\r\n')
  await Promise.race([once(socket, 'close'), pause(1_000)])
  return received().startsWith('HTTP/1.1 200')
}

async function expectStatus(all: readonly Raw[], status: number): Promise<void> {
  const found = () => [...new Set(all.map(({ received }) => received().slice(0, 12)))]
  await expect.poll(found, { timeout: 10_000 }).toEqual([`HTTP/1.1 ${status}`])
}
