import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Actuator, Invocation } from '../../../shared/actuator/actuator.ts'
import type {
  MockSettings,
  Outcome,
  RegisteredActuator,
} from '../../../shared/contract/configuration/actuator-schema.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

type Play = Outcome['class'] | 'throw' | 'nonsense'

const calls: Invocation[] = []

/** Plays one outcome of `parameters.script` per attempt, and writes down every call. */
function scripted(name: string, idempotency: Actuator['idempotency']): Actuator {
  return {
    name,
    idempotency,
    async invoke(invocation) {
      calls.push(invocation)
      const play = (invocation.parameters.script as Play[])[invocation.attempt - 1] ?? 'ok'
      if (play === 'throw') throw new Error('socket hang up')
      if (play === 'nonsense') return 'done' as unknown as Outcome
      if (play === 'ok') return { class: 'ok', detail: { id: invocation.attempt } }
      return { class: play, code: `code_${play}`, message: play }
    },
  }
}

const mocks: Record<string, MockSettings> = {
  'mock-failed': { outcome: 'failed' },
  'mock-retry': { outcome: 'retry' },
  'mock-unknown': { outcome: 'unknown' },
  'mock-throw': { outcome: 'throw' },
  'mock-unknown-once': { outcome: 'unknown', idempotency: 'none' },
  'mock-slow': { delay_ms: 60_000 },
}
const systems = [...Object.keys(mocks), 'keyed', 'unkeyed', 'absent']

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({
    modules: [scripted('keyed', 'key_honoured'), scripted('unkeyed', 'none')],
    env: {
      SERVICE_EXECUTION_MS_MAX: '600',
      SERVICE_SUBMIT_WAIT_MS: '0',
      SERVICE_EXECUTE_WITHIN_MS: '3000',
    },
  })
  tenant = await service.tenant({
    policy: { allowed_systems: systems, approval_required_at: 'medium', review_route: 'leads' },
    actuators: systems.map((name): RegisteredActuator => {
      const settings = mocks[name]
      return settings ? { name, kind: 'mock', settings } : { name, kind: 'module', settings: {} }
    }),
  })
})

afterAll(() => service.close())

async function run(system: string, script: Play[] = []) {
  const { body } = await tenant.submit({ system, parameters: { script } })
  const trace = await tenant.settled(body.action_id)
  const invocations = calls.filter(({ action_id }) => action_id === body.action_id)
  return { trace, invocations, kinds: trace.events.slice(2).map(({ kind }) => kind) }
}

function outcomesOf(trace: { events: { kind: string; body: Record<string, unknown> | null }[] }): unknown[] {
  return trace.events.filter(({ kind }) => kind === 'execution').map(({ body }) => body?.outcome)
}

describe('the mock’s settings', () => {
  it.each([
    ['mock-failed', 'execution_failed', ['failed'], 'mock_failed'],
    ['mock-unknown', 'outcome_unknown', ['retry', 'retry', 'unknown'], 'mock_unknown'],
    ['mock-throw', 'outcome_unknown', ['retry', 'retry', 'unknown'], 'actuator_threw'],
    ['mock-unknown-once', 'outcome_unknown', ['unknown'], 'mock_unknown'],
    ['mock-slow', 'outcome_unknown', ['retry', 'retry', 'unknown'], 'no_answer_in_time'],
  ])('%s ends %s', async (system, status, outcomes, code) => {
    const { trace } = await run(system)
    expect(trace.status).toBe(status)
    expect(outcomesOf(trace)).toEqual(outcomes)
    expect(trace.execution).toMatchObject({ attempt: outcomes.length, result: null, error: { code } })
    expect(trace.job).toMatchObject({
      state: status === 'outcome_unknown' ? 'unknown' : 'done',
      attempt: outcomes.length,
      lease_owner: null,
      last_error: code,
    })
  })
})

it('an action that has no effect at any attempt is failed once its time is over', async () => {
  const { trace } = await run('mock-retry')
  expect(trace).toMatchObject({ status: 'execution_failed', execution: { error: { code: 'mock_retry' } } })
  const outcomes = outcomesOf(trace)
  expect(outcomes.length).toBeGreaterThan(3)
  expect(new Set(outcomes.slice(0, -1))).toEqual(new Set(['retry']))
  expect(outcomes.at(-1)).toBe('failed')
  expect(trace.job).toMatchObject({ state: 'done', attempt: outcomes.length })
})

/** A table of scripts with what each ends as and after how many calls; the scripts as a title shows them. */
function inWords(rows: [Play[], string, number][]): [string, string, number, Play[]][] {
  return rows.map(([script, status, count]) => [script.join(', '), status, count, script])
}

describe('an actuator that honours the key', () => {
  it.each(
    inWords([
      [['ok'], 'executed', 1],
      [['retry', 'ok'], 'executed', 2],
      [['unknown', 'ok'], 'executed', 2],
      [['throw', 'nonsense', 'ok'], 'executed', 3],
      [['failed'], 'execution_failed', 1],
      [['retry', 'failed'], 'execution_failed', 2],
      [['retry', 'retry', 'retry', 'ok'], 'executed', 4],
      [['retry', 'retry', 'retry', 'failed'], 'execution_failed', 4],
      [['unknown', 'failed'], 'outcome_unknown', 2],
      [['unknown', 'retry', 'retry', 'ok'], 'executed', 4],
      [['unknown', 'retry', 'retry', 'failed'], 'outcome_unknown', 4],
      [['retry', 'unknown', 'unknown', 'retry', 'unknown'], 'outcome_unknown', 5],
      [['nonsense', 'throw', 'unknown'], 'outcome_unknown', 3],
    ]),
  )('with %s ends %s after %s calls', async (_, status, count, script) => {
    const { trace, invocations } = await run('keyed', script)
    expect(trace.status).toBe(status)
    expect(invocations.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: count }, (_, at) => at + 1),
    )
  })

  it('gets the same key at every attempt, and another one for every action', async () => {
    const first = await run('keyed', ['retry', 'unknown', 'ok'])
    const second = await run('keyed', ['ok'])
    const keys = first.invocations.map(({ idempotency_key }) => idempotency_key)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[\w-]{43}$/)
    expect(second.invocations[0]?.idempotency_key).not.toBe(keys[0])
    const written = first.trace.events
      .filter(({ kind }) => kind === 'execution_attempt')
      .map(({ body }) => body)
    expect(written.map(body => body?.idempotency_key)).toEqual([keys[0], keys[0], keys[0]])
  })

  it('gets what was proposed and decided, and no more', async () => {
    const { trace, invocations } = await run('keyed', ['ok'])
    expect(invocations[0]).toMatchObject({
      tenant_id: tenant.id,
      target_system: 'keyed',
      operation: 'read',
      parameters: trace.proposal.action.parameters,
      signal: { aborted: false },
    })
  })
})

describe('an actuator that does not honour the key', () => {
  it.each(
    inWords([
      [['ok'], 'executed', 1],
      [['retry', 'ok'], 'executed', 2],
      [['failed'], 'execution_failed', 1],
      [['unknown', 'ok'], 'outcome_unknown', 1],
      [['throw', 'ok'], 'outcome_unknown', 1],
      [['nonsense', 'ok'], 'outcome_unknown', 1],
      [['retry', 'unknown', 'ok'], 'outcome_unknown', 2],
    ]),
  )('with %s ends %s after %s calls', async (_, status, count, script) => {
    const { trace, invocations } = await run('unkeyed', script)
    expect({ status: trace.status, calls: invocations.length }).toEqual({ status, calls: count })
  })
})

describe('what cannot be run', () => {
  it.each([
    ['gone', `delete from actuators where name = 'crm'`, 'actuator_not_registered'],
    [
      'of another kind',
      `update actuators set kind = 'module' where name = 'crm'`,
      'actuator_binding_mismatch',
    ],
    [
      'with settings beyond its worker',
      `update actuators set settings = '{"of": "a newer release"}' where name = 'crm'`,
      'actuator_settings_not_understood',
    ],
  ])('an actuator %s since the decision is not called', async (_name, change, code) => {
    const mine = await service.tenant()
    const { body } = await mine.submit({ risk: 'high' })
    await asWriter(service.context.store, `${change} and tenant_id = '${mine.id}'`)
    await mine.approve(body.action_id)
    const trace = await mine.settled(body.action_id)
    expect(trace.status).toBe('execution_failed')
    expect(trace.execution?.error?.code).toBe(code)
    expect(trace.events.map(({ kind }) => kind)).not.toContain('execution_attempt')
  })

  it('a policy that changed since the decision changes nothing', async () => {
    const mine = await service.tenant()
    const { body } = await mine.submit({ risk: 'high' })
    await service.call('PUT', `/v1/tenants/${mine.id}/policy`, {
      admin: service.admin,
      json: { allowed_systems: [], approval_required_at: 'low', review_route: 'nobody' },
    })
    expect((await mine.submit({ risk: 'high' })).body.decision).toBe('deny')
    await mine.approve(body.action_id)
    const trace = await mine.settled(body.action_id)
    expect({ status: trace.status, revision: trace.verdict.policy.revision }).toEqual({
      status: 'executed',
      revision: 1,
    })
  })
})

describe('a hold', () => {
  it('that runs out is denied by the system, and approving it then is a conflict', async () => {
    const short = await startService({
      database: service.database,
      worker: null,
      env: { SERVICE_APPROVAL_TTL_MS: '1000' },
    })
    try {
      const mine = await short.tenant()
      const { body } = await mine.submit({ risk: 'high' })
      const trace = await mine.settled(body.action_id)
      expect(trace).toMatchObject({
        status: 'denied',
        approval: { decision: 'expired', principal: { kind: 'system' }, note: null },
        job: null,
      })
      expect((await mine.approve(body.action_id)).status).toBe(409)
    } finally {
      await short.close()
    }
  })
})
