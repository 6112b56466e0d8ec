import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actuator, Invocation } from '../../shared/actuator/actuator.ts'
import type { Outcome } from '../../shared/contract/configuration/actuator-schema.ts'
import { claimJobs } from '../../shared/flow/execution/claim-jobs.ts'
import { createRunner } from '../../shared/flow/execution/run-execution.ts'
import { monotonicMs } from '../../shared/runtime/clock.ts'
import { asReader, asWriter } from '../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../support/servers/proxy.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant
let calls: Invocation[]

beforeEach(async () => {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  calls = []
})

afterEach(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

/** A service whose actuator `bank` answers as told, and a tenant that may use it. */
async function start(
  answer: (call: Invocation) => Promise<Outcome>,
  options: TestServiceOptions & { idempotency?: Actuator['idempotency'] } = {},
): Promise<void> {
  const { env, idempotency = 'none', ...rest } = options
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    modules: [bank(answer, idempotency)],
    env: { SERVICE_LEASE_MS: '1000', SERVICE_SUBMIT_WAIT_MS: '0', SERVICE_SHUTDOWN_MS_MAX: '100', ...env },
    ...rest,
  })
  tenant = await service.tenant({
    policy: { allowed_systems: ['bank'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'bank', kind: 'module', settings: {} }],
  })
}

function bank(
  answer: (call: Invocation) => Promise<Outcome>,
  idempotency: Actuator['idempotency'] = 'none',
): Actuator {
  return {
    name: 'bank',
    idempotency,
    async invoke(call) {
      calls.push(call)
      return answer(call)
    },
  }
}

const done = async (): Promise<Outcome> => ({ class: 'ok', detail: {} })
const untilAborted = ({ signal }: Invocation): Promise<Outcome> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve({ class: 'ok', detail: {} })))

describe('when the actuator is called', () => {
  it('attempt, token and key are committed already', async () => {
    const seen: unknown[] = []
    await start(async ({ action_id }) => {
      const written = `
        select convert_from(p.payload, 'UTF8')::jsonb as body, a.status, j.state, j.attempt, j.lease_token::int4 as token
        from actions a join execution_jobs j using (action_id)
        left join action_events e on e.action_id = a.action_id and e.kind = 'execution_attempt'
        left join event_payloads p on p.action_id = e.action_id and p.sequence = e.sequence
        where a.action_id = '${action_id}'`
      seen.push(...(await asReader(service.context.store, written)))
      return done()
    })
    await tenant.submit({ system: 'bank' })
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    const [call] = calls
    expect(seen[0]).toMatchObject({
      status: 'executing',
      state: 'leased',
      attempt: 1,
      body: { attempt: 1, token: expect.any(Number), idempotency_key: call?.idempotency_key },
    })
    const { body, token } = seen[0] as { body: { token: number }; token: number }
    expect(body.token).toBe(token)
  })

  it('and half of the lease was over before, it is not called', async () => {
    await start(done, { worker: null })
    const { action_id } = (await tenant.submit({ system: 'bank' })).body
    const worker = { id: 'wrk_sleepy', kind: 'worker' } as const
    const registry = () => bank(done)
    const [job] = (
      await claimJobs(service.context, {
        worker,
        registry,
        limit: 1,
        after: '',
        since: null,
        shares: { tenant: 1, system: 1 },
        taken: new Map(),
      })
    ).jobs
    if (!job) throw new Error('not claimed')
    const slept = { ...job, claimed_at: monotonicMs() - service.context.config.lease_ms }
    const never = new AbortController().signal
    await createRunner(service.context, worker, { abandoned: never, dispatched: () => undefined }).run(
      slept,
      never,
      () => undefined,
    )
    expect(calls).toEqual([])
    const trace = await tenant.trace(action_id)
    expect(trace.events.at(-1)?.body).toMatchObject({ outcome: 'retry', error: { code: 'claimed_too_late' } })
  })
})

describe('a call under way that another worker may make again', () => {
  const idempotency = 'key_honoured'
  const reason = () => (calls[0]?.signal.aborted ? String(calls[0].signal.reason.message) : 'not aborted')

  it('is aborted when another judged its lease', async () => {
    await start(untilAborted, { idempotency, env: { SERVICE_LEASE_MS: '3000' } })
    const { action_id } = (await tenant.submit({ system: 'bank' })).body
    await expect.poll(() => calls.length).toBe(1)
    await asWriter(
      service.context.store,
      `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 ms' where action_id = '${action_id}'`,
    )
    await expect.poll(reason, { timeout: 5_000 }).toBe('the lease was lost')
  })

  it('is aborted when its lease can no longer be renewed', async () => {
    await start(untilAborted, { idempotency })
    await tenant.submit({ system: 'bank' })
    await expect.poll(() => calls.length).toBe(1)
    await proxy.cut()
    try {
      await expect.poll(reason, { timeout: 5_000 }).toBe('the lease could not be renewed')
    } finally {
      await proxy.restore()
    }
  })
})
