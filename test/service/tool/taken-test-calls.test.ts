import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ToolTested } from '../../../shared/contract/configuration/tool-import.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import {
  type Equipment,
  markWorker,
  type OpenedRegistry,
  offerOf,
  openRegistry,
} from '../../../shared/flow/execution/mark-worker.ts'
import { findTestCalls, sweepTestCalls, takeTest } from '../../../shared/flow/tool/take-test-calls.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { eventually } from '../../support/platform/platform-waiting.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** An API alone, and what workers do with a test call that it asks for, step by step. */
const token = 'token-of-the-workers'
const equipment: Equipment = { modules: [], secrets: new Map([['ACTUATOR_SHOP_TOKEN', token]]) }
let service: TestService
let workers: TestService[]
let registries: OpenedRegistry[]
let tenant: TestTenant
let downstream: Downstream
let respond: (response: ServerResponse) => void

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => respond(response))
  const env = { SERVICE_EGRESS_ALLOW: '127.0.0.1' }
  service = await startService({ env, worker: null, platform: true })
  const { database } = service
  workers = await Promise.all(
    ['one', 'two'].map(() => startService({ env, worker: null, platform: true, database })),
  )
  registries = workers.map(({ context }) => openRegistry(context, equipment))
})

beforeEach(async () => {
  tenant = await service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
  expect((await registered('/orders')).status).toBe(200)
  await markWorker(service.context, 'wrk_one', offerOf(service.context, equipment))
  downstream.seen.length = 0
  respond = response => void response.end('{"id":7}')
})

afterAll(async () => {
  await Promise.all(registries.map(({ close }) => close()))
  await Promise.all(workers.map(({ close }) => close()))
  await service.close()
  await downstream.close()
})

const entry = {
  system: 'shop',
  operation: 'list',
  title: 'List',
  parameter_schema: { type: 'object', additionalProperties: false },
  minimum_risk: 'low',
  effects: ['reads data'],
  reversibility: 'reversible',
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none',
  tool_schema_hash: null,
}

function registered(path: string) {
  const settings = {
    base_url: downstream.url,
    timeout_ms: 1_000,
    auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
    operations: { list: { method: 'GET', path } },
  }
  const json = { actuator: { name: 'shop', kind: 'http', settings }, operations: [entry] }
  return service.call('PUT', `/v1/tenants/${tenant.id}/tools/shop`, { admin: service.admin, json })
}

/** Asks for a test call, up to where it waits for a worker. */
async function asked() {
  const path = `/v1/tenants/${tenant.id}/tools/shop/test`
  const json = { operation: 'list', parameters: {} }
  const answer = service.call<ToolTested>('POST', path, { admin: service.admin, json })
  const waiting = await eventually('a test call waits', async () => {
    const [found] = await findTestCalls(service.context, 1)
    return found ?? null
  })
  return { waiting, tested: async () => (await answer).body }
}

function take(at: number, waiting: Parameters<typeof takeTest>[2], over: Partial<Context> = {}) {
  const { context } = workers[at] as TestService
  const as = { worker: `wrk_${at}`, offer: offerOf(context, equipment) }
  return takeTest({ ...context, ...over }, as, waiting)
}

const expire = (column: 'take_before' | 'ends_at') =>
  asWriter(service.context.store, `update test_calls set ${column} = clock_timestamp() - interval '1 second'`)

async function phases(): Promise<string[]> {
  const rows = await asReader<{ payload: string }>(
    service.context.store,
    `select convert_from(payload, 'UTF8') as payload from config_payloads join config_events using (tenant_id, sequence)
     where tenant_id = '${tenant.id}' and kind = 'tool_tested' order by sequence`,
  )
  return rows.map(({ payload }) => {
    const { phase, outcome = '' } = JSON.parse(payload) as { phase: string; outcome?: string }
    return `${phase} ${outcome}`.trim()
  })
}

describe('a test call that waits for a worker', () => {
  it('is made by one of two that take it together', async () => {
    const { waiting, tested } = await asked()
    await Promise.all([take(0, waiting), take(1, waiting)])
    expect(await tested()).toMatchObject({ sent: 'called', verdict: { outcome: 'executed' } })
    expect(downstream.seen).toHaveLength(1)
    expect(await phases()).toEqual(['called', 'answered executed'])
  })

  it('is not made as another request than the one that was shown', async () => {
    const { waiting, tested } = await asked()
    await registered('/other')
    await take(0, waiting)
    await expire('take_before')
    expect((await tested()).sent).toBe('no_worker')
    expect(downstream.seen).toEqual([])
  })

  it('is not made once it was taken back', async () => {
    const { waiting, tested } = await asked()
    await expire('take_before')
    expect((await tested()).sent).toBe('no_worker')
    await take(0, waiting)
    expect([downstream.seen, await phases()]).toEqual([[], []])
  })

  it('is unknown once its worker did not answer in time, whatever that says later', async () => {
    const { waiting, tested } = await asked()
    const held: ServerResponse[] = []
    respond = response => void held.push(response)
    const taking = take(0, waiting)
    await eventually('it is called', () => (held.length > 0 ? true : null))
    await expire('ends_at')
    expect((await tested()).verdict).toMatchObject({ outcome: 'unknown', rule: 'worker_lost' })
    held[0]?.end('{}')
    await taking
    expect(await phases()).toEqual(['called', 'answered unknown'])
  })

  it('is ended by a sweep where nobody asks any more, once', async () => {
    const { waiting, tested } = await asked()
    await take(0, waiting, { reach: async name => Promise.reject(new Error(name)) }).catch(() => undefined)
    await expire('ends_at')
    await Promise.all(workers.map(({ context }) => sweepTestCalls(context)))
    expect((await tested()).verdict?.rule).toBe('worker_lost')
    expect([downstream.seen, await phases()]).toEqual([[], ['called', 'answered unknown']])
  })

  it('is not sent by a worker that was held beyond its time', async () => {
    const { waiting, tested } = await asked()
    await take(0, waiting, { reach: name => delay(name === 'test_taken' ? 1_200 : 0) })
    expect((await tested()).verdict?.outcome).toBe('not_sent')
    expect(downstream.seen).toEqual([])
  })
})
