import type { BenchOptions } from './bench.ts'
import { startProgram } from './child-program.ts'
import { type Emit, median, note } from './figure.ts'
import { type LoadGenerator, type LoadOrder, type LoadReport, startLoadGenerator } from './load.ts'
import { type Platform, proposalParts, startPlatform } from './platform.ts'

/** A server under load: where, with which headers, and the CPU seconds it has used. */
export interface Target {
  url: string
  headers: Record<string, string>
  cpuSeconds(): Promise<number>
}

interface Round extends LoadReport {
  cpuUs: number
}

/** Answers after which the compiler has done its work. */
const warmUpAnswers = 8_000
const warmUpMsMax = 10_000
/** Load before each round that is not counted. */
const settleMs = 200

/** Durable accept of the real API process, with everything on, against the floor on the same Postgres. */
export async function benchAccept({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const floor = startProgram('floor-program')
  try {
    const targets = { service: await serviceTarget(platform), floor: await floorTarget(platform, floor) }
    note('accept: warming up')
    for (const target of [targets.floor, targets.service]) {
      const bounds = quick ? { ms: 1_000 } : { ms: warmUpMsMax, answersMax: warmUpAnswers }
      await load.run({ ...orderFor(target, 32), ...bounds })
    }
    const times = quick ? { rounds: 3, ms: 500 } : { rounds: 9, ms: 1_000 }
    const named = { bench: 'accept', floor_is }
    for (const connections of [32, 1]) await compare(targets, load, { ...named, connections, ...times, emit })
  } finally {
    await Promise.all([load.stop(), floor.stop()])
    await platform.stop()
  }
}

const floor_is = 'a bare Express handler, zod, five statements in a transaction, pool of 10, same Postgres'

export function orderFor({ url, headers }: Target, connections: number): Omit<LoadOrder, 'ms'> {
  return { url, headers, body: proposalParts(), connections }
}

export async function serviceTarget(platform: Platform, root?: string): Promise<Target> {
  const api = await platform.startApi(root)
  return {
    url: `${api.url}/v1/actions`,
    headers: api.headers,
    cpuSeconds: async () => (await api.usage()).cpuSeconds,
  }
}

async function floorTarget(platform: Platform, floor: ReturnType<typeof startProgram>): Promise<Target> {
  const database = 'floor'
  await platform.sql.unsafe(`create database ${database}`)
  const { socketDirectory: host, superuser: user } = platform.postgres
  const { url } = await floor.ask<{ url: string }>({ start: { host, user, database } })
  return { url, headers: {}, cpuSeconds: () => floor.ask<number>({ usage: true }) }
}

export interface Comparison {
  bench: string
  floor_is: string
  connections: number
  rounds: number
  ms: number
  emit: Emit
}

/** Load for both in turns; the figures of the service over those of the floor. */
export async function compare(
  targets: { service: Target; floor: Target },
  load: LoadGenerator,
  comparison: Comparison,
): Promise<void> {
  const { bench, connections, rounds, emit } = comparison
  const service: Round[] = []
  const floor: Round[] = []
  for (let round = 1; round <= rounds; round += 1) {
    note(`${bench}: ${connections} connections, round ${round} of ${rounds}`)
    floor.push(await measure(targets.floor, load, comparison))
    service.push(await measure(targets.service, load, comparison))
  }
  const of = (read: (round: Round) => number) => ({
    value: median(service.map(read)),
    floor: median(floor.map(read)),
    ratio: median(service.map((round, at) => read(round) / read(floor[at] ?? round))),
  })
  const name = `${connections}_connections`
  const figure = (
    what: string,
    unit: string,
    read: (round: Round) => number,
    detail?: { floor_is: string },
  ) => emit({ bench, figure: `${what}_${name}`, ...of(read), unit, ...(detail ? { detail } : {}) })
  figure('throughput', 'requests/s', round => round.perSecond, { floor_is: comparison.floor_is })
  figure('latency_p50', 'ms', round => round.p50)
  figure('latency_p99', 'ms', round => round.p99)
  figure('cpu_of_the_process', 'us/request', round => round.cpuUs)
}

async function measure(target: Target, load: LoadGenerator, comparison: Comparison): Promise<Round> {
  const order = orderFor(target, comparison.connections)
  await load.run({ ...order, ms: settleMs })
  const before = await target.cpuSeconds()
  const report = await load.run({ ...order, ms: comparison.ms })
  const used = (await target.cpuSeconds()) - before
  return { ...report, cpuUs: (used * 1e6) / report.answers }
}
