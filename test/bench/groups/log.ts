import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions } from '../bench.ts'
import { note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { type Platform, platformEnvironment, proposalParts, startPlatform } from '../setup/platform.ts'

const loadMsMax = 120_000
const lookMs = 10

/**
 * Changes a second that get their places in the logs of tenants, with proofs and signed statements: one process at a time
 * does this for a whole database. An executed action makes three changes.
 */
export async function benchLog({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const keeper = startProgram('log-keeper-program')
  try {
    const api = await platform.startApi()
    const order = { url: `${api.url}/v1/actions`, headers: api.headers, body: proposalParts() }
    const changes = quick ? 1_000 : 10_000
    await load.run({ ...order, connections: 32, ms: loadMsMax, answersMax: changes })
    note(`log: ${changes} changes wait for their places`)
    await keeper.ask({ start: { environment: platformEnvironment(platform) } })
    const [from, begun] = [await waiting(platform), performance.now()]
    for (let left = from; left > 0; left = await waiting(platform)) await pause(lookMs)
    const value = (from * 1_000) / (performance.now() - begun)
    emit({ bench: 'log', figure: 'changes_integrated', value, unit: 'changes/s', detail: { changes: from } })
  } finally {
    await Promise.all([load.stop(), keeper.stop()])
    await platform.stop()
  }
}

async function waiting({ sql }: Platform): Promise<number> {
  const [row] = await sql<{ changes: number }[]>`select count(*)::int as changes from action_gate.log_outbox`
  return row?.changes ?? 0
}
