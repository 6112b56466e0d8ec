import { nodeFlags } from '../../support/platform/node-flags.ts'
import type { BenchOptions } from '../bench.ts'
import { compare, type Target, warmUp } from '../compare.ts'
import { note } from '../figure.ts'
import { type ChildProgram, startProgram } from '../programs/child-program.ts'
import { startFloor } from '../setup/floor.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { type Platform, platformEnvironment, proposalParts, startPlatform } from '../setup/platform.ts'

const bench = 'http'
const floor_is = 'bare Express and zod on the same proposals'

/**
 * CPU of the HTTP layer around a proposal: everything that happens to a request but the work of its endpoint. Then the
 * same with that work and without the database: hashes, gate, sealing and the answer.
 */
export async function benchHttp({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const silent = { silent: true }
  const programs = [
    startProgram('floor-program', silent),
    ...[1, 2].map(() => startProgram('http-program', { ...silent, flags: nodeFlags })),
  ]
  const [floorProgram, layer, whole] = programs
  try {
    if (!floorProgram || !layer || !whole) throw new Error('a program is missing')
    const api = await platform.startApi()
    const { url, cpuSeconds } = await startFloor(platform, floorProgram)
    const floor: Target = { url: `${url}/parse`, headers: {}, cpuSeconds }
    const times = quick ? { rounds: 3, ms: 500 } : { rounds: 7, ms: 1_000 }
    const measure = async (prefix: string, program: ChildProgram, refuse: boolean): Promise<void> => {
      const service = await startTarget(platform, program, { headers: api.headers, refuse })
      note(`http: warming up${prefix}`)
      await warmUp({ service, floor }, load, quick)
      await compare({ service, floor }, load, { bench, prefix, floor_is, connections: 32, ...times, emit })
    }
    await measure('layer_', layer, true)
    await measure('accept_without_database_', whole, false)
  } finally {
    await Promise.all([load, ...programs].map(each => each.stop()))
    await platform.stop()
  }
}

/** Refusing is what an unknown tenant gets: the proposal was read and hashed, and there are no rules for it. */
async function startTarget(
  platform: Platform,
  program: ChildProgram,
  { headers, refuse }: { headers: Record<string, string>; refuse: boolean },
): Promise<Target> {
  const start = { environment: platformEnvironment(platform), refuse }
  const { url } = await program.ask<{ url: string }>({ start })
  const request = { body: proposalParts(), ...(refuse ? { expected: 404 } : {}) }
  return {
    url: `${url}/v1/actions`,
    headers,
    cpuSeconds: () => program.ask<number>({ usage: true }),
    request: () => request,
  }
}
