import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Actuator, Invocation, ReconcileAttempt } from '../../../shared/actuator/actuator.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type {
  Finding,
  Outcome,
  RegisteredActuator,
} from '../../../shared/contract/configuration/actuator-schema.ts'
import { insertLateResult } from '../../../shared/store/job/reconcile-attempts.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { waitingStatements } from '../../support/servers/waiting-statements.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** What a call or a look-up comes to, in order; the last one stays. */
type Play = Outcome['class'] | Finding['found'] | 'throw' | 'nonsense'
interface Script {
  invoke: Play[]
  lookup?: Play[]
}

const calls: Invocation[] = []
const attempts: ReconcileAttempt[] = []

function scripted(name: string, traits: Partial<Actuator>): Actuator {
  const own = (list: readonly Invocation[], id: string) =>
    list.filter(({ action_id }) => action_id === id).length
  return {
    name,
    idempotency: 'none',
    ...traits,
    async invoke(call) {
      calls.push(call)
      return played(
        (call.parameters.script as unknown as Script).invoke,
        own(calls, call.action_id),
      ) as Outcome
    },
    ...(traits.lookup
      ? {
          async lookup(attempt) {
            attempts.push(attempt)
            const script = (attempt.parameters.script as unknown as Script).lookup ?? []
            return played(script, own(attempts, attempt.action_id)) as Finding
          },
        }
      : {}),
  }
}

function played(plays: readonly Play[], nth: number): unknown {
  const play = plays[nth - 1] ?? plays.at(-1)
  if (play === 'throw') throw new Error('socket hang up')
  if (play === 'nonsense') return 'done'
  if (play === 'ok') return { class: 'ok', detail: { nth } }
  if (play === 'executed') return { found: 'executed', detail: { nth } }
  if (play === 'absent') return { found: 'absent' }
  if (play === 'unclear') return { found: 'unclear', code: 'downstream_down', message: 'try later' }
  return { class: play, code: `code_${play}`, message: 'played' }
}

const looksUp = { lookup: async (): Promise<Finding> => ({ found: 'absent' }) }

/** Answers only after `not_after`, and by nothing; a result comes in while it is asked whether it has a trace. */
let whileAsked: (attempt: ReconcileAttempt) => Promise<void> = async () => undefined
const overtaken: Actuator = {
  name: 'overtaken',
  idempotency: 'none',
  absence_proves_after_ms: 0,
  invoke: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off')))),
  async lookup(attempt) {
    await whileAsked(attempt)
    return { found: 'absent' }
  },
}

const modules: Actuator[] = [
  overtaken,
  scripted('blind', {}),
  scripted('seeing', looksUp),
  scripted('refusing-late', { ...looksUp, absence_proves_after_ms: 50 }),
  scripted('keyed', { idempotency: 'key_honoured', key_retention_ms: 60_000 }),
  scripted('forgetful', { idempotency: 'key_honoured', key_retention_ms: 1 }),
]

describe.each([{ platform: false }, { platform: true }])(
  'reconcile, platform mode: $platform',
  ({ platform }) => {
    let service: TestService
    let tenant: TestTenant

    beforeAll(async () => {
      service = await startService({
        platform,
        modules,
        env: {
          SERVICE_EXECUTION_MS_MAX: '300',
          SERVICE_LEASE_MS: '1000',
          SERVICE_RECONCILE_MS_MIN: '10',
          SERVICE_RECONCILE_MS_MAX: '700',
          SERVICE_SWEEP_MS: '50',
          SERVICE_ATTEMPTS_MAX: '2',
        },
      })
      tenant = await service.tenant({
        policy: {
          allowed_systems: modules.map(({ name }) => name),
          approval_required_at: 'high',
          review_route: 'leads',
        },
        actuators: modules.map(({ name }): RegisteredActuator => ({ name, kind: 'module', settings: {} })),
      })
    })

    afterAll(() => service.close())

    async function submit(system: string, script: Script): Promise<string> {
      const parameters = { script: { ...script } }
      const { body } = await tenant.submit({ system, parameters }, { prefer: 'wait=0' })
      return body.action_id
    }

    async function until(
      id: string,
      status: string,
      holds: (trace: Trace) => boolean = () => true,
    ): Promise<Trace> {
      await expect
        .poll(async () => [(await tenant.trace(id)).status, holds(await tenant.trace(id))], {
          timeout: 15_000,
        })
        .toEqual([status, true])
      return tenant.trace(id)
    }

    const sources = ({ events }: Trace) =>
      events.flatMap(({ kind, body }) =>
        kind === 'reconciliation' ? [`${body?.source} ${body?.outcome}`] : [],
      )
    const needsOperator = ({ events }: Trace) => events.at(-1)?.body?.needs_operator === true

    it('what can neither repeat nor look up is left to an operator at the first round', async () => {
      const trace = await until(
        await submit('blind', { invoke: ['throw'] }),
        'outcome_unknown',
        needsOperator,
      )
      expect(sources(trace)).toEqual(['reconciler unknown'])
      const attempt = trace.events.find(({ kind }) => kind === 'execution')?.body?.error
      expect(trace.job).toMatchObject({ state: 'unknown', last_error: (attempt as { code: string }).code })
      expect(trace.events.at(-1)?.body?.error).toMatchObject({ code: 'no_lookup' })
    })

    it('when it is looked up next is in the trace, and another time is another ETag', async () => {
      const id = await submit('blind', { invoke: ['throw'] })
      const { audit_root } = await until(id, 'outcome_unknown', needsOperator)
      const known = async (etag = '""') =>
        service.call<Trace>('GET', `/v1/actions/${id}`, {
          key: tenant.agent,
          headers: { 'if-none-match': etag },
        })
      const first = await known()
      expect((await known(first.headers.etag)).status).toBe(304)
      await asSuperuser(
        service.database,
        `update action_gate.execution_jobs set next_run_at = next_run_at + interval '1 day' where action_id = '${id}'`,
      )
      const { status, body, headers } = await known(first.headers.etag)
      expect({ status, root: body.audit_root }).toEqual({ status: 200, root: audit_root })
      expect(body.job?.next_run_at).not.toBe(first.body.job?.next_run_at)
      expect((await known(headers.etag)).status).toBe(304)
    })

    it('the same key is repeated, and its answer settles it', async () => {
      const id = await submit('keyed', { invoke: ['throw', 'throw', 'unknown', 'ok'] })
      const trace = await until(id, 'executed')
      expect(sources(trace)).toEqual(['same_key retry', 'same_key retry'])
      const mine = calls.filter(({ action_id }) => action_id === id)
      expect(new Set(mine.map(({ idempotency_key }) => idempotency_key)).size).toBe(1)
      expect(mine.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
      const attempts = trace.events.filter(({ kind }) => kind === 'execution_attempt')
      expect(attempts).toHaveLength(4)
    })

    it('a key that the downstream may have forgotten is never repeated', async () => {
      const id = await submit('forgetful', { invoke: ['unknown', 'unknown', 'ok'] })
      await until(id, 'outcome_unknown', needsOperator)
      expect(calls.filter(({ action_id }) => action_id === id)).toHaveLength(1)
    })

    it('a look-up that finds it settles it; every round before is in the audit', async () => {
      const id = await submit('seeing', { invoke: ['throw'], lookup: ['unclear', 'absent', 'executed'] })
      const trace = await until(id, 'executed')
      expect(sources(trace)).toEqual(['lookup unknown', 'lookup unknown', 'lookup ok'])
      expect(trace.execution).toMatchObject({ outcome: 'ok', result: { ok: true, detail: { nth: 3 } } })
      const asked = attempts.filter(({ action_id }) => action_id === id)
      const [call] = calls.filter(({ action_id }) => action_id === id)
      expect(asked.map(({ idempotency_key }) => idempotency_key)).toEqual(
        Array(3).fill(call?.idempotency_key),
      )
      expect(asked[0]?.not_after).toBe(call?.not_after)
    })

    it('look-ups that find nothing prove nothing, and end with an operator', async () => {
      const trace = await until(
        await submit('seeing', { invoke: ['throw'], lookup: ['absent'] }),
        'outcome_unknown',
        needsOperator,
      )
      expect(sources(trace).length).toBeGreaterThan(2)
      expect(new Set(sources(trace))).toEqual(new Set(['lookup unknown']))
    })

    it.each([
      ['throws', 'throw', 'lookup_threw'],
      ['answers nonsense', 'nonsense', 'invalid_finding'],
    ] as const)('a look-up that %s proves nothing', async (_, play, code) => {
      const id = await submit('seeing', { invoke: ['throw'], lookup: [play, 'executed'] })
      const { events } = await until(id, 'executed')
      expect(events.find(({ kind }) => kind === 'reconciliation')?.body?.error).toMatchObject({ code })
    })

    it('nothing found where the downstream refuses late calls is proof: one more try', async () => {
      const id = await submit('refusing-late', { invoke: ['throw', 'ok'], lookup: ['absent'] })
      const trace = await until(id, 'executed')
      expect(sources(trace).at(-1)).toBe('lookup retry')
      expect(
        sources(trace)
          .slice(0, -1)
          .every(source => source === 'lookup unknown'),
      ).toBe(true)
      expect(calls.filter(({ action_id }) => action_id === id)).toHaveLength(2)
      const [first] = calls.filter(({ action_id }) => action_id === id)
      const cleared = trace.events.find(({ body }) => body?.source === 'lookup' && body.outcome === 'retry')
      expect(Date.parse(cleared?.at ?? '')).toBeGreaterThan(Date.parse(first?.not_after ?? '') + 50)
    })

    it('the same with no attempt left is failed', async () => {
      const id = await submit('refusing-late', { invoke: ['throw'], lookup: ['absent'] })
      const trace = await until(id, 'execution_failed')
      expect(trace.execution?.error?.code).toBe('never_happened')
    })

    describe('an operator', () => {
      const resolve = (id: string, json: object) =>
        service.call<Problem & { action_status: string }>(
          'POST',
          `/v1/tenants/${tenant.id}/actions/${id}/resolve`,
          {
            admin: service.admin,
            json,
          },
        )

      it('settles it with a note and evidence, once', async () => {
        const id = await submit('blind', { invoke: ['throw'] })
        await until(id, 'outcome_unknown', needsOperator)
        const said = { outcome: 'executed', note: 'the bank says so', evidence: 'T-17', detail: { ref: 9 } }
        expect((await resolve(id, { outcome: 'executed' })).body.code).toBe('validation_failed')
        const both = await Promise.all([
          resolve(id, said),
          resolve(id, { ...said, outcome: 'execution_failed' }),
        ])
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
        const trace = await tenant.trace(id)
        const [admin] = service.admin.split('.')
        expect(trace.events.at(-1)).toMatchObject({
          kind: 'reconciliation',
          principal: { kind: 'admin', id: admin },
          body: { source: 'operator', note: said.note, evidence: said.evidence },
        })
        expect((await resolve(id, said)).body.code).toBe('action_not_resolvable')
        expect((await resolve('act_nothing', said)).status).toBe(404)
      })

      it('cannot say that nothing happened where a late result proves the contrary', async () => {
        const id = await submit('blind', { invoke: ['throw'] })
        await until(id, 'outcome_unknown', needsOperator)
        const late = { action_id: id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: { ref: 1 } }
        await service.context.store.write([tenant.id], writer => insertLateResult(writer, late))
        const { body } = await resolve(id, { outcome: 'execution_failed', note: 'not seen' })
        expect(body.code).toBe('conflicting_evidence')
        expect((await resolve(id, { outcome: 'executed', note: 'seen' })).status).toBe(200)
      })

      it('nor where one is written down at the same time', async () => {
        const id = await submit('blind', { invoke: ['throw'] })
        await until(id, 'outcome_unknown', needsOperator)
        const late = { action_id: id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: { ref: 1 } }
        let resolved: ReturnType<typeof resolve> | undefined
        await service.context.store.write([tenant.id], async writer => {
          await insertLateResult(writer, late)
          resolved = resolve(id, { outcome: 'execution_failed', note: 'not seen' })
          await expect.poll(() => waitingStatements(service.database), { timeout: 10_000 }).toBe(1)
        })
        expect((await resolved)?.body.code).toBe('conflicting_evidence')
      })

      it('of another tenant finds nothing', async () => {
        const other = await service.tenant()
        const id = await submit('blind', { invoke: ['throw'] })
        await until(id, 'outcome_unknown')
        const { body } = await service.call<Problem>(
          'POST',
          `/v1/tenants/${other.id}/actions/${id}/resolve`,
          {
            admin: service.admin,
            json: { outcome: 'executed', note: 'seen' },
          },
        )
        expect(body.code).toBe('action_not_found')
      })
    })

    it('a result that the downstream denies meanwhile leaves the action to an operator', async () => {
      whileAsked = async ({ action_id }) => {
        const late = { action_id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: { ref: 1 } }
        await service.context.store.write([tenant.id], writer => insertLateResult(writer, late))
      }
      const trace = await until(
        await submit('overtaken', { invoke: [] }),
        'outcome_unknown',
        ({ events }) => events.at(-1)?.kind === 'reconciliation',
      )
      expect(trace.events.at(-1)?.body).toMatchObject({
        error: { code: 'conflicting_evidence' },
        needs_operator: true,
      })
    })

    it('a result that came late is evidence that the next round uses', async () => {
      const id = await submit('seeing', { invoke: ['throw'], lookup: ['unclear'] })
      await until(id, 'outcome_unknown')
      const late = { action_id: id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: { ref: 1 } }
      await service.context.store.write([tenant.id], writer => insertLateResult(writer, late))
      const trace = await until(id, 'executed')
      expect(sources(trace).at(-1)).toBe('late_result ok')
      expect(
        await asReader(
          service.context.store,
          `select from action_gate.late_results where action_id = '${id}'`,
        ),
      ).toHaveLength(1)
    })
  },
)
