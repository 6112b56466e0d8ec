import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Platform, startPlatform } from '../support/platform/platform.ts'
import { eventually, forEachOf } from '../support/platform/platform-waiting.ts'
import { startRedisServer } from '../support/servers/redis.ts'
import type { PrivateRedis } from '../support/servers/redis-program.ts'

const answerMsMax = 2_000
/** Beside the sweep interval: what a busy machine may need to run what is due. */
const runMsMax = 5_000

let redis: PrivateRedis
let platform: Platform

async function start(environment: Record<string, string>): Promise<void> {
  redis = await startRedisServer()
  platform = await startPlatform(redis.url, environment)
}
beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))
afterEach(async () => {
  await platform.stop()
  await redis.stop()
})

/** What can happen to Redis; none of it lasts less than its test. */
const losses: [string, () => Promise<unknown>][] = [
  ['killed', () => redis.kill()],
  ['frozen', () => withRedis(queue => queue.client('PAUSE', 120_000, 'ALL'))],
]

it.each(losses)(
  'with Redis %s, proposals are accepted as quickly and executed within a sweep',
  async (loss, lose) => {
    await start({ SERVICE_SWEEP_MS: '1000' })
    const [{ client }] = await Promise.all([platform.startApi(), platform.startWorker()])
    await client.submit({ proposal_id: 'before', system: 'ledger_keyed' })
    await lose()
    const answers = await forEachOf(numbered(200), 8, id =>
      client.submit({ proposal_id: id, system: 'ledger_keyed' }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const slowest = answers.map(({ ms }) => Math.round(ms)).sort((left, right) => right - left)
    const p99 = slowest[Math.floor(slowest.length / 100)]
    process.stderr.write(`POST with Redis ${loss}: p99 ${p99} ms, slowest ${slowest[0]} ms\n`)
    expect(slowest[0]).toBeLessThan(answerMsMax)
    expect(await client.ready()).toMatchObject({ status: 200, body: { status: 'degraded' } })
    await expect.poll(unfinished, { timeout: 1_000 + runMsMax }).toEqual([])
    expect(timesCalled()).toEqual({ once: 201, more: 0 })
  },
  60_000,
)

it('once Redis is back, readiness says so though nobody submits', async () => {
  await start({})
  const { client } = await platform.startApi()
  const status = async () => (await client.ready()).body.status
  await redis.kill()
  await client.submit({ proposal_id: 'meanwhile', system: 'ledger_keyed' })
  await expect.poll(status, { timeout: 10_000 }).toBe('degraded')
  await redis.restart()
  await expect.poll(status, { timeout: 10_000 }).toBe('ready')
}, 60_000)

it('after Redis came back, empty, the doorbell rings again by itself', async () => {
  await start({ SERVICE_SWEEP_MS: '600000' })
  const [{ client }] = await Promise.all([platform.startApi(), platform.startWorker()])
  await client.submit({ proposal_id: 'before', system: 'ledger_keyed' })
  await expect.poll(unfinished, { timeout: runMsMax }).toEqual([])
  await redis.kill()
  await forEachOf(numbered(20), 4, id => client.submit({ proposal_id: id, system: 'ledger_keyed' }))
  await redis.restart()
  await eventually('a ring gets through', async () => (await client.ready()).body.status === 'ready' || null)
  await client.submit({ proposal_id: 'after', system: 'ledger_keyed' })
  await expect.poll(unfinished, { timeout: 10_000 }).toEqual([])
  expect(timesCalled()).toEqual({ once: 22, more: 0 })
}, 60_000)

it('FLUSHALL loses no work that waits, now or for its retry', async () => {
  await start({
    SERVICE_SWEEP_MS: '500',
    SERVICE_WORKER_CONCURRENCY: '1',
    SERVICE_RETRY_MS_MIN: '3000',
  })
  const [{ client }] = await Promise.all([platform.startApi(), platform.startWorker()])
  await withRedis(async queue => {
    const later = { behave: 'retry', attempts: 1 } as const
    await client.submit({ proposal_id: 'later', system: 'ledger_plain', parameters: later })
    const delayed = async () => (await queue.keys('*:execution:delayed')).length
    await expect.poll(delayed, { timeout: runMsMax }).toBe(1)
    await client.submit({ proposal_id: 'now', system: 'ledger_plain', parameters: { until: 'flushed' } })
    await expect.poll(() => platform.ledger().length, { timeout: runMsMax }).toBe(2)
    await forEachOf(numbered(20), 4, id => client.submit({ proposal_id: id, system: 'ledger_plain' }))
    expect(await queue.dbsize()).toBeGreaterThan(0)
    await queue.flushall()
    expect(platform.ledger()).toHaveLength(2)
  })
  await platform.release('flushed')
  await expect.poll(unfinished, { timeout: 3_600 + 500 + runMsMax }).toEqual([])
  await client.submit({ proposal_id: 'after', system: 'ledger_plain' })
  await expect.poll(unfinished, { timeout: 500 + runMsMax }).toEqual([])
  expect(timesCalled()).toEqual({ once: 22, more: 1 })
}, 60_000)

async function withRedis(work: (queue: Redis) => Promise<unknown>): Promise<void> {
  const queue = new Redis(redis.url)
  try {
    await work(queue)
  } finally {
    queue.disconnect()
  }
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `p-${n}`)
}

/** Proposals that are not executed yet, with their status. */
async function unfinished(): Promise<string[]> {
  const rows = await platform.sql<{ told: string }[]>`
    select proposal_id || ' ' || status as told from action_gate.actions where status <> 'executed'`
  return rows.map(({ told }) => told)
}

/** How many actions were called once, and how many more than once. */
function timesCalled(): { once: number; more: number } {
  const calls = new Map<string, number>()
  for (const { action_id } of platform.ledger()) calls.set(action_id, (calls.get(action_id) ?? 0) + 1)
  const once = [...calls.values()].filter(times => times === 1).length
  return { once, more: calls.size - once }
}
