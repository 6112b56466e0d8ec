import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sequenceLog } from '../../../shared/flow/log/sequence-log.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { type EventStream, openStream } from '../../support/service/event-stream.ts'
import { signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Keys are looked at again soon, and nothing is signed: logs hold what the tests do and no more. */
const env = {
  SERVICE_HOSTED_ACCOUNTS: 'true',
  SERVICE_LOGIN_LIMIT: '1000',
  SERVICE_STREAM_CHECK_MS: '300',
  SERVICE_LOG_MS: '10',
}
let service: TestService
let tenant: TestTenant
let open: EventStream[] = []

beforeAll(async () => {
  service = await startService({ unsigned: true, env })
  tenant = await service.tenant()
})

afterEach(async () => {
  for (const stream of open) stream.close()
  await Promise.all(open.map(({ ended }) => ended))
  open = []
})

afterAll(() => service.close())

interface Follow {
  on?: TestService
  headers?: Record<string, string>
  path?: string
  lastEventId?: number | string
}

async function follow(key: string | null, more: Follow = {}): Promise<EventStream> {
  const { on = service, headers, path = '/v1/stream', lastEventId } = more
  const stream = await openStream(on.url, path, {
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    ...headers,
  })
  open.push(stream)
  if (stream.status === 200) await stream.until(() => stream.events.length > 0)
  return stream
}

const ready = (stream: EventStream) => stream.events[0]
const indexes = (stream: EventStream) => stream.leaves().map(({ index }) => index)
const upTo = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => from + at)

/** Size of a log once nothing waits for its place in it. */
async function logSize({ id }: { id: string }, { context }: TestService = service): Promise<number> {
  const settled = async () => {
    const [row] = await asReader<{ size: string; waiting: number }>(
      context.store,
      `select coalesce((select size from tenant_logs where tenant_id = '${id}'), 0)::text as size,
        (select count(*)::int4 from log_outbox where tenant_id = '${id}') as waiting`,
    )
    return row?.waiting === 0 ? Number(row.size) : null
  }
  await expect.poll(settled, { timeout: 10_000 }).not.toBeNull()
  return (await settled()) ?? 0
}

describe('a stream', () => {
  it('says where it begins, then every leaf once in its order with what it is about', async () => {
    const size = await logSize(tenant)
    const stream = await follow(tenant.agent)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(stream.headers['content-length']).toBeUndefined()
    expect(ready(stream)).toEqual({ id: size - 1, event: 'ready', data: { size } })
    const { action_id } = (await tenant.submit()).body
    await stream.until(() => stream.leaves().some(({ status }) => status === 'executed'))
    const leaves = stream.leaves()
    expect(leaves.map(({ kind, status }) => [kind, status])).toEqual([
      ['proposal_received', 'received'],
      ['verdict', 'execution_pending'],
      ['execution_attempt', 'executing'],
      ['execution', 'executed'],
    ])
    expect(indexes(stream)).toEqual(upTo(size, size + 4))
    const ids = stream.events.filter(({ event }) => event === 'leaf').map(({ id }) => id)
    expect(ids).toEqual(indexes(stream))
    for (const leaf of leaves) expect(leaf).toMatchObject({ stream: 'action', action_id })
    expect(leaves[0]?.principal.kind).toBe('agent')
  })

  it('names changes of the configuration, and says from time to time that it is there', async () => {
    const stream = await follow(tenant.approver)
    await service.call('POST', `/v1/tenants/${tenant.id}/freeze`, {
      admin: service.admin,
      json: { reason: 'of a test', system: 'elsewhere' },
    })
    await stream.until(() => stream.leaves().length > 0)
    const expected = { stream: 'config', action_id: null, kind: 'freeze', status: null }
    expect(stream.leaves()).toMatchObject([{ ...expected, principal: { kind: 'admin' } }])
    await stream.until(() => stream.events.some(({ event }) => event === 'comment'))
  })

  it('begins before the first leaf of a tenant that has none yet', async () => {
    const asleep = await startService({ unsigned: true, worker: null, env })
    try {
      const fresh = await asleep.tenant()
      const stream = await follow(fresh.agent, { on: asleep })
      expect(ready(stream)).toEqual({ id: -1, event: 'ready', data: { size: 0 } })
      stream.close()
      await stream.ended
      await sequenceLog(asleep.context, new Set())
      const size = await logSize(fresh, asleep)
      const again = await follow(fresh.agent, { lastEventId: -1, on: asleep })
      await again.until(() => again.leaves().length === size)
      expect(ready(again)).toEqual({ id: -1, event: 'ready', data: { size } })
      expect(indexes(again)).toEqual(upTo(0, size))
    } finally {
      await asleep.close()
    }
  })

  it('holds nothing of another tenant, however busy that is', async () => {
    const [mine, other] = await Promise.all([service.tenant(), service.tenant()])
    await Promise.all([logSize(mine), logSize(other)])
    const [stream, theirs] = [await follow(mine.agent), await follow(other.agent)]
    await Promise.all(upTo(0, 20).map(() => other.submit()))
    const { action_id } = (await mine.submit()).body
    await stream.until(() => stream.leaves().length >= 4)
    await theirs.until(() => theirs.leaves().length >= 80)
    expect(new Set(stream.leaves().map(leaf => leaf.action_id))).toEqual(new Set([action_id]))
    expect(theirs.leaves().some(leaf => leaf.action_id === action_id)).toBe(false)
  })

  it('ends at once where only its head is asked for, and takes no room', async () => {
    for (const _ of upTo(0, 6)) {
      const { status, headers, text } = await service.call('HEAD', '/v1/stream', { key: tenant.agent })
      expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', ''])
    }
    expect((await follow(tenant.agent)).status).toBe(200)
  })
})

describe('Last-Event-ID', () => {
  it.each(['', 'x', '-2', '01', '1.5', '1e3', '9'.repeat(16), '１'])('refuses %j', async lastEventId => {
    const headers = { 'last-event-id': Buffer.from(lastEventId).toString('latin1') }
    const { status, body } = await service.call('GET', '/v1/stream', { key: tenant.agent, headers })
    expect([status, body.code]).toEqual([400, 'invalid_header'])
  })

  it('continues without a gap at most 1,000 leaves back, beyond that with a reset', async () => {
    const busy = await service.tenant()
    await Promise.all(upTo(0, 510).map(() => busy.submit({ system: 'elsewhere' })))
    const size = await logSize(busy)
    expect(size).toBeGreaterThan(1_020)
    const near = await follow(busy.agent, { lastEventId: size - 1_001 })
    await near.until(() => near.leaves().length === 1_000)
    expect(ready(near)).toEqual({ id: size - 1_001, event: 'ready', data: { size } })
    expect(indexes(near)).toEqual(upTo(size - 1_000, size))
    for (const lastEventId of [size - 1_002, -1, size, 999_999_999]) {
      const far = await follow(busy.agent, { lastEventId })
      await far.until(() => far.events.length >= 2)
      expect(far.events.slice(0, 2)).toEqual([
        { id: null, event: 'ready', data: { size } },
        { id: size - 1, event: 'reset', data: { size } },
      ])
      far.close()
      await far.ended
    }
  })

  it('gives each leaf of a busy tenant exactly once over streams that end all the time', async () => {
    const on = await startService({ unsigned: true, env: { ...env, SERVICE_STREAM_MS_MAX: '100' } })
    try {
      const busy = await on.tenant()
      const begun = await logSize(busy, on)
      let streams = 0
      let last = begun - 1
      let wanted = Number.POSITIVE_INFINITY
      const seen: number[] = []
      const following = (async () => {
        while (last + 1 < wanted) {
          const stream = await follow(busy.agent, { on, lastEventId: last })
          await stream.ended
          seen.push(...indexes(stream))
          last = Math.max(last, ...stream.events.map(({ id }) => id ?? -1))
          streams += 1
        }
      })()
      for (const _ of upTo(0, 10)) await Promise.all(upTo(0, 10).map(() => busy.submit()))
      wanted = await logSize(busy, on)
      await following
      expect(wanted - begun).toBe(400)
      expect(seen).toEqual(upTo(begun, wanted))
      expect(streams).toBeGreaterThan(2)
    } finally {
      await on.close()
    }
  })
})

describe('who follows', () => {
  it('has five streams at once, and room again when one is closed', async () => {
    const { agent, approver } = await service.tenant()
    const five = await Promise.all(upTo(0, 5).map(() => follow(agent)))
    const { status, body, headers } = await service.call('GET', '/v1/stream', { key: agent })
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'too_many_streams', '1'])
    expect((await follow(approver)).status).toBe(200)
    five[0]?.close()
    await expect.poll(async () => (await follow(agent)).status).toBe(200)
  })

  it('is cut off when the key is revoked, and is told so when it comes again', async () => {
    const cut = await service.tenant()
    const stream = await follow(cut.agent)
    const [key_id] = cut.agent.split('.')
    const admin = service.admin
    await service.call('POST', `/v1/tenants/${cut.id}/api-keys/${key_id}/revoke`, { admin, json: {} })
    await stream.ended
    const { body } = await service.call('GET', '/v1/stream', { key: cut.agent })
    expect(body.code).toBe('key_revoked')
  })

  it('may be the owner until the session ends; others cannot see that it exists', async () => {
    const [owner, other] = await Promise.all([signUp(service.call), signUp(service.call)])
    const cookie = `service_session=${owner.browser.cookies.get('service_session')}`
    const stream = await follow(null, { path: owner.path('/stream'), headers: { cookie } })
    await service.call('POST', '/v1/actions', {
      key: owner.agent,
      json: {
        proposal_id: 'p',
        actor: { agent_id: 'a' },
        summary: 's',
        action: { target_system: 'none', operation: 'none', parameters: {} },
        risk: { level: 'low' },
      },
    })
    await stream.until(() => stream.leaves().some(({ status }) => status === 'denied'))
    const foreign = await other.browser.call('GET', owner.path('/stream'))
    expect([foreign.status, foreign.body.code]).toEqual([404, 'tenant_not_found'])
    await owner.browser.call('POST', '/v1/accounts/logout', { json: {} })
    await stream.ended
  })
})

describe('a decision that another process makes', () => {
  it('is seen within a second', async () => {
    const elsewhere = await startService({
      unsigned: true,
      worker: null,
      platform: true,
      database: service.database,
      env,
    })
    try {
      const stream = await follow(tenant.approver, { on: elsewhere })
      const took: number[] = []
      for (const _ of upTo(0, 10)) {
        const { action_id } = (await tenant.submit({ risk: 'high' })).body
        const begun = performance.now()
        await tenant.reject(action_id)
        await stream.until(() =>
          stream.leaves().some(leaf => leaf.action_id === action_id && leaf.kind === 'rejection'),
        )
        took.push(performance.now() - begun)
      }
      const median = took.sort((one, another) => one - another)[5]
      expect(median).toBeLessThan(1_000)
    } finally {
      await elsewhere.close()
    }
  })
})

describe('when the service ends', () => {
  it('streams end at once', async () => {
    const ending = await startService({ unsigned: true, env })
    const { agent } = await ending.tenant()
    const streams = await Promise.all(upTo(0, 3).map(() => follow(agent, { on: ending })))
    const begun = performance.now()
    await ending.close()
    expect(performance.now() - begun).toBeLessThan(3_000)
    await Promise.all(streams.map(({ ended }) => ended))
    expect(ending.logged()).not.toContain('unexpected error')
  })
})
