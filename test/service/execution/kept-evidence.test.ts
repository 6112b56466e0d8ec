import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Accepted, Actuator, Invocation } from '../../../shared/actuator/actuator.ts'
import type { Outcome, RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import { forgetDispatched } from '../../../shared/store/job/dispatched-operations.ts'
import { insertLateResult } from '../../../shared/store/job/reconcile-attempts.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../../support/servers/proxy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

interface Call {
  invocation: Invocation
  answer(outcome: Outcome | Accepted): void
}

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant
let calls: Call[]
let polled: string[]
let ended: Outcome

/** Answers when the test says so, as a downstream that is under way; it asks its signal nothing. */
const once: Actuator = {
  name: 'once',
  idempotency: 'none',
  invoke: invocation => new Promise(answer => calls.push({ invocation, answer })),
  async poll({ url }) {
    polled.push(`${url}`)
    return ended
  },
}

beforeEach(() => {
  calls = []
  polled = []
})

afterEach(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

async function start(env: Record<string, string>): Promise<void> {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    modules: [once],
    env: {
      SERVICE_STATEMENT_MS_MAX: '1000',
      SERVICE_SHUTDOWN_MS_MAX: '500',
      SERVICE_LEASE_MS: '600',
      SERVICE_EXECUTION_MS_MAX: '120000',
      SERVICE_RECONCILE_MS_MIN: '100',
      ...env,
    },
  })
  tenant = await service.tenant({
    policy: { allowed_systems: ['once'], approval_required_at: 'medium', review_route: 'leads' },
    actuators: [{ name: 'once', kind: 'module', settings: {} } satisfies RegisteredActuator],
  })
}

async function begin(): Promise<{ id: string; call: Call }> {
  const { body } = await tenant.submit({ system: 'once' }, { prefer: 'wait=0' })
  await expect.poll(() => calls.some(isOf(body.action_id)), { timeout: 10_000 }).toBe(true)
  const call = calls.find(isOf(body.action_id))
  if (!call) throw new Error('it was not called')
  return { id: body.action_id, call }
}

/** As a round leaves them that believed an absence: what may have happened is forgotten, the round counted. */
async function beginAfterARound(count: number): Promise<{ id: string; call: Call }[]> {
  const say = (verb: string) =>
    service.call('POST', `/v1/tenants/${tenant.id}/${verb}`, {
      admin: service.admin,
      json: { reason: 'a round is made', system: 'once' },
    })
  expect((await say('pause')).status).toBe(200)
  const ids: string[] = []
  while (ids.length < count) {
    const { body } = await tenant.submit({ system: 'once' }, { prefer: 'wait=0' })
    ids.push(body.action_id)
  }
  await asWriter(
    service.context.store,
    `update execution_jobs set rounds = 1 where tenant_id = '${tenant.id}'`,
  )
  expect((await say('resume')).status).toBe(200)
  await expect.poll(() => calls.length, { timeout: 20_000 }).toBe(count)
  return ids.map(id => ({ id, call: calls.find(isOf(id)) as Call }))
}

const isOf =
  (id: string) =>
  ({ invocation }: Call): boolean =>
    invocation.action_id === id

const logged = (where: string): number => service.logged().split(`"where":"${where}"`).length - 1

describe('while the database is away', () => {
  it('a call that may happen once is left to end, and its answer is kept and recorded', async () => {
    await start({ SERVICE_SWEEP_MS: '60000' })
    const [done, refused] = [await begin(), await begin()]
    await proxy.cut()
    await expect.poll(() => logged('renew_leases'), { timeout: 20_000 }).toBeGreaterThanOrEqual(4)
    expect(calls.map(({ invocation }) => invocation.signal.aborted)).toEqual([false, false])
    done.call.answer({ class: 'ok', detail: { id: 'ch_1' } })
    refused.call.answer({ class: 'failed', code: 'no_funds', message: 'nothing was charged' })
    await expect.poll(() => logged('record_outcome'), { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
    await proxy.restore()
    expect(await tenant.settled(done.id)).toMatchObject({
      status: 'executed',
      execution: { outcome: 'ok', result: { detail: { id: 'ch_1' } } },
    })
    expect(await tenant.settled(refused.id)).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'no_funds' } },
    })
    expect(calls).toHaveLength(2)
  }, 60_000)

  it('an answer is kept whoever judges its lease first', async () => {
    await start({ SERVICE_SWEEP_MS: '200' })
    const done = await begin()
    await proxy.cut()
    done.call.answer({ class: 'ok', detail: { id: 'ch_2' } })
    await expect.poll(() => logged('record_outcome'), { timeout: 20_000 }).toBeGreaterThanOrEqual(4)
    await proxy.restore()
    const status = async () => (await tenant.trace(done.id)).status
    await expect.poll(status, { timeout: 20_000 }).toBe('executed')
    expect((await tenant.trace(done.id)).execution).toMatchObject({ result: { detail: { id: 'ch_2' } } })
  }, 60_000)
})

describe('a late success', () => {
  it('against a recorded failure is an error, a metric and a line of the queue', async () => {
    await start({ SERVICE_SWEEP_MS: '100', SERVICE_LEASE_MS: '60000' })
    const { id, call } = await begin()
    await asWriter(
      service.context.store,
      `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 ms' where action_id = '${id}'`,
    )
    expect(await tenant.settled(id)).toMatchObject({ status: 'outcome_unknown' })
    const path = `/v1/tenants/${tenant.id}/actions/${id}/resolve`
    const json = { outcome: 'execution_failed', note: 'the bank has no trace of it' }
    expect((await service.call('POST', path, { admin: service.admin, json })).status).toBe(200)
    call.answer({ class: 'ok', detail: { id: 'ch_3' } })
    const metrics = () => service.context.events.registry.metrics()
    await expect.poll(metrics, { timeout: 10_000 }).toMatch(/^action_gate_late_contradictions_total 1$/m)
    expect(service.logged()).toMatch(
      new RegExp(`"level":50[^\\n]*${id}[^\\n]*recorded as failed, and a result that came late`),
    )
    expect((await service.call('GET', '/v1/queue', { admin: service.admin })).body).toMatchObject({
      contradicted: { count: 1, latest: [{ tenant_id: tenant.id, action_id: id }] },
    })
    expect(await tenant.trace(id)).toMatchObject({ status: 'execution_failed' })
  }, 60_000)

  it('after a believed absence keeps its action from a new call and from failing', async () => {
    await start({ SERVICE_SWEEP_MS: '100', SERVICE_LEASE_MS: '60000' })
    const [again, failing] = await beginAfterARound(2)
    const store = service.context.store
    const late = async (id: string): Promise<void> => {
      const result = { action_id: id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: { id } }
      await store.write([tenant.id], writer => insertLateResult(writer, result))
    }
    if (!again || !failing) throw new Error('they were not called')
    await late(failing.id)
    failing.call.answer({ class: 'failed', code: 'no_funds', message: 'nothing was charged' })
    await late(again.id)
    again.call.answer({ class: 'retry', code: 'busy', message: 'nothing was done' })
    for (const id of [failing.id, again.id]) {
      const status = async () => (await tenant.trace(id)).status
      await expect.poll(status, { timeout: 20_000 }).toBe('executed')
    }
    expect(calls).toHaveLength(2)
  }, 60_000)
})

describe('an operation that was accepted after its attempt was judged', () => {
  const address = 'https://once.test/exports/7'
  const accepted: Accepted = {
    class: 'accepted',
    rule: 'completion',
    dispatched: { url: address, interval_ms: 100, deadline_ms: 60_000 },
  }

  async function judged(): Promise<{ id: string; call: Call }> {
    await start({ SERVICE_SWEEP_MS: '100', SERVICE_LEASE_MS: '60000' })
    const begun = await begin()
    await asWriter(
      service.context.store,
      `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 ms' where action_id = '${begun.id}'`,
    )
    const left = async () => (await service.call('GET', '/v1/queue', { admin: service.admin })).body
    await expect.poll(left, { timeout: 20_000 }).toMatchObject({ jobs: { needs_operator: 1 } })
    return begun
  }

  it.each<[string, Outcome]>([
    ['executed', { class: 'ok', detail: { state: 'done' } }],
    ['execution_failed', { class: 'failed', code: 'refused', message: 'nothing was exported' }],
  ])(
    'is %s once its address says so, also where an operator has it',
    async (status, outcome) => {
      ended = { class: 'busy', code: 'running', message: 'it goes on' }
      const { id, call } = await judged()
      call.answer(accepted)
      await expect.poll(() => polled.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
      expect(new Set(polled)).toEqual(new Set([address]))
      expect((await tenant.trace(id)).status).toBe('outcome_unknown')
      ended = outcome
      const now = async () => (await tenant.trace(id)).status
      await expect.poll(now, { timeout: 20_000 }).toBe(status)
      expect(calls).toHaveLength(1)
    },
    60_000,
  )

  it('is kept while its time runs, however often it is looked for what ended', async () => {
    ended = { class: 'busy', code: 'running', message: 'it goes on' }
    const { id, call } = await judged()
    call.answer(accepted)
    await expect.poll(() => polled.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
    const aged = (column: string) =>
      asWriter(
        service.context.store,
        `update dispatched_operations set ${column} = now() - interval '2 minutes' where action_id = '${id}'`,
      )
    const kept = async () =>
      (await service.context.store.readEach('all').query('kept', 'select from dispatched_operations', []))
        .length
    await aged('kept_at')
    await service.context.store.write('all', async writer => forgetDispatched(writer))
    expect(await kept()).toBe(1)
    await aged('ends_at')
    await expect.poll(kept, { timeout: 20_000 }).toBe(0)
    await expect
      .poll(async () => (await service.call('GET', '/v1/queue', { admin: service.admin })).body, {
        timeout: 30_000,
      })
      .toMatchObject({ jobs: { needs_operator: 1 } })
  }, 60_000)
})
