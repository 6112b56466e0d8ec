import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { createSweepMetrics } from '../../../shared/runtime/telemetry/sweep-metrics.ts'
import { readScrape } from '../../support/service/scrape.ts'

const freshMs = 6_000
const backlog = {
  pending: 3,
  leased: 2,
  unknown: 1,
  needs_operator: 0,
  due: 3,
  oldest_due_ms: 4_500,
  held: 0,
  oldest_held_ms: 0,
  hold_used: 0.25,
  oldest_unknown_ms: 1_250,
  freezes: 0,
  workers: 1,
}
const messages = { due: 2, oldest_due_ms: 750, disabled: 1 }
const slots = { unread_slots: 1, wal_kept_bytes: 16_000_000 }
const logs = { waiting: 7, oldest_ms: 1_500, unsigned: 1 }

let now = 0
let registry: Registry
let metrics: ReturnType<typeof createSweepMetrics>

beforeEach(() => {
  now = 1_000_000
  registry = new Registry()
  metrics = createSweepMetrics(registry, freshMs, () => now)
})

async function told() {
  return readScrape(await registry.metrics())
}

describe('what a sweep measured', () => {
  it('is not told before the first: a process that never sweeps says no zero', async () => {
    const { samples, names } = await told()
    expect(samples).toEqual([])
    expect(names).toContain('action_gate_due_age_seconds')
  })

  it('is told in seconds', async () => {
    metrics.measured(backlog, logs, messages, slots)
    const { value, samples } = await told()
    expect(value('action_gate_due_age_seconds')).toBe(4.5)
    expect(value('action_gate_log_lag_seconds')).toBe(1.5)
    expect(value('action_gate_unknown_age_seconds')).toBe(1.25)
    expect(value('action_gate_wal_kept_bytes')).toBe(16_000_000)
    expect(value('action_gate_approval_deadline_used_ratio')).toBe(0.25)
    expect(value('action_gate_webhook_due_age_seconds')).toBe(0.75)
    expect(value('action_gate_jobs', { state: 'leased' })).toBe(2)
    expect(samples).toHaveLength(20)
  })

  it('is told until it is too old, and again after the next', async () => {
    metrics.measured(backlog, logs, messages, slots)
    now += freshMs
    expect((await told()).samples).toHaveLength(20)
    now += 1
    expect((await told()).samples).toEqual([])
    metrics.measured({ ...backlog, due: 9 }, logs, messages, slots)
    expect((await told()).value('action_gate_due_jobs')).toBe(9)
  })
})
