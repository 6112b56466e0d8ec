import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createBoundedServer } from '../../../shared/runtime/process/http-bounds.ts'

const bounds = {
  connections_max: 100,
  address_connections_max: 50,
  header_ms_max: 10_000,
  request_ms_max: 30_000,
  stall_ms_max: 70_000,
}
const asked = 'GET / HTTP/1.1\r\nhost: gate\r\n\r\n'

let server: Server
const open: Socket[] = []

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

async function serve(listener: RequestListener): Promise<void> {
  server = createBoundedServer(bounds, listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
}

interface Client {
  socket: Socket
  answers(): number
  closed: Promise<unknown>
}

/** A connection, and how many answers came on it. */
function client(): Client {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  open.push(socket)
  let text = ''
  socket.setEncoding('latin1').on('data', part => (text += part))
  socket.on('error', () => undefined)
  return {
    socket,
    answers: () => text.split('HTTP/1.1 200').length - 1,
    closed: once(socket, 'close'),
  }
}

describe('requests in a row on one connection', () => {
  it('are served in order, each in a turn of the event loop of its own', async () => {
    let turn = 0
    const served: { path: string | undefined; turn: number }[] = []
    const ticking = () => {
      turn += 1
      ticker = setImmediate(ticking)
    }
    let ticker = setImmediate(ticking)
    await serve((request, response) => {
      served.push({ path: request.url, turn })
      response.end()
    })
    const { socket, answers } = client()
    const paths = Array.from({ length: 300 }, (_, at) => `/${at}`)
    socket.write(paths.map(path => asked.replace('/', path)).join(''))
    await expect.poll(answers).toBe(300)
    clearImmediate(ticker)
    expect(served.map(({ path }) => path)).toEqual(paths)
    expect(new Set(served.map(one => one.turn)).size).toBe(300)
  })

  it('may wait in great number, and the connection ends with one more', async () => {
    const held: ServerResponse[] = []
    await serve((_request, response) => held.push(response))
    const [one, other] = [client(), client()]
    one.socket.write(asked.repeat(1_001))
    other.socket.write(asked.repeat(1_002))
    await other.closed
    expect(held).toHaveLength(2)
    expect(one.socket.destroyed).toBe(false)
    held[0]?.socket?.destroy()
    await one.closed
  })

  it('wait in bounded number over all connections, and one behind another always may', async () => {
    const held: ServerResponse[] = []
    await serve((_request, response) => {
      if (held.length < 10) held.push(response)
      else response.end()
    })
    const many = Array.from({ length: 10 }, client)
    for (const { socket } of many) socket.write(asked.repeat(1_001))
    const left = () => many.filter(({ socket }) => !socket.destroyed)
    await expect.poll(() => left().length).toBe(5)
    const late = client()
    late.socket.write(asked.repeat(2))
    await expect.poll(late.answers).toBe(2)
    for (const { socket } of left()) socket.destroy()
    await Promise.all(many.map(({ closed }) => closed))
    const after = client()
    after.socket.write(asked.repeat(1_001))
    await expect.poll(after.answers).toBe(1_001)
  })
})

describe('connections of one address', () => {
  it.each([
    ['one /64 of IPv6', (at: number) => `2001:db8:1:2::${at.toString(16)}`, 50],
    ['as many networks', (at: number) => `2001:db8:1:${at.toString(16)}::1`, 60],
    ['IPv4 seen as IPv6', (at: number) => `::ffff:192.0.2.${at}`, 60],
  ])('are bounded by its network: %s', async (_what, address, letIn) => {
    await serve((_request, response) => response.end())
    const sockets = Array.from({ length: 60 }, (_, at) => {
      const socket = new Socket()
      return Object.defineProperty(socket, 'remoteAddress', { value: address(at) })
    })
    for (const socket of sockets) server.emit('connection', socket)
    expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(letIn)
    open.push(...sockets)
  })
})
