import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFailingSystems } from '../../../shared/runtime/telemetry/failing-systems.ts'
import { readScrape } from '../../support/service/scrape.ts'

const spanMs = 300_000

let now = 0
let registry: Registry
let systems: ReturnType<typeof createFailingSystems>

beforeEach(() => {
  now = 1_000_000
  registry = new Registry()
  systems = createFailingSystems(registry, () => now)
})

async function told() {
  return readScrape(await registry.metrics())
}

function call(system: string, result: 'succeeded' | 'failed', times: number): void {
  for (let time = 0; time < times; time += 1) systems.systemCalled('acme', system, result)
}

describe('calls by tenant and system', () => {
  it('are told of a system with one that failed, and of no other', async () => {
    call('payments', 'succeeded', 5)
    call('crm', 'succeeded', 3)
    call('crm', 'failed', 1)
    const { samples } = await told()
    expect(samples.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { tenant: 'acme', system: 'crm', result: 'succeeded', value: 3 },
      { tenant: 'acme', system: 'crm', result: 'failed', value: 1 },
    ])
  })

  it('name ten systems at most, those with the most that failed', async () => {
    for (let system = 1; system <= 500; system += 1) call(`s${system}`, 'failed', system % 100)
    const { samples } = await told()
    expect(samples).toHaveLength(20)
    expect(
      Math.min(...samples.filter(({ labels }) => labels.result === 'failed').map(({ value }) => value)),
    ).toBe(98)
  })

  it('are of the present span and the one before', async () => {
    call('crm', 'failed', 2)
    now += spanMs
    call('crm', 'failed', 1)
    expect((await told()).value('action_gate_system_calls', { result: 'failed' })).toBe(3)
    now += spanMs
    expect((await told()).value('action_gate_system_calls', { result: 'failed' })).toBe(1)
    now += spanMs
    expect((await told()).samples).toEqual([])
  })

  it('of more systems than are counted take no more memory', async () => {
    for (let system = 0; system < 10_500; system += 1) call(`s${system}`, 'succeeded', 1)
    call('s10400', 'failed', 1)
    call('s1', 'failed', 1)
    expect((await told()).samples.map(({ labels }) => labels.system)).toEqual(['s1', 's1'])
  })
})
