import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from './bench.ts'
import type { BullmqOrder, BullmqReport } from './bullmq-program.ts'
import { type ChildProgram, startProgram } from './child-program.ts'
import { type Figure, median, note, quantile } from './figure.ts'
import { type LoadGenerator, type LoadOrder, startLoadGenerator } from './load.ts'
import { type Platform, proposalParts, type RunningApi, startPlatform } from './platform.ts'

/** What the figures of this group are made with. */
interface Bed {
  platform: Platform
  api: RunningApi
  load: LoadGenerator
  bullmq: ChildProgram
}

/** Orders for BullMQ, without where its Redis is. */
type FloorOrder = BullmqOrder extends infer Order
  ? Order extends object
    ? Omit<Order, 'redisUrl'>
    : never
  : never

const bench = 'execute'
const floorIs = 'BullMQ alone, jobs that do nothing, on the same Redis'
const settleMsMax = 30_000
const pollMs = 1
const loadConnections = 32

/** From accepted to executed: API and a worker as processes of their own over Redis, with a mock actuator. */
export async function benchExecute({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const bullmq = startProgram('bullmq-program')
  try {
    const api = await platform.startApi()
    const bed = { platform, api, load, bullmq }
    const size = quick ? { jobs: 500, rounds: 1 } : { jobs: 4_000, rounds: 3 }
    for (const workers of [1, 2, 4]) emit(await underDrain(bed, { ...size, workers }))
    const worker = await platform.startWorker()
    for (const figure of await underLoad(bed, quick ? 1_000 : 5_000)) emit(figure)
    emit(await whenIdle(bed, quick ? 30 : 150))
    await worker.stop()
  } finally {
    await Promise.all([load.stop(), bullmq.stop()])
    await platform.stop()
  }
}

interface Drain {
  jobs: number
  rounds: number
  workers: number
}

/** Workers, each a process, work off a backlog; its first half warms up the new processes. */
async function underDrain(bed: Bed, { jobs, rounds, workers }: Drain): Promise<Figure> {
  const service: number[] = []
  const floor: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    note(`execute: a backlog of ${jobs} jobs for ${workers} workers, round ${round} of ${rounds}`)
    const from = await databaseTime(bed)
    await bed.load.run({ ...order(bed), ms: settleMsMax, answersMax: jobs })
    const running = await Promise.all(Array.from({ length: workers }, bed.platform.startWorker))
    await allSettled(bed)
    service.push((await executedSince(bed, from, jobs / 2)).perSecond)
    await Promise.all(running.map(worker => worker.stop()))
    floor.push((await askFloor(bed, { kind: 'drain', jobs })).perSecond)
  }
  const figure = workers === 1 ? 'drain_of_a_backlog' : `drain_by_${workers}_workers`
  const detail = { jobs, workers, floor_is: floorIs }
  return { bench, figure, unit: 'jobs/s', ...compared(service, floor), detail }
}

/** Accept and execute at once: as fast as it goes, then at half of that. */
async function underLoad(bed: Bed, ms: number): Promise<Figure[]> {
  note('execute: warming up')
  await bed.load.run({ ...order(bed), ms })
  await allSettled(bed)
  note(`execute: ${loadConnections} connections`)
  const from = await databaseTime(bed)
  const accepted = await bed.load.run({ ...order(bed), ms })
  await allSettled(bed)
  const executed = await executedSince(bed, from)
  const floor = await askFloor(bed, { kind: 'together', loops: loadConnections, ms: ms / 2 })
  const rate = executed.perSecond / 2
  note(`execute: at half of that, ${Math.round(rate)} a second`)
  const halfFrom = await databaseTime(bed)
  await bed.load.run({ ...order(bed), ms, rate })
  await allSettled(bed)
  const half = await executedSince(bed, halfFrom)
  const detail = {
    connections: loadConnections,
    latency_is: 'from the look-up of the key to the recorded outcome',
  }
  const together = (figure: string, value: number, unit: string): Figure => ({ bench, figure, value, unit })
  return [
    together('together_accepted', accepted.perSecond, 'requests/s'),
    {
      ...together('together_executed', executed.perSecond, 'jobs/s'),
      floor: floor.perSecond,
      ratio: executed.perSecond / floor.perSecond,
      detail: { floor_is: floorIs },
    },
    { ...together('together_latency_p50', executed.p50, 'ms'), detail },
    together('together_latency_p99', executed.p99, 'ms'),
    { ...together('half_load_latency_p50', half.p50, 'ms'), detail: { requests_per_second: rate } },
    together('half_load_latency_p99', half.p99, 'ms'),
  ]
}

/** One action at a time, from its answer until a reader sees it executed. */
async function whenIdle(bed: Bed, actions: number): Promise<Figure> {
  note(`execute: ${actions} actions, one at a time`)
  const latencies: number[] = []
  for (let at = 0; at < actions; at += 1) latencies.push(await acceptedToExecuted(bed, `idle-${at}`))
  const floor = await askFloor(bed, { kind: 'idle', jobs: actions })
  const p50 = quantile(latencies, 0.5)
  return {
    bench,
    figure: 'idle_latency_p50',
    value: p50,
    unit: 'ms',
    floor: floor.p50,
    ratio: p50 / floor.p50,
    detail: { p99: quantile(latencies, 0.99), floor_p99: floor.p99, actions, floor_is: floorIs },
  }
}

async function acceptedToExecuted({ api, platform }: Bed, id: string): Promise<number> {
  const [before, after] = proposalParts()
  const answer = await fetch(`${api.url}/v1/actions`, {
    method: 'POST',
    headers: { ...api.headers, 'content-type': 'application/json' },
    body: `${before}${id}${after}`,
  })
  const { action_id } = (await answer.json()) as { action_id: string }
  const accepted = performance.now()
  const tooLate = AbortSignal.timeout(settleMsMax)
  for (;;) {
    const [row] = await platform.sql`select status from action_gate.actions where action_id = ${action_id}`
    if (row?.status === 'executed') return performance.now() - accepted
    if (tooLate.aborted) throw new Error(`action ${action_id} is ${row?.status}, not executed`)
    await setTimeout(pollMs)
  }
}

function order({ api }: Bed): Omit<LoadOrder, 'ms'> {
  return {
    url: `${api.url}/v1/actions`,
    headers: api.headers,
    body: proposalParts(),
    connections: loadConnections,
  }
}

function askFloor({ bullmq, platform }: Bed, floor: FloorOrder): Promise<BullmqReport> {
  return bullmq.ask<BullmqReport>({ ...floor, redisUrl: platform.redisUrl })
}

function compared(
  service: readonly number[],
  floor: readonly number[],
): Required<Pick<Figure, 'value' | 'floor' | 'ratio'>> {
  const ratios = service.map((value, at) => value / (floor[at] ?? value))
  return { value: median(service), floor: median(floor), ratio: median(ratios) }
}

async function databaseTime({ platform }: Bed): Promise<Date> {
  const [row] = await platform.sql<{ now: Date }[]>`select clock_timestamp() as now`
  if (!row) throw new Error('the database does not tell the time')
  return row.now
}

async function allSettled({ platform }: Bed): Promise<void> {
  const tooLate = AbortSignal.timeout(settleMsMax)
  for (;;) {
    const [row] = await platform.sql<{ open: boolean }[]>`
      select exists (select from action_gate.execution_jobs where state <> 'done') as open`
    if (!row?.open) return
    if (tooLate.aborted) throw new Error(`there are unsettled jobs after ${settleMsMax} ms`)
    await setTimeout(20)
  }
}

interface Executed {
  perSecond: number
  p50: number
  p99: number
}

/** Of the actions accepted since: how fast they were executed, leaving out the first of them, and how long they took. */
async function executedSince({ platform }: Bed, from: Date, leaveOut = 0): Promise<Executed> {
  const rows = await platform.sql<{ at: number; took: number }[]>`
    select extract(epoch from updated_at)::float8 as at, extract(epoch from updated_at - created_at)::float8 * 1000 as took
    from action_gate.actions where status = 'executed' and created_at >= ${from} order by updated_at`
  const counted = rows.slice(leaveOut)
  const seconds = (counted.at(-1)?.at ?? 0) - (counted[0]?.at ?? 0)
  if (seconds <= 0) throw new Error(`too few actions were executed: ${rows.length}`)
  const took = counted.map(row => row.took)
  return { perSecond: counted.length / seconds, p50: quantile(took, 0.5), p99: quantile(took, 0.99) }
}
