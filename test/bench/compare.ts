import { type Emit, measured, median, note } from './figure.ts'
import type { LoadGenerator, LoadOrder, LoadReport } from './setup/load.ts'
import { type Platform, proposalParts, type RunningApi } from './setup/platform.ts'

/** A server under load: where, with which headers, and the CPU seconds it has used. */
export interface Target {
  url: string
  headers: Record<string, string>
  cpuSeconds(): Promise<number>
  /** What is sent in the next run; proposals unless given. */
  request?(): Pick<LoadOrder, 'body' | 'paths' | 'expected' | 'answersMax'>
}

export interface Comparison {
  bench: string
  floor_is: string
  connections: number
  rounds: number
  ms: number
  emit: Emit
  /** Goes before the names of the figures. */
  prefix?: string
}

interface Round extends LoadReport {
  cpuUs: number
}

/** Load before each round that is not counted. */
const settleMs = 200
const warmUpMsMax = 30_000
/** Answers after which the compiler of Node optimizes and takes back next to nothing more. */
const warmUpAnswers = 24_000

export interface Pair {
  service: Target
  floor: Target
}

export async function warmUp({ service, floor }: Pair, load: LoadGenerator, quick: boolean): Promise<void> {
  const bounds = quick ? { ms: 1_000 } : { ms: warmUpMsMax, answersMax: warmUpAnswers }
  for (const target of [floor, service]) await load.run({ ...orderFor(target, 32), ...bounds })
}

/** Load for both in turns, every second one backwards; the figures of the service over those of the floor. */
export async function compare(targets: Pair, load: LoadGenerator, comparison: Comparison): Promise<void> {
  const { bench, connections, rounds, emit, prefix = '', floor_is } = comparison
  const service: Round[] = []
  const floor: Round[] = []
  for (let round = 1; round <= rounds; round += 1) {
    note(`${bench}: ${prefix}${connections} connections, round ${round} of ${rounds}`)
    const turns = [
      async () => floor.push(await measure(targets.floor, load, comparison)),
      async () => service.push(await measure(targets.service, load, comparison)),
    ]
    for (const turn of round % 2 === 0 ? turns.reverse() : turns) await turn()
  }
  const figure = (what: string, unit: string, read: (round: Round) => number): void =>
    emit({
      bench,
      figure: `${prefix}${what}_${connections}_connections`,
      ...measured(service.map(read)),
      floor: median(floor.map(read)),
      ratio: median(service.map((round, at) => read(round) / read(floor[at] ?? round))),
      unit,
      detail: { floor_is },
    })
  figure('throughput', 'requests/s', round => round.perSecond)
  figure('latency_p50', 'ms', round => round.p50)
  figure('latency_p99', 'ms', round => round.p99)
  figure('cpu_of_the_process', 'us/request', round => round.cpuUs)
}

async function measure(target: Target, load: LoadGenerator, comparison: Comparison): Promise<Round> {
  await load.run({ ...orderFor(target, comparison.connections), ms: settleMs })
  const before = await target.cpuSeconds()
  const report = await load.run({ ...orderFor(target, comparison.connections), ms: comparison.ms })
  const used = (await target.cpuSeconds()) - before
  return { ...report, cpuUs: (used * 1e6) / report.answers }
}

export function orderFor({ url, headers, request }: Target, connections: number): Omit<LoadOrder, 'ms'> {
  return { url, headers, connections, ...(request?.() ?? { body: proposalParts() }) }
}

export async function serviceTarget(platform: Platform, root?: string): Promise<Target> {
  return proposalsTo(await platform.startApi(root))
}

export function proposalsTo(api: RunningApi): Target {
  return {
    url: `${api.url}/v1/actions`,
    headers: api.headers,
    cpuSeconds: async () => (await api.usage()).cpuSeconds,
  }
}
