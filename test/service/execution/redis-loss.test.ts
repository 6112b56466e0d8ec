import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startRedisServer } from '../../support/servers/redis.ts'
import type { PrivateRedis } from '../../support/servers/redis-program.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

let redis: PrivateRedis
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  redis = await startRedisServer()
  service = await startService({ platform: true, env: { REDIS_URL: redis.url } })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await redis.stop()
})

function ready() {
  return service.call('GET', '/v1/ready')
}

describe('in platform mode', () => {
  it('a submission is answered 202 at once, and executed', async () => {
    const { status, body } = await tenant.submit()
    expect({ status, now: body.action_status }).toEqual({ status: 202, now: 'execution_pending' })
    expect((await tenant.settled(body.action_id)).status).toBe('executed')
  })

  it('waits where the caller asks for it, and an approval waits by itself', async () => {
    expect((await tenant.submit({}, { prefer: 'wait=10' })).body.action_status).toBe('executed')
    const held = await tenant.submit({ risk: 'high' })
    expect((await tenant.approve(held.body.action_id)).body.action_status).toBe('executed')
  })
})

describe('when Redis is lost', () => {
  it('accepting goes on, execution catches up, and readiness says degraded', async () => {
    await redis.kill()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        service.call<Verdict>('POST', '/v1/actions', { key: tenant.agent, json: proposal() }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202))
    for (const { body } of answers) expect((await tenant.settled(body.action_id)).status).toBe('executed')
    await expect
      .poll(async () => (await ready()).body)
      .toEqual({
        status: 'degraded',
        checks: { database: 'ok', queue: 'down' },
      })
    expect((await ready()).status).toBe(200)
  })

  it('afterwards it is ready again by itself, and everything has run once', async () => {
    await redis.restart()
    await expect
      .poll(async () => (await tenant.submit()) && (await ready()).body.status, { timeout: 15_000 })
      .toBe('ready')
    const [row] = await asReader(
      service.context.store,
      `select count(*)::int4 as attempts, count(distinct action_id)::int4 as actions
      from action_events where kind = 'execution_attempt'`,
    )
    expect(row?.attempts).toBe(row?.actions)
  })
})
