import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { canary } from '../support/audit/kept-logs.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** Redis is believed in nothing: what it holds says little, and what is put there decides nothing. */
let service: TestService
let redis: Redis
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ platform: true })
  redis = new Redis(inject('redisUrl'))
  tenant = await service.tenant()
})

afterAll(async () => {
  await redis.quit()
  await service.close()
})

const prefix = () => service.context.config.queue_prefix

/** Everything below the prefix of this service, as text. */
async function everythingInRedis(): Promise<string> {
  const texts: string[] = []
  for await (const keys of redis.scanStream({ match: `${prefix()}*`, count: 500 })) {
    for (const key of keys as string[]) texts.push(key, (await readKey(key)) ?? '')
  }
  return texts.join('\n')
}

async function readKey(key: string): Promise<string | null> {
  const kind = await redis.type(key)
  if (kind === 'string') return redis.get(key)
  if (kind === 'hash') return JSON.stringify(await redis.hgetall(key))
  if (kind === 'list') return JSON.stringify(await redis.lrange(key, 0, -1))
  if (kind === 'zset') return JSON.stringify(await redis.zrange(key, 0, '-1'))
  if (kind === 'stream') return JSON.stringify(await redis.xrange(key, '-', '+'))
  return JSON.stringify(await redis.smembers(key))
}

it('holds names of wake-ups and counts by key or address: no parameter, no tenant', async () => {
  const waiting = await startService({ platform: true, worker: null })
  try {
    const here = await waiting.tenant()
    const note = canary('in-redis')
    const { action_id } = (await here.submit({ parameters: { note }, summary: note })).body
    const match = `${waiting.context.config.queue_prefix}:*:${action_id}*`
    await expect.poll(() => redis.keys(match)).not.toEqual([])
    const [ring = ''] = await redis.keys(match)
    expect(JSON.parse((await redis.hget(ring, 'data')) ?? '')).toEqual({
      job_id: expect.stringMatching(new RegExp(`^${action_id}-\\d+$`)),
    })
    const keys = await redis.keys(`${waiting.context.config.queue_prefix}*`)
    const texts = (await Promise.all(keys.map(readKey))).join('\n') + keys.join('\n')
    for (const secret of [note, here.id, here.agent.split('.')[1] ?? '?', here.agent]) {
      expect(texts).not.toContain(secret)
    }
  } finally {
    await waiting.close()
  }
})

it('a forged message executes nothing, whatever it says', async () => {
  const { action_id } = (await tenant.submit({ risk: 'high' })).body
  const queue = new Queue('execution', { connection: redis.duplicate(), prefix: prefix() })
  const forged = [
    { job_id: `${action_id}-1` },
    { job_id: action_id, action_id, tenant_id: tenant.id, status: 'execution_pending', approved: true },
    { action: { target_system: 'crm', operation: 'wipe', parameters: {} } },
    'nonsense',
  ]
  try {
    await queue.addBulk(forged.map((data, at) => ({ name: 'due', data, opts: { jobId: `forged-${at}` } })))
    await expect.poll(() => queue.getWaitingCount()).toBe(0)
    await expect.poll(() => queue.getActiveCount()).toBe(0)
  } finally {
    await queue.close()
  }
  const { status, events } = await tenant.trace(action_id)
  expect(status).toBe('pending_approval')
  expect(events.map(({ kind }) => kind)).toEqual(['proposal_received', 'verdict'])
  expect((await tenant.submit({}, { prefer: 'wait=10' })).body.action_status).toBe('executed')
  expect(await everythingInRedis()).not.toContain(tenant.agent.split('.')[1])
})
