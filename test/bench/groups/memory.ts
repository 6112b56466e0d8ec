import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from '../bench.ts'
import { note } from '../figure.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { proposalParts, type RunningProcess, startPlatform } from '../setup/platform.ts'

const restMs = 3_000
const lookMs = 250
const mebibyte = 2 ** 20
const connections = 32

/** Resident memory of API and worker at rest, after a little of their work; under load, at its highest; and at rest again. */
export async function benchMemory({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  try {
    const api = await platform.startApi()
    const processes = { api, worker: await platform.startWorker() }
    const order = { url: `${api.url}/v1/actions`, headers: api.headers, body: proposalParts(), connections }
    await load.run({ ...order, connections: 1, ms: restMs, answersMax: 20 })
    note('memory: at rest')
    await setTimeout(quick ? restMs / 3 : restMs)
    const tell = (when: string, found: Record<string, number>): void => {
      for (const [name, bytes] of Object.entries(found))
        emit({ bench: 'memory', figure: `${name}_${when}`, value: bytes / mebibyte, unit: 'MiB' })
    }
    tell('at_rest', await resident(processes))
    note('memory: under load')
    const loading = load.run({ ...order, ms: quick ? 4_000 : 20_000 })
    tell('under_load_highest', await highest(processes, loading))
    await setTimeout(quick ? restMs : 10_000)
    tell('at_rest_after_load', await resident(processes))
  } finally {
    await load.stop()
    await platform.stop()
  }
}

type Processes = Record<string, RunningProcess>

async function resident(processes: Processes): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [name, { usage }] of Object.entries(processes)) found[name] = (await usage()).residentBytes
  return found
}

async function highest(processes: Processes, loading: Promise<unknown>): Promise<Record<string, number>> {
  let goesOn = true
  const ended = loading.finally(() => {
    goesOn = false
  })
  const most: Record<string, number> = {}
  while (goesOn) {
    for (const [name, bytes] of Object.entries(await resident(processes)))
      most[name] = Math.max(bytes, most[name] ?? 0)
    await setTimeout(lookMs)
  }
  await ended
  return most
}
