import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRedisServer } from '../support/servers/redis.ts'
import type { PrivateRedis } from '../support/servers/redis-program.ts'
import { startService, type TestService } from '../support/service/service.ts'

const limit = 5
let redis: PrivateRedis
let one: TestService
let two: TestService

beforeAll(async () => {
  redis = await startRedisServer()
  const env = { REDIS_URL: redis.url, SERVICE_RATE_LIMIT: String(limit) }
  one = await startService({ platform: true, worker: null, env })
  two = await startService({ platform: true, worker: null, env, database: one.database })
})

afterAll(async () => {
  await two.close()
  await one.close()
  await redis.stop()
})

/** How many requests of a new key get through, out of more than its limit at each process in turn. */
async function admitted(): Promise<{ one: number; two: number }> {
  const { agent } = await one.tenant()
  const through = { one: 0, two: 0 }
  for (let at = 0; at < 2 * limit; at += 1) {
    for (const [name, service] of [['one', one] as const, ['two', two] as const]) {
      const { status } = await service.call('GET', '/v1/actions', { key: agent })
      if (status === 200) through[name] += 1
      else expect(status).toBe(429)
    }
  }
  return through
}

const total = ({ one: first, two: second }: { one: number; two: number }) => first + second

it('is counted by each process alone without Redis, never lifted, then shared again', async () => {
  expect(total(await admitted())).toBe(limit)
  await redis.kill()
  expect(await admitted()).toEqual({ one: limit, two: limit })
  await redis.restart()
  await expect.poll(async () => total(await admitted()), { timeout: 20_000, interval: 500 }).toBe(limit)
})
