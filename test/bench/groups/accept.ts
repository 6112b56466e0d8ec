import type { BenchOptions } from '../bench.ts'
import { compare, serviceTarget, warmUp } from '../compare.ts'
import { note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startFloor } from '../setup/floor.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { startPlatform } from '../setup/platform.ts'

/** With one connection a round says less: one second of it has a third of the answers and as much of the noise. */
const turns = [
  { connections: 32, rounds: 9 },
  { connections: 1, rounds: 25 },
] as const

/** Durable accept of the real API process, with everything on, against the floor on the same Postgres. */
export async function benchAccept({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const program = startProgram('floor-program')
  try {
    const { url, cpuSeconds } = await startFloor(platform, program)
    const targets = {
      service: await serviceTarget(platform),
      floor: { url: `${url}/actions`, headers: {}, cpuSeconds },
    }
    note('accept: warming up')
    await warmUp(targets, load, quick)
    const floor_is =
      'a bare Express handler, zod, five statements in a transaction, pool of 10, same Postgres'
    for (const { connections, rounds } of turns) {
      const times = quick ? { rounds: 3, ms: 500 } : { rounds, ms: 1_000 }
      await compare(targets, load, { bench: 'accept', floor_is, connections, ...times, emit })
    }
  } finally {
    await Promise.all([load.stop(), program.stop()])
    await platform.stop()
  }
}
