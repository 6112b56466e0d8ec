import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { version } from '../../../shared/runtime/version.ts'
import { readScrape, type Scrape } from '../../support/service/scrape.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ platform: true, env: { SERVICE_RATE_LIMIT: '300' } })
  tenant = await service.tenant()
})
afterAll(() => service.close())

async function told(of: TestService = service): Promise<Scrape> {
  return readScrape((await of.call('GET', '/metrics')).text)
}

describe('of an action', () => {
  it('an approval is counted, with the time it was held', async () => {
    const [held, refused] = [await tenant.submit({ risk: 'high' }), await tenant.submit({ risk: 'high' })]
    await expect.poll(async () => (await told()).value('action_gate_approvals_pending')).toBe(2)
    await tenant.approve(held.body.action_id)
    await tenant.reject(refused.body.action_id)
    const { value } = await told()
    for (const outcome of ['approved', 'rejected']) {
      expect(value('action_gate_approvals_total', { outcome })).toBe(1)
      expect(value('action_gate_approval_held_seconds_count', { outcome })).toBe(1)
      expect(value('action_gate_approval_held_seconds_sum', { outcome })).toBeGreaterThan(0)
    }
    expect(value('action_gate_approvals_total', { outcome: 'expired' })).toBe(0)
  })

  it('verdict, queue wait and execution have their histograms', async () => {
    const { body } = await tenant.submit()
    await tenant.settled(body.action_id)
    const { value } = await told()
    expect(value('action_gate_decision_seconds_count')).toBe(3)
    expect(value('action_gate_queue_wait_seconds_count')).toBe(2)
    expect(value('action_gate_execution_seconds_count', { kind: 'mock' })).toBe(2)
    expect(value('action_gate_attempts_total', { outcome: 'ok' })).toBe(2)
  })
})

describe('of the process', () => {
  it('build, queue, connections, slots and event loop are told', async () => {
    const { value } = await told()
    expect(value('action_gate_build_info', { version, node: process.version })).toBe(1)
    expect(value('action_gate_queue_up')).toBe(1)
    expect(value('action_gate_pool_size', { pool: 'transactions' })).toBe(5)
    expect(value('action_gate_worker_slots')).toBe(50)
    expect(value('action_gate_worker_calls')).toBe(0)
    expect(value('action_gate_worker_call_deadline_used_ratio')).toBeLessThan(0.5)
    expect(value('action_gate_nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('connections in use and callers without one are told at the moment of the scrape', async () => {
    const { context } = service
    let release = (): void => undefined
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const held = Array.from({ length: 7 }, () => context.store.write('all', () => released))
    const state = async (name: string) =>
      readScrape(await context.events.registry.metrics()).value('action_gate_pool_connections', {
        pool: 'transactions',
        state: name,
      })
    await expect.poll(() => state('in_use')).toBe(5)
    expect(await state('waiting')).toBeGreaterThanOrEqual(2)
    release()
    await Promise.all(held)
    await expect.poll(() => state('waiting')).toBe(0)
  })

  it('what a sweep measures is not told by a process that does not sweep', async () => {
    const api = await startService({ worker: null })
    try {
      const { samples, value } = await told(api)
      const names = new Set(samples.map(({ name }) => name))
      for (const name of ['jobs', 'due_age_seconds', 'log_lag_seconds', 'worker_slots'])
        expect(names).not.toContain(`action_gate_${name}`)
      expect(value('action_gate_queue_up')).toBe(1)
    } finally {
      await api.close()
    }
  })
})

it('a refused request is counted by its limit', async () => {
  // More than two windows let through, for they may lie in two.
  for (let bursts = 0; bursts < 2; bursts += 1)
    await Promise.all(Array.from({ length: 330 }, () => tenant.trace('act_none')))
  expect((await told()).value('action_gate_rate_limited_total', { limit: 'requests' })).toBeGreaterThan(0)
})

it('requests whose clients leave before the answer are counted and logged as that', async () => {
  const { approver } = await service.tenant()
  const headers = `host: x\r\nauthorization: Bearer ${approver}\r\ncontent-type: application/json`
  const length = 'content-length: 100\r\nexpect: 100-continue'
  const path = `/v1/actions/act_${'0'.repeat(36)}/approve`
  for (let times = 0; times < 50; times += 1) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n${length}\r\n\r\n{`)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 100 /)
    // Every other one goes while its body is awaited: a later request with that key is answered by then.
    if (times % 2 === 1) await service.call('GET', '/v1/actions', { key: approver })
    socket.destroy()
  }
  const asked = { route: '/v1/actions/{action_id}/approve', method: 'POST' }
  const counted = async () =>
    (await told()).value('action_gate_request_seconds_count', { ...asked, status: '499' })
  await expect.poll(counted).toBe(50)
  const lines = service
    .logged()
    .split('\n')
    .filter(line => line.includes('"msg":"request"') && line.includes('"status":499'))
  expect(lines.map(line => JSON.parse(line))).toMatchObject(lines.map(() => asked))
  expect(lines).toHaveLength(50)
})

const word = /^[a-z_]{1,32}$/
const routes: ReadonlySet<string> = new Set([...Object.values(endpoints).map(({ path }) => path), 'unknown'])

/** Every label, and the values that it may have. */
const labels: Readonly<Record<string, (value: string) => boolean>> = {
  route: value => routes.has(value),
  method: value => /^[A-Z-]{3,12}$/.test(value),
  status: value => /^\d{3}$/.test(value) || word.test(value),
  le: value => value === '+Inf' || Number.isFinite(Number(value)),
  quantile: value => Number.isFinite(Number(value)),
  version: value => /^v?\d+\.\d+\.\d+$/.test(value),
  node: value => value === process.version,
  major: value => /^\d+$/.test(value),
  minor: value => /^\d+$/.test(value),
  patch: value => /^\d+$/.test(value),
  type: value => /^[A-Za-z]{1,32}$/.test(value),
  space: value => word.test(value),
  ...Object.fromEntries(
    ['decision', 'outcome', 'kind', 'settled', 'where', 'role', 'state', 'pool', 'limit'].map(name => [
      name,
      (value: string) => word.test(value),
    ]),
  ),
}
const kindsOfGc: ReadonlySet<string> = new Set(['major', 'minor', 'incremental', 'weakcb'])

/** The only one that names tenants, where calls fail: ten systems at most (test/pure/runtime/failing-systems.test.ts). */
const ofFailingSystems = 'action_gate_system_calls'

it('labels have few values; but for failing systems they name no tenant or action', async () => {
  for (const path of ['/v1/actions/act_x', `/v1/${tenant.id}`, '/v1/ready', `/${tenant.agent}`])
    await service.call('GET', path, { key: tenant.agent })
  const { samples: all } = await told()
  const samples = all.filter(({ name }) => name !== ofFailingSystems)
  const odd = samples.flatMap(({ name, labels: found }) =>
    Object.entries(found)
      .filter(([label, value]) => !(labels[label]?.(value) || kindsOfGc.has(value)))
      .map(([label, value]) => `${name}{${label}="${value}"}`),
  )
  expect(odd).toEqual([])
  const secret = [tenant.id, 'act_', 'agk_', tenant.agent.split('.')[0] ?? '', '127.0.0.1']
  const values = samples.flatMap(({ labels: found }) => Object.values(found))
  expect(values.filter(value => secret.some(one => value.includes(one)))).toEqual([])
  expect(samples.length).toBeLessThan(1_500)
})
