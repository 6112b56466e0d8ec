import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type {
  Finding,
  Outcome,
  RegisteredActuator,
} from '../../../shared/contract/configuration/actuator-schema.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

const broken = (): never => {
  throw new Error('a bug of the module')
}

/** Something that is thrown and throws again when somebody asks what it says. */
const spiteful = Object.defineProperty(new Error(), 'message', { get: broken })

/** A member that reads well while the module is loaded, and throws afterwards. */
function soon(name: string, member: keyof Actuator, good: unknown): Actuator {
  const actuator = sound(name)
  let read = 0
  return Object.defineProperty(actuator, member, {
    enumerable: true,
    get: () => (read++ < 1 && good !== undefined ? good : broken()),
  })
}

function sound(name: string, own: Partial<Actuator> = {}): Actuator {
  return { name, idempotency: 'none', invoke: async () => ({ class: 'ok', detail: {} }), ...own }
}

const unknown = async (): Promise<Outcome> => ({ class: 'unknown', code: 'cut', message: 'cut off' })

/** Each breaks in one member of the interface: before the call, in it, or when its outcome is looked into. */
const modules: Actuator[] = [
  sound('request-throws', { requestOf: broken }),
  sound('request-throws-oddly', {
    requestOf: () => {
      throw spiteful
    },
  }),
  sound('request-undefined', { requestOf: () => ({ method: undefined }) as unknown as JsonValue }),
  sound('request-promised', { requestOf: (async () => broken()) as unknown as () => JsonValue }),
  sound('request-cyclic', {
    requestOf() {
      const request: { [name: string]: JsonValue } = {}
      request.request = request
      return request
    },
  }),
  soon('idempotency', 'idempotency', undefined),
  soon('retention', 'key_retention_ms', undefined),
  soon('proof', 'absence_proves_after_ms', undefined),
  soon('timeout', 'timeout_ms', undefined),
  soon('lookup', 'lookup', undefined),
  sound('timeout-no-number', { timeout_ms: 'soon' as unknown as number }),
  sound('throws-oddly', {
    invoke: async () => {
      throw spiteful
    },
  }),
]

const lookedInto: Actuator[] = [
  sound('lookup-throws', { invoke: unknown, lookup: broken }),
  sound('lookup-throws-oddly', {
    invoke: unknown,
    lookup: async () => {
      throw spiteful
    },
  }),
  sound('request-throws-later', {
    invoke: unknown,
    lookup: async (): Promise<Finding> => ({ found: 'failed', code: 'refused', message: 'never done' }),
    requestOf: onceSound(),
  }),
]

/** Called for a claim it answers, and throws whenever it is called again. */
function onceSound(): () => JsonValue {
  let calls = 0
  return () => (calls++ === 0 ? 'once' : broken())
}

const all = [...modules, ...lookedInto]
let service: TestService
let hostile: TestTenant
let bystander: TestTenant

beforeAll(async () => {
  service = await startService({
    modules: all,
    env: {
      SERVICE_SUBMIT_WAIT_MS: '0',
      SERVICE_SWEEP_MS: '50',
      SERVICE_RECONCILE_MS_MIN: '10',
      SERVICE_RECONCILE_MS_MAX: '200',
    },
  })
  hostile = await service.tenant({
    policy: {
      allowed_systems: all.map(({ name }) => name),
      approval_required_at: 'medium',
      review_route: 'leads',
    },
    actuators: all.map(({ name }): RegisteredActuator => ({ name, kind: 'module', settings: {} })),
  })
  bystander = await service.tenant()
})

afterAll(() => service.close())

describe('a module that', () => {
  it.each(modules.filter(({ name }) => name.startsWith('request')).map(({ name }) => name))(
    'breaks at %s ends its own action before any call, and no other',
    async system => {
      const { body } = await hostile.submit({ system })
      const other = await bystander.submit()
      expect(await bystander.settled(other.body.action_id)).toMatchObject({ status: 'executed' })
      expect(await hostile.settled(body.action_id)).toMatchObject({
        status: 'execution_failed',
        execution: { error: { code: 'actuator_faulty' } },
        job: { attempt: 0 },
      })
    },
  )

  it.each(['idempotency', 'retention', 'proof', 'timeout', 'lookup', 'timeout-no-number'])(
    'has an unreadable member %s ends its own action, and no other',
    async system => {
      const { body } = await hostile.submit({ system })
      const other = await bystander.submit()
      expect(await bystander.settled(other.body.action_id)).toMatchObject({ status: 'executed' })
      expect(await hostile.settled(body.action_id)).toMatchObject({
        status: 'execution_failed',
        execution: { error: { code: 'actuator_faulty' } },
      })
    },
  )

  it('throws what throws again has an outcome that nobody knows', async () => {
    const { body } = await hostile.submit({ system: 'throws-oddly' })
    const { status, events } = await hostile.settled(body.action_id)
    expect(status).toBe('outcome_unknown')
    // A round that finds nothing may have added its own.
    expect(events.find(({ kind }) => kind === 'execution')?.body).toMatchObject({
      error: { code: 'actuator_threw' },
    })
  })

  it.each(lookedInto.map(({ name }) => [name]))(
    'breaks at %s leaves its own outcome to an operator, no other',
    async system => {
      const { body } = await hostile.submit({ system })
      await expect
        .poll(async () => (await hostile.trace(body.action_id)).events.at(-1)?.body?.needs_operator, {
          timeout: 10_000,
        })
        .toBe(true)
      const { events } = await hostile.trace(body.action_id)
      expect(events.at(-1)?.body).toMatchObject({
        outcome: 'unknown',
        error: { code: system.startsWith('lookup') ? 'lookup_threw' : 'actuator_faulty' },
      })
      expect(service.logged()).not.toContain('"where":"reconcile"')
    },
  )
})
