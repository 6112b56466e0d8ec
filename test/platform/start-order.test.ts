import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { testKeyPem } from '../support/audit/signing-key.ts'
import { type Platform, startPlatform } from '../support/platform/platform.ts'
import { freePort } from '../support/servers/redis-program.ts'

let platform: Platform

beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(platform.output()))
  platform = await startPlatform(inject('redisUrl'), { SERVICE_SWEEP_MS: '200' })
})
afterEach(() => platform.stop())

it('a worker takes its port first, and answers that it is ready once it has started', async () => {
  await platform.startApi()
  const port = await freePort()
  const { waiting } = await platform.sql.begin(async held => {
    // A start makes its signing keys known, and cannot while they are locked.
    await held`lock table action_gate.signing_keys in access exclusive mode`
    const environment = { SERVICE_SIGNING_KEY: testKeyPem(), SERVICE_STATEMENT_MS_MAX: '30000' }
    platform.launchWorker({ SERVICE_WORKER_PORT: String(port), ...environment })
    await expect.poll(() => processesHeld('action-gate-worker'), { timeout: 20_000 }).toBe(1)
    const request = fetch(`http://127.0.0.1:${port}/ready`)
    expect(await Promise.race([request, held`select pg_sleep(1)`.then(() => 'waits')])).toBe('waits')
    return { waiting: request.then(({ status }) => status) }
  })
  expect(await waiting).toBe(200)
}, 60_000)

it('a worker is ready though nobody can read what tenants have registered', async () => {
  await platform.startApi()
  const port = await freePort()
  const ready = (options: RequestInit) => fetch(`http://127.0.0.1:${port}/ready`, options)
  await platform.sql.begin(async held => {
    await held`lock table action_gate.actuators in access exclusive mode`
    platform.launchWorker({ SERVICE_WORKER_PORT: String(port), SERVICE_STATEMENT_MS_MAX: '30000' })
    await expect.poll(() => processesHeld('action-gate-worker'), { timeout: 10_000 }).toBe(1)
    // A secret that a registration refers to is judged for its job, not at the start.
    expect((await ready({ signal: AbortSignal.timeout(5_000) })).status).toBe(200)
  })
}, 60_000)

it('a request that comes during the start of an API waits for its answer', async () => {
  const port = await freePort()
  const { waiting } = await platform.sql.begin(async held => {
    await held`lock table action_gate.workers in access exclusive mode`
    platform.launchApi(port, { SERVICE_STATEMENT_MS_MAX: '30000' })
    await expect.poll(() => processesHeld('action-gate-api'), { timeout: 20_000 }).toBe(1)
    // The port is taken already, so the request connects. A process that answers does so well within a second.
    const request = fetch(`http://127.0.0.1:${port}/health`)
    expect(await Promise.race([request, held`select pg_sleep(1)`.then(() => 'waits')])).toBe('waits')
    return { waiting: request.then(({ status }) => status) }
  })
  expect(await waiting).toBe(200)
}, 60_000)

it('an API that loses the database during its start ends before it answers', async () => {
  const port = await freePort()
  await platform.sql.begin(async held => {
    await held`lock table action_gate.workers in access exclusive mode`
    const api = platform.launchApi(port, { SERVICE_STATEMENT_MS_MAX: '30000' })
    await expect.poll(() => processesHeld('action-gate-api'), { timeout: 20_000 }).toBe(1)
    const request = fetch(`http://127.0.0.1:${port}/health`)
    await held`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name = 'action-gate-api'`
    await expect(request).rejects.toThrow('fetch failed')
    expect(await api.exited).toEqual({ code: 1, signal: null })
    expect(api.output()).not.toContain('listening')
  })
}, 60_000)

async function processesHeld(name: string): Promise<number | undefined> {
  const [found] = await platform.sql<{ count: number }[]>`
    select count(*)::int4 as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and application_name = ${name}`
  return found?.count
}
