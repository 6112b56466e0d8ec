import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { processesOf } from '../../support/platform/processes.ts'
import {
  agentKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
  stop,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

let seed: ServicePlace
let place: ServicePlace
let db: string

beforeAll(async () => {
  seed = await makeSeed()
})

beforeEach(async () => {
  place = await makePlace(seed.directory)
  db = await place.plant('db')
})

/** Fails when a process of the test's services is left. */
afterEach(() => place.clear())

afterAll(() => seed.clear())

const quick = { SERVICE_LEASE_MS: '1000', SERVICE_SWEEP_MS: '200', SERVICE_RETRY_MS_MIN: '10' }

async function startSlow(
  delay_ms: number,
): Promise<{ service: RunningProcess; key: string; flags: string[] }> {
  const config = await place.configure({ settings: { delay_ms } })
  const flags = ['--tenant-db', db, '--config', config]
  const service = await place.start([...flags, '--bootstrap-admin-key-name', 'ops'], quick)
  return { service, key: await agentKey(service), flags }
}

/** Submits and comes back when the actuator is being called; `answer` is the response that is still to come. */
async function underWay({ call }: RunningProcess, key: string, prefer: string) {
  const answer = call<Verdict>('POST', '/v1/actions', { key, json: proposal(), headers: { prefer } })
  answer.catch(() => undefined)
  const executing = async () => {
    const path = '/v1/actions?status=executing'
    const { body } = await call<{ actions: { action_id: string }[] }>('GET', path, { key })
    return body.actions[0]?.action_id
  }
  await expect.poll(executing).toBeDefined()
  return { answer, id: await executing() }
}

describe('SIGTERM', () => {
  it('lets a request and its execution end, in bounded time, and leaves no process', async () => {
    const { service, key } = await startSlow(700)
    const { answer } = await underWay(service, key, 'wait=20')
    const begun = performance.now()
    service.process.signal('SIGTERM')
    expect((await answer).body.action_status).toBe('executed')
    expect(await service.process.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(processesOf(db)).toEqual([])
  })

  it('a further one ends it at once after a second, whatever is under way', async () => {
    const { service, key } = await startSlow(60_000)
    await underWay(service, key, 'wait=20')
    const begun = performance.now()
    const again = setInterval(() => service.process.signal('SIGTERM'), 100)
    try {
      expect(await service.process.exited).toEqual({ code: 1, signal: null })
    } finally {
      clearInterval(again)
    }
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_000)
    expect(performance.now() - begun).toBeLessThan(4_000)
  })
})

describe('kill -9', () => {
  it('leaves no process; the next start has everything and finishes what was running', async () => {
    const { service, key, flags } = await startSlow(1_500)
    const { id } = await underWay(service, key, 'wait=20')
    service.process.signal('SIGKILL')
    expect(await service.process.exited).toEqual({ code: null, signal: 'SIGKILL' })
    await expect.poll(() => processesOf(db), { timeout: 10_000 }).toEqual([])

    const next = await place.start(flags, quick)
    const { body: trace } = await next.call<Trace>('GET', `/v1/actions/${id}?wait=20`, { key })
    expect(trace.status).toBe('executed')
    expect(trace.events.map(({ kind, body }) => [kind, body?.outcome ?? null])).toEqual([
      ['proposal_received', null],
      ['verdict', null],
      ['execution_attempt', null],
      ['execution', 'retry'],
      ['execution_attempt', null],
      ['execution', 'ok'],
    ])
    await stop(next)
  })
})
