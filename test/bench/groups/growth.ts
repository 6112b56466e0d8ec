import type { BenchOptions } from '../bench.ts'
import { compare, serviceTarget, warmUp } from '../compare.ts'
import { note } from '../figure.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { startPlatform } from '../setup/platform.ts'
import { seedActions } from '../setup/seed-actions.ts'

/** Whether tables that grow ask for partitions: durable accept with 1,000,000 executed actions of the tenant, against none. */
export async function benchGrowth({ emit, quick }: BenchOptions): Promise<void> {
  const full = await startPlatform()
  const empty = await startPlatform()
  const load = startLoadGenerator()
  try {
    const targets = { service: await serviceTarget(full), floor: await serviceTarget(empty) }
    const count = quick ? 20_000 : 1_000_000
    await seedActions(full.sql, { tenant: 'bench', count, mark: '1', status: 'executed' })
    await full.sql`checkpoint`
    note('growth: warming up')
    await warmUp(targets, load, quick)
    const times = quick ? { rounds: 2, ms: 500 } : { rounds: 9, ms: 1_000 }
    const floor_is = 'the same API with an empty database'
    const prefix = `accept_at_${count}_actions_`
    await compare(targets, load, { bench: 'growth', prefix, floor_is, connections: 32, ...times, emit })
  } finally {
    await load.stop()
    await Promise.all([full.stop(), empty.stop()])
  }
}
