import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from './bench.ts'
import { note } from './figure.ts'
import { startLoadGenerator } from './load.ts'
import { proposalParts, startPlatform } from './platform.ts'

const restMs = 3_000
const mebibyte = 1024 ** 2

/** Resident memory of API and worker at rest, after they have done a little of their work. */
export async function benchMemory({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  try {
    const api = await platform.startApi()
    const worker = await platform.startWorker()
    const { url, headers } = api
    const order = { url: `${url}/v1/actions`, headers, body: proposalParts(), connections: 1 }
    await load.run({ ...order, ms: restMs, answersMax: 20 })
    note('memory: at rest')
    await setTimeout(quick ? restMs / 3 : restMs)
    const processes = { api, worker }
    for (const [name, { usage }] of Object.entries(processes)) {
      const value = (await usage()).residentBytes / mebibyte
      emit({ bench: 'memory', figure: `${name}_at_rest`, value, unit: 'MiB' })
    }
  } finally {
    await load.stop()
    await platform.stop()
  }
}
