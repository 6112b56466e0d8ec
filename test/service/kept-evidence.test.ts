import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actuator, Invocation } from '../../shared/actuator/actuator.ts'
import type { Outcome, RegisteredActuator } from '../../shared/contract/actuator.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type DatabaseProxy, startProxy } from '../support/proxy.ts'
import { startService, type TestService } from '../support/service.ts'
import type { TestTenant } from '../support/tenant.ts'

interface Call {
  invocation: Invocation
  answer(outcome: Outcome): void
}

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant
let calls: Call[]

/** Answers when the test says so, as a downstream that is under way; it asks its signal nothing. */
const once: Actuator = {
  name: 'once',
  idempotency: 'none',
  invoke: invocation => new Promise(answer => calls.push({ invocation, answer })),
}

beforeEach(() => {
  calls = []
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
