import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../../support/servers/proxy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_APPROVE_WAIT_MS: '0' },
    worker: null,
  })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

/** The fewest of some requests, one after the other: what the service asks for itself meanwhile only adds to one. */
async function fewest(requests: readonly (() => Promise<{ status: number }>)[]): Promise<number> {
  const counts: number[] = []
  for (const request of requests) {
    const before = proxy.roundTrips()
    expect((await request()).status).toBeLessThan(300)
    counts.push(proxy.roundTrips() - before)
  }
  return Math.min(...counts)
}

it('a lone proposal takes one round trip, and a lone decision takes three', async () => {
  const ids: string[] = []
  const hold = async () => {
    const { status, body } = await tenant.submit({ risk: 'high' })
    ids.push(body.action_id)
    return { status }
  }
  expect(await fewest(Array.from({ length: 20 }, () => hold))).toBe(1)
  expect(await fewest(ids.slice(0, 10).map(id => () => tenant.approve(id)))).toBe(3)
  expect(await fewest(ids.slice(10).map(id => () => tenant.reject(id)))).toBe(3)
})
