import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateQueue, openQueue, openWorker } from '../../../shared/runtime/queue/wake-up-queue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'

/** A relay to the socket of PostgreSQL whose connections can be frozen: they stay open, and nothing passes any more. */
interface Relay {
  port: number
  freeze(): number
  close(): Promise<void>
}

let database: FreshDatabase
let relay: Relay
beforeAll(async () => {
  database = await freshDatabase()
  relay = await startRelay(join(database.host, '.s.PGSQL.5432'))
})
afterAll(async () => {
  await relay.close()
  await database.drop()
})

it('a worker whose connection is half open hears of jobs again', async () => {
  const login = { user: database.runtimeUser, database: database.database }
  const owner = { host: database.host, user: database.superuser, database: database.database }
  await migrateQueue(owner)
  const direct = openQueue({ postgres: { ...login, host: database.host }, owner, prefix: 'half-open' })
  const heard = new Map<string, () => void>()
  const { worker, disconnect } = openWorker(
    {
      postgres: { connectionString: `postgres://${login.user}@127.0.0.1:${relay.port}/${login.database}` },
      owner,
      prefix: 'half-open',
    },
    async ({ name }) => heard.get(name)?.(),
    { drainDelay: 30 },
  )
  worker.on('error', () => undefined)
  let made = 0
  const isHeard = async (): Promise<boolean> => {
    const name = `job-${++made}`
    const ringing = new Promise<true>(resolve => heard.set(name, () => resolve(true)))
    await direct.queue.add(name, {}, { removeOnComplete: true })
    return Promise.race([ringing, new Promise<false>(resolve => setTimeout(resolve, 1_000, false))])
  }
  await expect.poll(isHeard).toBe(true)
  expect(relay.freeze()).toBeGreaterThan(0)
  expect(await isHeard()).toBe(false)
  await expect.poll(isHeard, { timeout: 20_000 }).toBe(true)
  await worker.close(true)
  await disconnect()
  await direct.queue.close()
  await direct.disconnect()
}, 40_000)

async function startRelay(path: string): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer(near => {
    const pair = [near, connect(path)] as const
    const [, far] = pair
    pairs.add(pair)
    near.pipe(far).pipe(near)
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
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        // It takes what is sent, and answers nothing.
        near.resume()
      }
      return pairs.size
    },
    async close() {
      server.close()
      for (const pair of pairs) for (const one of pair) one.destroy()
      await once(server, 'close')
    },
  }
}
