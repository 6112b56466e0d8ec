import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrateQueue } from '../../shared/runtime/queue/postgres-backend.ts'
import { openQueue } from '../../shared/runtime/queue/wake-up-queue.ts'
import { postgresAddress } from '../../shared/runtime/settings/postgres-address.ts'
import { connect, connectPool } from '../../shared/store/postgres/location.ts'
import { selfSigned } from '../support/fixtures/self-signed.ts'
import { startPlatform } from '../support/platform/platform.ts'
import { type PostgresServer, startPostgresServer } from '../support/servers/postgres-program.ts'

let server: PostgresServer
let authority: string
beforeAll(async () => {
  server = await startPostgresServer({ certificate: selfSigned })
  authority = join(server.directory, 'authority.pem')
  await writeFile(authority, selfSigned.cert)
  await server.sql.unsafe(`alter role postgres password 'of-the-test'`)
  await server.sql.unsafe('create database gate')
})
afterAll(() => server.stop())

/** The certificate is for `localhost`, and 127.0.0.1 is another name of the same server. */
const url = (host: string, parameters: string) =>
  `postgres://postgres:of-the-test@${host}:${server.port}/gate${parameters && `?${parameters}`}`

/** Each driver asks the server whether its own connection has TLS. */
const drivers = {
  async 'postgres.js'(address: string): Promise<unknown> {
    const sql = connect({ url: address }, {}, 1)
    const rows = sql.unsafe(isProtected).finally(() => sql.end({ timeout: 1 }))
    return (await rows)[0]?.ssl
  },
  async 'node-postgres'(address: string): Promise<unknown> {
    const pool = connectPool({ url: address }, {}, { size: 1, statementMsMax: 5_000 })
    const answered = pool.query(isProtected).finally(() => pool.end())
    return (await answered).rows[0]?.ssl
  },
}
const isProtected = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'

/** In the parameters below, the certificate of the server as the authority that is known. */
const known = 'sslrootcert=KNOWN'
const withKnown = (parameters: string) => parameters.replace('KNOWN', encodeURIComponent(authority))
const refused = /certificate|altnames|self-signed/i

describe.each(Object.entries(drivers))('a URL of Postgres, with %s,', (_, ask) => {
  it.each<[string, string, string, boolean | RegExp]>([
    ['without sslmode has no TLS', 'localhost', '', false],
    ['with disable has no TLS', 'localhost', 'sslmode=disable', false],
    ['with require and its authority has TLS', 'localhost', `sslmode=require&${known}`, true],
    ['with verify-full and its authority has TLS', 'localhost', `sslmode=verify-full&${known}`, true],
    ['with an authority alone has TLS', 'localhost', known, true],
    ['with require takes no unknown authority', 'localhost', 'sslmode=require', refused],
    ['with the authorities of Node alone takes no other', 'localhost', 'sslrootcert=system', refused],
    ['with require takes no other name', '127.0.0.1', `sslmode=require&${known}`, refused],
    ['with verify-full takes no other name', '127.0.0.1', `sslmode=verify-full&${known}`, refused],
  ])('%s', async (_, host, parameters, expected) => {
    const asked = ask(url(host, withKnown(parameters)))
    if (typeof expected === 'boolean') expect(await asked).toBe(expected)
    else await expect(asked).rejects.toThrow(expected)
  })
})

it('a whole platform works where Postgres and Redis speak TLS alone', async () => {
  const redis = await protect(inject('redisUrl'))
  const platform = await startPlatform(`rediss://localhost:${redis.port}`, {
    DATABASE_URL: url('localhost', withKnown(`sslmode=require&${known}`)),
    NODE_EXTRA_CA_CERTS: authority,
  })
  try {
    const api = await platform.startApi()
    await platform.startWorker()
    const { body } = await api.client.submit({ proposal_id: 'by-tls', system: 'ledger_plain', risk: 'low' })
    await expect
      .poll(async () => (await api.client.trace(body.action_id)).body.status, { timeout: 30_000 })
      .toBe('executed')
    expect((await api.client.ready()).body).toMatchObject({
      status: 'ready',
      checks: { database: 'ok', queue: 'ok' },
    })
    const open = await server.sql`
      select count(*)::int4 as count from pg_stat_activity join pg_stat_ssl using (pid)
      where datname = 'gate' and not ssl and backend_type = 'client backend'`
    expect(open).toEqual([{ count: 0 }])
  } finally {
    await platform.stop()
    await redis.close()
  }
}, 120_000)

it('a queue in Postgres has the same TLS', async () => {
  const place = postgresAddress(url('localhost', withKnown(`sslmode=verify-full&${known}`)))
  await migrateQueue(place)
  const { queue, disconnect } = openQueue({ postgres: place, owner: place, prefix: 'tls' })
  expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 0 })
  const [counted] = await server.sql`
    select count(*) filter (where ssl)::int4 as with, count(*) filter (where not ssl)::int4 as without
    from pg_stat_activity join pg_stat_ssl using (pid) where datname = 'gate'`
  expect(counted).toMatchObject({ without: 0 })
  expect(counted?.with).toBeGreaterThan(0)
  await queue.close()
  await disconnect()
})

/** A proxy that ends TLS in front of a Redis, as hosted ones have it. */
async function protect(redisUrl: string): Promise<{ port: number; close(): Promise<void> }> {
  const { hostname, port } = new URL(redisUrl)
  const proxy: Server = createServer(selfSigned, near => {
    const far = connectTo(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    async close() {
      proxy.close()
    },
  }
}
