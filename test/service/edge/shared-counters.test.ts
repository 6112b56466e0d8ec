import type { Options } from 'express-rate-limit'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSharedCounters } from '../../../shared/runtime/queue/rate-store.ts'
import { startRedisServer } from '../../support/servers/redis.ts'

let redis: Awaited<ReturnType<typeof startRedisServer>>
let probe: Redis
let ends: (() => unknown)[] = []
let counted = 0

/** In which no token comes back while a test runs. */
const day = 86_400_000

beforeEach(async () => {
  redis = await startRedisServer()
  probe = new Redis(redis.url)
  ends = [redis.stop, () => probe.disconnect()]
})

afterEach(async () => {
  for (const end of ends.reverse()) await end()
})

/** A store of one more process. */
async function process(limit: number, windowMs = day) {
  const counters = openSharedCounters(redis.url, `test-${limit}`, () => performance.now())
  ends.push(() => counters.close())
  const store = counters.store('requests')
  await store.init?.({ limit, windowMs } as Options)
  const warmUp = `warm-up-${counted++}`
  const reached = async () => {
    await store.increment(warmUp)
    return probe.exists(`test-${limit}:limit:requests:${warmUp}`)
  }
  await expect.poll(reached, { timeout: 5_000 }).toBe(1)
  return {
    ask: async (key: string) => store.increment(key),
    count: async (key: string) => (await store.increment(key)).totalHits,
    giveBack: (key: string) => store.decrement(key),
  }
}

test('two processes give out the numbers of one count, each once', async () => {
  const [one, other] = [await process(20), await process(20)]
  const counted = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 ? one : other).count('key')),
  )
  const refused = Array.from({ length: 20 }, () => 21)
  expect(counted.sort((a, b) => a - b)).toEqual([
    ...Array.from({ length: 20 }, (_, at) => at + 1),
    ...refused,
  ])
})

test('far from a high limit a count is given at once, and is the same in the end', async () => {
  const [one, other] = [await process(1_000), await process(1_000)]
  await one.count('key')
  const counted = await Promise.all(Array.from({ length: 100 }, () => one.count('key')))
  expect(counted.at(-1)).toBe(101)
  const told = async () => {
    const fullInMs = Number(await probe.get('test-1000:limit:requests:key')) - Date.now()
    return Math.round(fullInMs / (day / 1_000))
  }
  await expect.poll(told).toBe(101)
  expect(await other.count('key')).toBe(102)
})

test('near a high limit the numbers are exact again', async () => {
  const [one, other] = [await process(100), await process(100)]
  const counted = await Promise.all(Array.from({ length: 60 }, () => one.count('key')))
  expect(counted.at(-1)).toBe(60)
  const more = await Promise.all(Array.from({ length: 60 }, (_, at) => (at % 2 ? one : other).count('key')))
  expect(more.filter(number => number <= 100)).toHaveLength(40)
})

test('one that is given back is free again', async () => {
  const one = await process(3)
  await one.count('key')
  await one.count('key')
  await one.giveBack('key')
  expect(await one.count('key')).toBe(2)
})

test('one that is given back to a bucket that is full is none', async () => {
  const one = await process(3)
  await one.count('key')
  await probe.del('test-3:limit:requests:key')
  await one.giveBack('key')
  expect(await probe.exists('test-3:limit:requests:key')).toBe(0)
  expect(await one.count('key')).toBe(1)
})

test('a bucket is full again after its window', async () => {
  const one = await process(3, 200)
  await one.count('key')
  await expect.poll(() => one.count('key'), { interval: 250 }).toBe(1)
})

test('who is refused takes no token, and is told when the next one is there', async () => {
  const one = await process(3, 60_000)
  for (let at = 0; at < 3; at += 1) await one.count('key')
  for (let at = 0; at < 5; at += 1) {
    const { totalHits, resetTime } = await one.ask('key')
    expect(totalHits).toBe(4)
    expect(Number(resetTime) - Date.now()).toBeLessThanOrEqual(20_000)
    expect(Number(resetTime) - Date.now()).toBeGreaterThan(0)
  }
})

test('without Redis each process counts alone', async () => {
  const one = await process(5)
  await one.count('key')
  await redis.stop()
  probe.disconnect()
  ends = ends.slice(2)
  const counted = [await one.count('key'), await one.count('key'), await one.count('key')]
  expect(counted).toEqual([1, 2, 3])
})
