import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { migrateQueue } from '../../../shared/runtime/queue/postgres-backend.ts'
import { openQueue, openWorker } from '../../../shared/runtime/queue/wake-up-queue.ts'
import { freshDatabase } from '../../support/servers/database.ts'

/** A relay to the socket of PostgreSQL whose connections can be frozen: they stay open, and nothing passes any more. */
interface Relay {
  port: number
  freeze(): number
  close(): Promise<void>
}

/** When the first connection is frozen: at once, or when it has signed in and asks for something. */
type Frozen = 'while it connects' | 'at its first question'

describe.concurrent('a half-open connection', () => {
  it('is given up by a worker that listens on it', async ({ expect }) => {
    await using worker = await openHalfOpen()
    await expect.poll(worker.isHeard).toBe(true)
    expect(worker.freeze()).toBeGreaterThan(0)
    expect(await worker.isHeard()).toBe(false)
    await expect.poll(worker.isHeard, { timeout: 30_000 }).toBe(true)
  }, 60_000)

  for (const when of ['while it connects', 'at its first question'] as const) {
    it(`is given up by a worker that starts, ${when}`, async ({ expect }) => {
      await using worker = await openHalfOpen(when)
      expect(await worker.isHeard()).toBe(false)
      await expect.poll(worker.isHeard, { timeout: 30_000 }).toBe(true)
    }, 60_000)

    it(`is given up by a service that rings, ${when}`, async ({ expect }) => {
      await using relayed = await openRelayed(when)
      const { queue, disconnect } = openQueue(relayed.location)
      queue.on('error', () => undefined)
      const isTaken = () =>
        queue.add('job', {}, {}).then(
          () => true,
          () => false,
        )
      expect(await isTaken()).toBe(false)
      await expect.poll(isTaken, { timeout: 30_000 }).toBe(true)
      await queue.close()
      await disconnect()
    }, 60_000)
  }
})

/** A worker that is reached by way of a relay, and jobs for it from a queue that is not. */
async function openHalfOpen(firstFrozen?: Frozen) {
  const relayed = await openRelayed(firstFrozen)
  const adding = openQueue(relayed.direct)
  const heard = new Map<string, () => void>()
  const hear = async ({ name }: { name: string }) => heard.get(name)?.()
  const { worker, disconnect } = openWorker(relayed.location, hear, { drainDelay: 30 })
  worker.on('error', () => undefined)
  let made = 0
  return {
    freeze: relayed.freeze,
    async isHeard(): Promise<boolean> {
      const name = `job-${++made}`
      const ringing = new Promise<true>(resolve => heard.set(name, () => resolve(true)))
      await adding.queue.add(name, {}, { removeOnComplete: true })
      return Promise.race([ringing, new Promise<false>(resolve => setTimeout(resolve, 1_000, false))])
    },
    async [Symbol.asyncDispose]() {
      await worker.close(true)
      await disconnect()
      await adding.queue.close()
      await adding.disconnect()
      await relayed[Symbol.asyncDispose]()
    },
  }
}

/** A queue in a database of its own, by way of a relay and without one. */
async function openRelayed(firstFrozen?: Frozen) {
  const database = await freshDatabase()
  const owner = { host: database.host, user: database.superuser, database: database.database }
  await migrateQueue(owner)
  const relay = await startRelay(join(database.host, '.s.PGSQL.5432'), firstFrozen)
  const login = { user: database.runtimeUser, database: database.database }
  const connectionString = `postgres://${login.user}@127.0.0.1:${relay.port}/${login.database}`
  const prefix = 'half-open'
  return {
    direct: { postgres: { ...login, host: database.host }, owner, prefix },
    location: { postgres: { connectionString }, owner, prefix },
    freeze: relay.freeze,
    async [Symbol.asyncDispose]() {
      await relay.close()
      await database.drop()
    },
  }
}

async function startRelay(path: string, firstFrozen?: Frozen): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let next = firstFrozen
  const freezePair = ([near, far]: readonly [Socket, Socket]) => {
    near.unpipe(far)
    far.unpipe(near)
    // It takes what is sent, and answers nothing.
    near.resume()
  }
  const server = createServer(near => {
    const pair = [near, connect(path)] as const
    const [, far] = pair
    pairs.add(pair)
    near.pipe(far).pipe(near)
    if (next === 'while it connects') freezePair(pair)
    if (next === 'at its first question')
      // PostgreSQL ends what it says to who signs in with "ready for query".
      far.on('data', (told: Buffer) => told.includes('Z\0\0\0\x05I') && setImmediate(freezePair, pair))
    next = undefined
    for (const one of pair) {
      one.on('error', () => undefined)
      one.once('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const pair of pairs) freezePair(pair)
      return pairs.size
    },
    async close() {
      server.close()
      for (const pair of pairs) for (const one of pair) one.destroy()
      await once(server, 'close')
    },
  }
}
