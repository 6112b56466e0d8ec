import type { BenchOptions } from '../bench.ts'
import { type Emit, measured, median, note, quantile } from '../figure.ts'
import type { EngineReport } from '../programs/engine.ts'
import {
  acceptedToExecuted,
  type Bed,
  type LedgerName,
  openBed,
  type PeerName,
  peers,
} from '../setup/execute-bed.ts'
import { allSettled, databaseTime, type Executed, executedSince } from '../setup/executed.ts'

const bench = 'execute'
const plainIs =
  'one BullMQ job an action, five-statement accept, claimed and finished one by one: same Postgres and Redis'
const bossLedgerIs =
  'one pg-boss job an action, sent in the transaction of the same five-statement accept, its outcome recorded: same Postgres, one process'
const drainMsMax = 30_000
/** As long as so many rounds: the worker of each design has only just begun. */
const warmUpRounds = 4
/** Load before each round that is not counted: others had their turns, and what rests grows cold. */
const settleMs = 1_000
const connections = 32
const peerNames = Object.keys(peers) as PeerName[]

interface Size {
  /** Jobs of a backlog. */
  jobs: number
  rounds: number
  /** Of load. */
  ms: number
  /** One at a time, where it is idle. */
  actions: number
}

/** From accepted to executed: API and worker as processes of their own, a mock actuator; beside the peers' jobs that do nothing. */
export async function benchExecute({ emit, quick }: BenchOptions): Promise<void> {
  const bed = await openBed()
  try {
    const size = quick
      ? { jobs: 500, rounds: 1, ms: 1_000, actions: 20 }
      : { jobs: 4_000, rounds: 5, ms: 3_000, actions: 100 }
    for (const workers of [1, 2, 4]) await drain(bed, { ...size, workers }, emit)
    const worker = await bed.platform.startWorker()
    const together = await allTogether(bed, size, emit)
    await halfLoad(bed, { ms: size.ms, ...together }, emit)
    await idle(bed, size.actions, emit)
    await worker.stop()
  } finally {
    await bed.stop()
  }
}

/** Workers, each a process, work off a backlog; its first half warms up the new processes. */
async function drain(
  bed: Bed,
  { jobs, rounds, workers }: Size & { workers: number },
  emit: Emit,
): Promise<void> {
  const service: number[] = []
  const floor: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    note(`execute: a backlog of ${jobs} jobs for ${workers} workers, round ${round} of ${rounds}`)
    const from = await databaseTime(bed.ledgers.service)
    await bed.load.run({ ...bed.order('service', connections), ms: drainMsMax, answersMax: jobs })
    const running = await Promise.all(Array.from({ length: workers }, () => bed.platform.startWorker()))
    await allSettled(bed.ledgers.service)
    service.push((await executedSince(bed.ledgers.service, from, jobs / 2)).perSecond)
    await Promise.all(running.map(worker => worker.stop()))
    floor.push((await bed.ask('bullmq', { kind: 'drain', jobs })).perSecond)
  }
  const figure = workers === 1 ? 'drain_of_a_backlog' : `drain_by_${workers}_workers`
  const detail = { jobs, workers, floor_is: peers.bullmq.is }
  emit({ bench, figure, unit: 'jobs/s', ...measured(service), ...against(service, floor), detail })
}

interface Together {
  service: Executed
  plain: Executed
  bossLedger: Executed
  others: Map<PeerName, EngineReport>
}

/** Accept and execute at once, as fast as it goes: the service and the plain design in turns, then the service and the peers. */
async function allTogether(bed: Bed, { ms, rounds }: Size, emit: Emit): Promise<Together> {
  note('execute: warming up')
  for (const design of ['service', 'plain', 'pg_boss_ledger'] as const)
    await underLoad(bed, design, { ms: warmUpRounds * ms })
  const service: Executed[] = []
  const plain: Executed[] = []
  const run = (design: LedgerName, into: Executed[]) => async () =>
    into.push(await warmed(bed, design, { ms }))
  await inTurns(rounds, [run('service', service), run('plain', plain)])
  const among: Executed[] = []
  const others = new Map(peerNames.map(peer => [peer, [] as EngineReport[]] as const))
  const order = { kind: 'together', loops: connections, ms, settle_ms: settleMs } as const
  const asked = peerNames.map(peer => async () => others.get(peer)?.push(await bed.ask(peer, order)))
  const middle = Math.floor(asked.length / 2)
  const bossLedger: Executed[] = []
  const ours = [run('service', among), run('pg_boss_ledger', bossLedger)]
  await inTurns(rounds, [...asked.slice(0, middle), ...ours, ...asked.slice(middle)])
  const figure = (name: string, unit: string, read: (of: Executed) => number): void =>
    emit({
      bench,
      figure: `together_${name}`,
      unit,
      ...measured(service.map(read)),
      ...against(service.map(read), plain.map(read)),
      detail: { connections, floor_is: plainIs },
    })
  figure('executed', 'jobs/s', ({ perSecond }) => perSecond)
  figure('latency_p50', 'ms', ({ p50 }) => p50)
  figure('latency_p99', 'ms', ({ p99 }) => p99)
  const rate = among.map(({ perSecond }) => perSecond)
  for (const [peer, reports] of others) {
    const floor = reports.map(({ perSecond }) => perSecond)
    const detail = { connections, floor_is: peers[peer].is }
    const name = `together_executed_and_${peer}`
    emit({ bench, figure: name, unit: 'jobs/s', ...measured(rate), ...against(rate, floor), detail })
  }
  emit({
    bench,
    figure: 'together_executed_and_pg_boss_ledger',
    unit: 'jobs/s',
    ...measured(rate),
    ...against(
      rate,
      bossLedger.map(({ perSecond }) => perSecond),
    ),
    detail: { connections, floor_is: bossLedgerIs },
  })
  const first = <Value>(values: readonly Value[]): Value => {
    const [value] = values
    if (value === undefined) throw new Error('no round was run')
    return value
  }
  return {
    service: first(service),
    plain: first(plain),
    bossLedger: first(bossLedger),
    others: new Map([...others].map(([peer, reports]) => [peer, first(reports)])),
  }
}

/** Every second round goes backwards, so that none always comes after the same other and pays for what that leaves. */
async function inTurns(rounds: number, designs: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    note(`execute: accept and execute, ${connections} connections, round ${round} of ${rounds}`)
    for (const run of round % 2 === 1 ? designs : [...designs].reverse()) await run()
  }
}

/** Each at half of what it does itself when it does all it can. */
async function halfLoad(
  bed: Bed,
  { ms, service, plain, bossLedger, others }: Together & { ms: number },
  emit: Emit,
): Promise<void> {
  const rate = service.perSecond / 2
  note(`execute: at half load, ${Math.round(rate)} a second`)
  const own = await warmed(bed, 'service', { ms, rate })
  const half = await warmed(bed, 'plain', { ms, rate: plain.perSecond / 2 })
  const halfBoss = await warmed(bed, 'pg_boss_ledger', { ms, rate: bossLedger.perSecond / 2 })
  const detail = {
    requests_per_second: rate,
    latency_is: 'from the look-up of the key to the recorded outcome',
  }
  const figure = (name: string, value: number, floor: number, is: string): void =>
    emit({
      bench,
      figure: `half_load_latency_${name}`,
      value,
      unit: 'ms',
      floor,
      ratio: value / floor,
      detail: { ...detail, floor_is: `${is}, at half of its own` },
    })
  figure('p50', own.p50, half.p50, plainIs)
  figure('p99', own.p99, half.p99, plainIs)
  figure('p50_and_pg_boss_ledger', own.p50, halfBoss.p50, bossLedgerIs)
  for (const peer of peerNames) {
    const own_rate = (others.get(peer)?.perSecond ?? 0) / 2
    const floor = (await bed.ask(peer, { kind: 'paced', rate: own_rate, ms, settle_ms: settleMs })).p50
    emit({
      bench,
      figure: `half_load_latency_p50_and_${peer}`,
      value: own.p50,
      unit: 'ms',
      floor,
      ratio: own.p50 / floor,
      detail: {
        ...detail,
        floor_jobs_per_second: own_rate,
        floor_is: `${peers[peer].is}, at half of its own`,
      },
    })
  }
}

/** One action at a time, from its answer until a reader sees it executed. */
async function idle(bed: Bed, actions: number, emit: Emit): Promise<void> {
  note(`execute: ${actions} actions, one at a time`)
  const latencies: number[] = []
  for (let at = 0; at < actions; at += 1) latencies.push(await acceptedToExecuted(bed, `idle-${at}`))
  const { value, spread } = measured(latencies)
  const p99 = quantile(latencies, 0.99)
  for (const peer of peerNames) {
    const floor = await bed.ask(peer, { kind: 'idle', jobs: actions })
    const detail = { actions, p99, floor_p99: floor.p99, floor_is: peers[peer].is }
    const figure = `idle_latency_p50_and_${peer}`
    emit({ bench, figure, value, spread, unit: 'ms', floor: floor.p50, ratio: value / floor.p50, detail })
  }
}

interface Bounds {
  ms: number
  /** Requests a second; as many as go unless given. */
  rate?: number
}

async function warmed(bed: Bed, to: LedgerName, bounds: Bounds): Promise<Executed> {
  await underLoad(bed, to, { ...bounds, ms: settleMs })
  return underLoad(bed, to, bounds)
}

async function underLoad(bed: Bed, to: LedgerName, bounds: Bounds): Promise<Executed> {
  const ledger = bed.ledgers[to]
  const from = await databaseTime(ledger)
  await bed.load.run({ ...bed.order(to, connections), ...bounds })
  await allSettled(ledger)
  return executedSince(ledger, from)
}

function against(values: readonly number[], floors: readonly number[]): { floor: number; ratio: number } {
  return { floor: median(floors), ratio: median(values.map((value, at) => value / (floors[at] ?? value))) }
}
