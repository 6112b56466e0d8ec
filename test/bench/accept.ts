import type { BenchOptions } from './bench.ts'
import { startProgram } from './child-program.ts'
import { compare, serviceTarget, warmUp } from './compare.ts'
import { note } from './figure.ts'
import { startFloor } from './floor.ts'
import { startLoadGenerator } from './load.ts'
import { startPlatform } from './platform.ts'

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
    const times = quick ? { rounds: 3, ms: 500 } : { rounds: 9, ms: 1_000 }
    const floor_is =
      'a bare Express handler, zod, five statements in a transaction, pool of 10, same Postgres'
    for (const connections of [32, 1])
      await compare(targets, load, { bench: 'accept', floor_is, connections, ...times, emit })
  } finally {
    await Promise.all([load.stop(), program.stop()])
    await platform.stop()
  }
}
