import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type Platform, startPlatform } from '../support/platform.ts'
import { freePort } from '../support/redis-program.ts'

let platform: Platform

beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(platform.output()))
  platform = await startPlatform(inject('redisUrl'), { SERVICE_SWEEP_MS: '200' })
})
afterEach(() => platform.stop())

it('a worker is ready though nobody can read what tenants have registered', async () => {
  await platform.startApi()
  const port = await freePort()
  const ready = (options: RequestInit) => fetch(`http://127.0.0.1:${port}/ready`, options)
  await platform.sql.begin(async held => {
    await held`lock table action_gate.actuators in access exclusive mode`
    platform.launchWorker({ SERVICE_WORKER_PORT: String(port), SERVICE_STATEMENT_MS_MAX: '30000' })
    await expect.poll(workersHeld, { timeout: 10_000 }).toBe(1)
    // A secret that a registration refers to is judged for its job, not at the start.
    expect((await ready({ signal: AbortSignal.timeout(5_000) })).status).toBe(200)
  })
}, 60_000)

async function workersHeld(): Promise<number | undefined> {
  const [found] = await platform.sql<{ count: number }[]>`
    select count(*)::int4 as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and application_name = 'action-gate-worker'`
  return found?.count
}
