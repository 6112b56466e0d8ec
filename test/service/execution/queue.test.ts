import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { FreezeState } from '../../../shared/contract/configuration/freeze-schema.ts'
import type { QueuedJob, QueueSample, QueueSnapshot } from '../../../shared/contract/service-state-schema.ts'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { startRedisServer } from '../../support/servers/redis.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

interface Jobs {
  jobs: QueuedJob[]
  next_cursor: string | null
}

const get = <Body>(service: TestService, path: string) =>
  service.call<Body>('GET', path, { admin: service.admin })
const snapshotOf = async (service: TestService) => (await get<QueueSnapshot>(service, '/v1/queue')).body

describe('a queue in which everything is stuck', () => {
  let service: TestService
  let tenant: TestTenant
  let other: TestTenant
  const jobsOf = async (query: string) => (await get<Jobs>(service, `/v1/queue/jobs?${query}`)).body
  /** Ids of the actions of `tenant` by what became of them. */
  const ids: Record<string, string> = {}

  /** One call of an actuator at a time, no second sweep, look or renewal of a lease: what is stuck stays so. */
  beforeAll(async () => {
    service = await startService({
      env: {
        SERVICE_SUBMIT_WAIT_MS: '0',
        SERVICE_SWEEP_MS: '600000',
        SERVICE_LEASE_MS: '600000',
        SERVICE_RETRY_MS_MIN: '600000',
        SERVICE_RETRY_MS_MAX: '600000',
        SERVICE_RECONCILE_MS_MIN: '600000',
        SERVICE_ACTUATOR_IN_FLIGHT_MAX: '1',
        SERVICE_SHUTDOWN_MS_MAX: '200',
      },
    })
    const actuators = [
      { name: 'slow', kind: 'mock' as const, settings: { delay_ms: 30_000 } },
      {
        name: 'unclear',
        kind: 'mock' as const,
        settings: { outcome: 'unknown' as const, idempotency: 'none' as const },
      },
      { name: 'busy', kind: 'mock' as const, settings: { outcome: 'retry' as const } },
      { name: 'crm', kind: 'mock' as const, settings: {} },
    ]
    const policy = {
      allowed_systems: actuators.map(({ name }) => name),
      approval_required_at: 'medium' as const,
      review_route: 'leads',
    }
    ;[tenant, other] = await Promise.all([
      service.tenant({ policy, actuators }),
      service.tenant({ policy, actuators }),
    ])
    await pause(tenant)
    for (const [name, system, state] of [
      ['leased', 'slow', 'leased'],
      ['due', 'slow', 'pending'],
      ['unknown', 'unclear', 'unknown'],
      ['asking', 'unclear', 'unknown'],
      ['later', 'busy', 'pending'],
      ['stopped', 'crm', 'pending'],
    ] as const) {
      ids[name] = (await tenant.submit({ system })).body.action_id
      const attempted = name === 'due' || name === 'stopped' ? 0 : 1
      await vi.waitFor(
        async () =>
          expect((await tenant.trace(ids[name] ?? '')).job).toMatchObject({ state, attempt: attempted }),
        { timeout: 10_000 },
      )
    }
    ids.held = (await tenant.submit({ system: 'crm', risk: 'high' })).body.action_id
    await asSuperuser(
      service.database,
      `update action_gate.execution_jobs set needs_operator = true where action_id = '${ids.asking}'`,
      `update action_gate.execution_jobs set next_run_at = now() - interval '2 hours' where action_id = '${ids.due}'`,
      `insert into action_gate.workers (worker_id, started_at, seen_at) values ('wrk_gone', now() - interval '3 hours', now() - interval '2 hours')`,
    )
  })

  afterAll(() => service.close())

  const pause = ({ id }: TestTenant) =>
    service.call('POST', `/v1/tenants/${id}/pause`, {
      admin: service.admin,
      json: { reason: 'the CRM is being moved', system: 'crm' },
    })

  it('is told by state, with the oldest of each', async () => {
    const { at, jobs, overdue_ms, ...rest } = await snapshotOf(service)
    expect(jobs).toEqual({
      due: 2,
      overdue: 1,
      later: 1,
      leased: 1,
      lease_expired: 0,
      unknown: 1,
      needs_operator: 1,
      stopped: 1,
    })
    expect(overdue_ms).toBe(1_800_000)
    expect(Date.parse(at) - Date.parse(rest.oldest_due_at ?? '')).toBeGreaterThan(7_000_000)
    const { events } = await tenant.trace(ids.unknown ?? '')
    expect(rest.oldest_unknown_at).toBe(events.at(-1)?.at)
    const { created_at } = await tenant.trace(ids.held ?? '')
    expect(rest.approvals).toMatchObject({ held: 1, oldest_at: created_at })
    expect(Date.parse(rest.approvals.next_expiry_at ?? '')).toBeGreaterThan(Date.parse(at))
  })

  it('is told with the errors after which jobs wait, and with the calls under way', async () => {
    const { retries, calls, failures } = await snapshotOf(service)
    expect(retries).toEqual([{ target_system: 'busy', code: 'mock_retry', count: 1 }])
    expect(calls).toEqual([
      { target_system: 'slow', count: 1, deadline_used: expect.any(Number), oldest_ms: expect.any(Number) },
    ])
    expect(calls[0]?.deadline_used).toBeCloseTo((calls[0]?.oldest_ms ?? 0) / 30_000, 2)
    expect(failures).toEqual([])
    const used = async () => (await snapshotOf(service)).calls[0]?.deadline_used
    await expect.poll(used).toBeGreaterThan(calls[0]?.deadline_used ?? 1)
  })

  it('is told with its workers, last seen first, and what they hold', async () => {
    const { workers } = await snapshotOf(service)
    expect(workers).toMatchObject([
      { worker_id: expect.stringMatching(/^wrk_/), alive: true, leases: 1 },
      { worker_id: 'wrk_gone', alive: false, leases: 0 },
    ])
  })

  it('is told with what is frozen, the doorbell and the logs', async () => {
    await expect
      .poll(async () => (await snapshotOf(service)).audit_log)
      .toMatchObject({
        waiting: 0,
        oldest_waiting_at: null,
        unsigned_logs: 0,
        last_signed_at: expect.any(String),
        signing_keys: 1,
      })
    const { doorbell, freezes } = await snapshotOf(service)
    expect(freezes).toMatchObject([
      { tenant_id: tenant.id, effect: 'pause', system: 'crm', reason: 'the CRM is being moved' },
    ])
    expect(doorbell).toMatchObject({ waiting: 0, delayed: 1, failed: 0 })
  })

  it('tells four denials in a row with their reason, and no row that was broken', async () => {
    const denials = async () => (await snapshotOf(service)).denials
    const ask = (system: string) => tenant.submit({ system, operation: 'write' })
    for (const _ of [1, 2, 3]) await ask('mail')
    await ask('files')
    expect(await denials()).toEqual([])
    const { action_id } = (await ask('mail')).body
    expect(await denials()).toMatchObject([
      {
        tenant_id: tenant.id,
        agent_id: expect.any(String),
        target_system: 'mail',
        operation: 'write',
        code: 'system_not_allowed',
        count: 4,
        latest_action_id: action_id,
      },
    ])
    await asSuperuser(
      service.database,
      'set session_replication_role = replica',
      `update action_gate.actions set status = 'executed' where action_id = '${action_id}'`,
    )
    expect(await denials()).toEqual([])
  })

  it('a lease that has run out is told', async () => {
    const expire = (when: string) =>
      asSuperuser(
        service.database,
        `update action_gate.execution_jobs set lease_expires_at = now() ${when} where action_id = '${ids.leased}'`,
      )
    await expire("- interval '1 second'")
    expect((await snapshotOf(service)).jobs).toMatchObject({ leased: 1, lease_expired: 1 })
    await expire("+ interval '1 hour'")
  })

  it.each([
    ['due', ['due', 'stopped'], { state: 'pending', attempt: 0, lease_owner: null }],
    ['stopped', ['stopped'], { state: 'pending', stopped: true, target_system: 'crm' }],
    ['later', ['later'], { state: 'pending', stopped: false, attempt: 1, last_error: 'mock_retry' }],
    ['leased', ['leased'], { state: 'leased', lease_owner: expect.stringMatching(/^wrk_/) }],
    ['unknown', ['unknown'], { state: 'unknown', needs_operator: false, status: 'outcome_unknown' }],
    ['needs_operator', ['asking'], { state: 'unknown', needs_operator: true }],
  ])('lists what is %s, oldest first', async (view, names, about) => {
    for (const query of [`view=${view}`, `view=${view}&tenant_id=${tenant.id}`]) {
      const { jobs, next_cursor } = await jobsOf(query)
      expect(jobs.map(({ action_id }) => action_id)).toEqual(names.map(name => ids[name]))
      expect(jobs.at(-1)).toMatchObject({ tenant_id: tenant.id, operation: 'read', ...about })
      expect(next_cursor).toBeNull()
    }
    expect((await jobsOf(`view=${view}&tenant_id=${other.id}`)).jobs).toEqual([])
  })

  it('lists page by page', async () => {
    await pause(other)
    const made: string[] = []
    for (const _ of [1, 2, 3, 4, 5]) made.push((await other.submit({ system: 'crm' })).body.action_id)
    const listed: string[] = []
    let cursor: string | null = null
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`
      const page: Jobs = await jobsOf(`view=due&tenant_id=${other.id}&limit=2${after}`)
      expect(page.jobs.length).toBeLessThanOrEqual(2)
      listed.push(...page.jobs.map(({ action_id }) => action_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(listed).toEqual(made)
    expect((await snapshotOf(service)).jobs.stopped).toBe(6)
  })

  it.each(['view=done', 'view=due&limit=201', 'view=due&cursor=x', 'limit=5', 'view=due&more=1'])(
    'refuses %s',
    async query => {
      const { status, body } = await get<Problem>(service, `/v1/queue/jobs?${query}`)
      expect([status, body.code]).toEqual([400, 'validation_failed'])
    },
  )
})

describe('a queue in which everything fails', () => {
  let service: TestService
  let tenant: TestTenant
  let other: TestTenant
  const made: string[] = []
  const jobsOf = async (query: string) =>
    (await get<Jobs>(service, `/v1/queue/jobs?view=failed&${query}`)).body

  beforeAll(async () => {
    service = await startService()
    const actuators = [{ name: 'crm', kind: 'mock' as const, settings: { outcome: 'failed' as const } }]
    ;[tenant, other] = await Promise.all([service.tenant({ actuators }), service.tenant({ actuators })])
    for (let at = 0; at < 15; at += 1) {
      const { body } = await tenant.submit()
      expect(body.action_status).toBe('execution_failed')
      made.unshift(body.action_id)
    }
  })

  afterAll(() => service.close())

  it('tells what failed lately by system and code', async () => {
    const { jobs, failures } = await snapshotOf(service)
    expect(jobs).toMatchObject({ due: 0, later: 0, leased: 0 })
    expect(failures).toEqual([
      {
        target_system: 'crm',
        code: 'mock_failed',
        last_5_minutes: 15,
        last_hour: 15,
        latest_at: expect.any(String),
      },
    ])
    const [first] = made
    await asSuperuser(
      service.database,
      `update action_gate.execution_jobs set next_run_at = now() - interval '10 minutes' where action_id = '${first}'`,
    )
    expect((await snapshotOf(service)).failures).toMatchObject([{ last_5_minutes: 14, last_hour: 15 }])
    made.push(made.shift() ?? '')
  })

  it('lists what failed page by page, last ended first', async () => {
    const listed: string[] = []
    let cursor: string | null = null
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`
      const page: Jobs = await jobsOf(`tenant_id=${tenant.id}&limit=4${after}`)
      expect(page.jobs[0]).toMatchObject({
        status: 'execution_failed',
        state: 'done',
        last_error: 'mock_failed',
      })
      listed.push(...page.jobs.map(({ action_id }) => action_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(listed).toEqual(made)
    expect((await jobsOf(`tenant_id=${other.id}`)).jobs).toEqual([])
    expect((await jobsOf('limit=200')).jobs).toHaveLength(15)
  })
})

describe('the history', () => {
  let service: TestService
  const minutes = async (count: number) =>
    (await get<{ samples: QueueSample[] }>(service, `/v1/queue/history?minutes=${count}`)).body.samples

  beforeAll(async () => {
    service = await startService({ worker: null, env: { SERVICE_SUBMIT_WAIT_MS: '0' } })
    const tenant = await service.tenant()
    await tenant.submit()
    await tenant.submit({ risk: 'high' })
    const sample = (ago: string) => `(date_trunc('minute', now()) - interval '${ago}', 7, 0, 0, 0, 0, 0)`
    await asWriter(
      service.context.store,
      `insert into queue_samples (at, due, later, leased, unknown, held, workers)
       values ${sample('25 hours')}, ${sample('90 minutes')}, ${sample('2 minutes')}`,
    )
  })

  afterAll(() => service.close())

  it('has one sample of a minute, however many sweeps there are, and those of a day', async () => {
    await Promise.all([sweep(service.context), sweep(service.context)])
    await sweep(service.context)
    const samples = await minutes(1_440)
    expect(samples.map(({ due }) => due).slice(0, 2)).toEqual([7, 7])
    expect(samples.length).toBeGreaterThanOrEqual(3)
    expect(samples.length).toBeLessThanOrEqual(4)
    expect(samples[2]).toMatchObject({ due: 1, later: 0, leased: 0, unknown: 0, held: 1, workers: 0 })
    expect(samples.map(({ at }) => at)).toEqual(samples.map(({ at }) => at).sort())
    for (const { at } of samples) expect(at).toMatch(/:00\.000Z$/)
  })

  it('goes back as far as it is asked to', async () => {
    expect((await minutes(60))[0]?.due).toBe(7)
    expect((await minutes(60)).length).toBe((await minutes(120)).length - 1)
    expect((await get(service, '/v1/queue/history?minutes=1441')).status).toBe(400)
  })
})

describe('a tenant as its operator reads it', () => {
  let service: TestService
  let tenant: TestTenant
  let action: string
  const of = <Body>(path: string, id = tenant.id) => get<Body>(service, `/v1/tenants/${id}${path}`)

  beforeAll(async () => {
    service = await startService()
    tenant = await service.tenant()
    action = (await tenant.submit()).body.action_id
    await tenant.settled(action)
  })

  afterAll(() => service.close())

  it.each(['/actions', '/actions?status=executed&limit=1', '/actions/ID'])(
    'has the same %s as its agent',
    async path => {
      const concrete = path.replace('ID', action)
      const [own, asked] = await Promise.all([
        service.call('GET', `/v1${concrete}`, { key: tenant.agent }),
        of(concrete),
      ])
      expect(asked.status).toBe(200)
      expect(asked.body).toEqual(own.body)
      expect(asked.headers.etag).toBe(own.headers.etag)
    },
  )

  it('can export an audit', async () => {
    const { status, body } = await of(`/actions/${action}/audit-export`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ integrity_version: 'canonical-signed-v1', action_id: action })
    expect((await of(`/actions/${action}/audit-export?format=tlog-proof`)).status).toBe(200)
  })

  it('has its freezes, oldest first', async () => {
    expect((await of<FreezeState>('/freezes')).body).toEqual({ freezes: [] })
    for (const system of ['one', 'two']) {
      const json = { reason: 'of a test', system }
      await service.call('POST', `/v1/tenants/${tenant.id}/freeze`, { admin: service.admin, json })
    }
    const { freezes } = (await of<FreezeState>('/freezes')).body
    expect(freezes.map(({ system }) => system)).toEqual(['one', 'two'])
  })

  it("is unknown where there is none, and its actions are nobody else's", async () => {
    const other = await service.tenant()
    const codes = async (id: string, paths: readonly string[]) =>
      Promise.all(paths.map(async path => (await of<Problem>(path, id)).body.code))
    const ofAction = [`/actions/${action}`, `/actions/${action}/audit-export`]
    const lost = ['action_not_found', 'action_not_found']
    expect(await codes('nobody', ['/freezes', '/actions'])).toEqual(['tenant_not_found', 'tenant_not_found'])
    expect(await codes('nobody', ofAction)).toEqual(lost)
    expect(await codes(other.id, ofAction)).toEqual(lost)
  })
})

describe('the doorbell', () => {
  it('is told as unknown while Redis is away, and the rest as ever', async () => {
    const redis = await startRedisServer()
    const service = await startService({ platform: true, worker: null, env: { REDIS_URL: redis.url } })
    try {
      const tenant = await service.tenant()
      await tenant.submit()
      await expect.poll(async () => (await snapshotOf(service)).doorbell?.waiting).toBe(1)
      await redis.kill()
      const begun = performance.now()
      const { doorbell, jobs } = await snapshotOf(service)
      expect(performance.now() - begun).toBeLessThan(3_000)
      expect({ doorbell, due: jobs.due }).toEqual({ doorbell: null, due: 1 })
    } finally {
      await service.close()
      await redis.stop()
    }
  })
})
