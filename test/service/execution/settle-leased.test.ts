import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import {
  changeActions,
  changeLeased,
  type LeasedActionChange,
} from '../../../shared/flow/core/change-action.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { type ClaimedJob, claimJobs } from '../../../shared/flow/execution/claim-jobs.ts'
import { keepCallback } from '../../../shared/flow/execution/keep-callback.ts'
import { judgeExpiredLease, settle } from '../../../shared/lifecycle/execute.ts'
import { expiredLeases } from '../../../shared/store/job/jobs.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { waitingStatements } from '../../support/servers/waiting-statements.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Outcomes of claims of this test's own, recorded as the claims left their actions. */
const worker = { id: 'wrk_test', kind: 'worker' } as const
const timing = {
  terms: { retry_ms_min: 0, retry_ms_max: 0, retry_after_ms_max: 0, reconcile_ms_min: 0 },
  jitter: 0,
}
const bank: Actuator = {
  name: 'bank',
  idempotency: 'none',
  invoke: async () => ({ class: 'ok', detail: {} }),
}
/** An actuator whose operations are ended by a callback. */
const endedByCallback: HttpSettings = {
  base_url: 'https://crm.example',
  operations: {
    export: {
      method: 'POST',
      path: '/exports',
      body: {},
      headers: { 'X-Notify': '{callback_url}' },
      completion: { callback: { done_when: { path: 'state', equals: 'done' } }, deadline_ms: 20_000 },
    },
  },
}
const honouring: Actuator = { ...bank, idempotency: 'key_honoured' }

const env = { SERVICE_SUBMIT_WAIT_MS: '0', SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64') }

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ worker: null, env })
  tenant = await service.tenant({
    policy: { allowed_systems: ['bank'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'bank', kind: 'module', settings: {} }],
  })
})

afterAll(() => service.close())

/** So many new actions, claimed together; or what is due. */
async function claimed(count: number, actuator = bank): Promise<LeasedActionChange[]> {
  for (let at = 0; at < count; at += 1) await tenant.submit({ system: 'bank' })
  const expected = Math.max(count, 1)
  const shares = { tenant: expected, system: expected }
  const bounds = { limit: expected, after: '', since: null, shares, taken: new Map() }
  const { jobs } = await claimJobs(service.context, { worker, registry: () => actuator, ...bounds })
  expect(jobs).toHaveLength(expected)
  return jobs.map(ended)
}

function ended({ action_id, tenant_id, token, left }: ClaimedJob): LeasedActionChange {
  const outcome = { class: 'ok', detail: {} } as const
  return { action_id, tenant_id, left, decide: settle({ worker, token, outcome, ...timing }) }
}

/** The statements that settling took, and what came of it. */
async function settled(
  jobs: readonly LeasedActionChange[],
  changed: Partial<Context> = {},
): Promise<{ statements: string[]; outcomes: (string | undefined)[] }> {
  const statements: string[] = []
  const { context } = service
  const store: Context['store'] = {
    ...context.store,
    write: (scope, work) =>
      context.store.write(scope, writer => {
        const told =
          (run: typeof writer.query): typeof writer.query =>
          (name, ...rest) => {
            statements.push(name)
            return run(name, ...rest)
          }
        return work({ ...writer, query: told(writer.query), last: told(writer.last) })
      }),
  }
  const answers = await changeLeased({ ...context, store, ...changed }, jobs)
  return { statements, outcomes: answers.map(answer => (answer.ok ? 'ok' : answer.error.reason)) }
}

const statusOf = async ({ action_id }: LeasedActionChange) => (await tenant.trace(action_id)).status
/** Names of statements; one for several rows has a name of its own. */
const unlocked = 'append_changes_changes_jobs_locks'
const ofMany = '_of_many'

async function endLease(...ids: string[]): Promise<void> {
  const over = `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 ms' where action_id in ('${ids.join("','")}')`
  await asWriter(service.context.store, over)
}

/** The lease runs out and its attempt is judged, as the sweeper does. */
async function takeOver({ action_id, tenant_id }: LeasedActionChange): Promise<void> {
  await endLease(action_id)
  const decide = judgeExpiredLease(timing)
  const [judged] = await changeActions(service.context, [{ action_id, tenant_id, decide }])
  expect(judged?.ok).toBe(true)
}

it('what is as the claim left it is settled by one statement', async () => {
  const jobs = await claimed(3)
  expect(await settled(jobs)).toEqual({ statements: [unlocked + ofMany], outcomes: ['ok', 'ok', 'ok'] })
  for (const job of jobs) {
    expect(await statusOf(job)).toBe('executed')
    const { events } = await tenant.trace(job.action_id)
    const times = events.map(({ at }) => at)
    expect(times).toEqual([...times].sort())
  }
  expect((await settled(jobs)).outcomes).toEqual(['fenced', 'fenced', 'fenced'])
})

it('one that was taken over is fenced, and those beside it are settled', async () => {
  const jobs = await claimed(3)
  const [first, second, third] = jobs
  if (!first || !second || !third) throw new Error('not claimed')
  await takeOver(second)
  expect(await settled(jobs)).toEqual({
    statements: [unlocked + ofMany, 'lock_actions', 'read_proven', `append_changes_changes_jobs${ofMany}`],
    outcomes: ['ok', 'fenced', 'ok'],
  })
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([
    'executed',
    'outcome_unknown',
    'executed',
  ])
})

it('a group with two attempts of one action records the one that holds the lease', async () => {
  for (const turn of [0, 1]) {
    const [first] = await claimed(1, honouring)
    if (!first) throw new Error('not claimed')
    await takeOver(first)
    const [second] = await claimed(0, honouring)
    expect(second?.action_id).toBe(first.action_id)
    const both = turn === 0 ? [first, second] : [second, first]
    const { outcomes } = await settled(both.flatMap(one => one ?? []))
    expect(outcomes).toEqual(turn === 0 ? ['fenced', 'ok'] : ['ok', 'fenced'])
    expect(await statusOf(first)).toBe('executed')
  }
})

it('a lease that ends while a callback is being kept is left to the callback', async () => {
  const calling = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'crm', kind: 'http', settings: endedByCallback }],
  })
  await calling.submit({ system: 'crm', operation: 'export' })
  const bounds = { limit: 1, after: '', since: null, shares: { tenant: 1, system: 1 }, taken: new Map() }
  const { jobs } = await claimJobs(service.context, { worker, registry: () => bank, ...bounds })
  const [job] = jobs
  if (!job?.call.callback_url) throw new Error('not claimed, or told no address')
  await endLease(job.action_id)
  const kept = await keepingCallback(job.call.callback_url)
  expect(await service.context.store.read('all', reader => expiredLeases(reader, 10))).toHaveLength(1)
  const judging = changeActions(service.context, [{ ...job, decide: judgeExpiredLease(timing) }])
  await expect.poll(() => waitingStatements(service.database)).toBe(1)
  await kept.commit()
  expect(await judging).toMatchObject([{ ok: false, error: { reason: 'fenced' } }])
  expect((await calling.trace(job.action_id)).status).toBe('executing')
})

/** A callback that is written, and committed when it is told to. */
async function keepingCallback(url: string): Promise<{ commit(): Promise<void> }> {
  const steps = new EventEmitter()
  const reach: Context['reach'] = async step => {
    if (step !== 'callback_written') return
    const commit = once(steps, 'commit')
    steps.emit(step)
    await commit
  }
  const written = once(steps, 'callback_written')
  const keeping = keepCallback({ ...service.context, reach }, url.split('/').at(-1) ?? '', { state: 'done' })
  await Promise.race([written, keeping])
  return {
    async commit() {
      steps.emit('commit')
      await keeping
    },
  }
}

it.each([
  ['that is not known', null],
  ['that is ahead', new Date(Date.now() + 3_600_000).toISOString()],
])('under a database time %s it is settled under the true one', async (_, time) => {
  const [job] = await claimed(1)
  if (!job) throw new Error('not claimed')
  const databaseClock = { heard: () => undefined, now: () => time }
  const { outcomes } = await settled([job], { databaseClock })
  expect(outcomes).toEqual(['ok'])
  const at = (await tenant.trace(job.action_id)).events.at(-1)?.at ?? ''
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(5_000)
})

it('under a clock that was set back it is not settled before it was claimed', async () => {
  const [job] = await claimed(1)
  if (!job) throw new Error('not claimed')
  const databaseClock = { heard: () => undefined, now: () => new Date(Date.now() - 10_000).toISOString() }
  const alone = `${unlocked}_of_1_1_1`
  expect(await settled([job], { databaseClock })).toEqual({ statements: [alone], outcomes: ['ok'] })
  const [attempt, outcome] = (await tenant.trace(job.action_id)).events.slice(-2)
  expect(outcome?.at).toBe(attempt?.at)
})

it('settling and taking over in opposite order never wait for each other', async () => {
  for (let round = 0; round < 10; round += 1) {
    const jobs = await claimed(10)
    await endLease(...jobs.map(({ action_id }) => action_id))
    const judging = jobs.map(({ action_id, tenant_id }) => ({
      action_id,
      tenant_id,
      decide: judgeExpiredLease(timing),
    }))
    const [settling, judged] = await Promise.all([
      changeLeased(service.context, [...jobs].reverse()),
      changeActions(service.context, judging),
    ])
    expect([...settling, ...judged].filter(({ ok }) => ok)).toHaveLength(10)
  }
})
