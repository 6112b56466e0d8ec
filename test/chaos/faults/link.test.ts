import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Link, startLink } from './link.ts'

let received: string
let server: Server
let link: Link
const clients: Socket[] = []

/** A server that answers everything with `got` and what it got. */
beforeEach(async () => {
  received = ''
  server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => socket.destroy())
    socket.on('data', chunk => {
      received += chunk
      socket.write(`got ${chunk}`)
    })
    socket.on('end', () => socket.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  link = await startLink(() => ({ port, host: '127.0.0.1' }))
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await link.close()
  server.close()
})

it('passes both ways, and knows who is connected', async () => {
  const client = await open()
  expect(await ask(client, 'one')).toBe('got one')
  expect(link.open()).toBe(1)
  client.end()
  await expect.poll(() => link.open()).toBe(0)
})

it('cut: breaks what is open and refuses what is new, until it is healed', async () => {
  const client = await open()
  await ask(client, 'one')
  const broken = once(client, 'error')
  await link.misbehave('cut')
  expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' })
  await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await link.heal()
  expect(await ask(await open(), 'two')).toBe('got two')
})

it('black hole: nothing arrives until late, even of a client that has gone', async () => {
  const before = await open()
  await ask(before, 'one ')
  await link.misbehave('black_hole')
  before.write('two ')
  const during = await open()
  during.end('three ')
  before.destroy()
  await expect.poll(() => clients.filter(({ destroyed }) => destroyed).length).toBe(1)
  expect(received).toBe('one ')
  await link.heal()
  await expect.poll(() => received).toBe('one two three ')
})

it('swallow: requests arrive, no answer comes, and the connection breaks in the end', async () => {
  const client = await open()
  let answered = false
  client.once('data', () => {
    answered = true
  })
  await link.misbehave('swallow')
  client.write('one')
  await expect.poll(() => received).toBe('one')
  const broken = once(client, 'error')
  await link.heal()
  await broken
  expect(answered).toBe(false)
  expect(await ask(await open(), 'two')).toBe('got two')
})

it('half-close: the client is told the end, and what it still sends arrives', async () => {
  const client = await open()
  await ask(client, 'one ')
  const ended = once(client, 'end')
  await link.misbehave('half_close')
  await ended
  client.write('two ')
  await expect.poll(() => received).toBe('one two ')
})

it('delay: everything arrives, later and in order', async () => {
  await link.misbehave('delay')
  const client = await open()
  const begun = performance.now()
  client.write('one ')
  await expect.poll(() => received, { timeout: 5_000 }).toBe('one ')
  expect(performance.now() - begun).toBeGreaterThan(350)
  client.write('two ')
  await link.heal()
  client.write('three ')
  await expect.poll(() => received, { timeout: 5_000 }).toBe('one two three ')
})

async function open(): Promise<Socket> {
  const client = connect({ port: link.port, host: '127.0.0.1', allowHalfOpen: true })
  clients.push(client)
  await once(client, 'connect')
  client.on('error', () => client.destroy())
  return client
}

async function ask(client: Socket, text: string): Promise<string> {
  client.write(text)
  return String((await once(client, 'data'))[0])
}
