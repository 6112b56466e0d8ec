import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Doorbell, openDoorbell } from '../../../shared/runtime/queue/doorbell.ts'
import { createEvents } from '../../../shared/runtime/telemetry/events.ts'
import { createLogger } from '../../../shared/runtime/telemetry/logger.ts'
import { publishLog } from '../../support/audit/kept-logs.ts'
import { startRedisServer } from '../../support/servers/redis.ts'
import type { PrivateRedis } from '../../support/servers/redis-program.ts'

let redis: PrivateRedis
let operator: Redis
let bell: Doorbell
let events: ReturnType<typeof createEvents>

beforeEach(async () => {
  redis = await startRedisServer()
  operator = new Redis(redis.url)
  events = createEvents(createLogger('info', publishLog('doorbell')), 1_000)
  bell = openDoorbell({ redisUrl: redis.url, prefix: 'bell' }, events)
})

afterEach(async () => {
  await bell.close()
  operator.disconnect()
  await redis.stop()
})

async function lost(): Promise<number> {
  return Number(/^action_gate_wake_ups_lost_total (\d+)$/m.exec(await events.registry.metrics())?.[1])
}

const givenMax = 20_000

it('a frozen Redis keeps a bounded number of wake-ups, and later they work again', async () => {
  bell.ring([{ id: 'before', delayMs: 0 }])
  await expect.poll(async () => (await bell.depth())?.waiting, { timeout: 10_000 }).toBe(1)
  await operator.client('PAUSE', 600_000, 'WRITE')
  bell.ring([{ id: 'frozen', delayMs: 0 }])
  await expect.poll(bell.state, { timeout: 10_000 }).toBe('down')
  const before = await lost()
  for (let n = 0; n < givenMax; n += 50) {
    bell.ring(Array.from({ length: 50 }, (_, of) => ({ id: `later-${n + of}`, delayMs: 600_000 })))
    bell.ring([{ id: `now-${n}`, delayMs: 0 }])
  }
  await expect.poll(async () => (await lost()) - before, { timeout: 10_000 }).toBe(givenMax - 1_000)
  await operator.client('UNPAUSE')
  await expect.poll(bell.state, { timeout: 10_000 }).toBe('ok')
  await expect.poll(async () => (await bell.depth())?.delayed, { timeout: 10_000 }).toBe(1_000)
}, 60_000)
