import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from '../figure.ts'
import { answerOrders } from './child-program.ts'

/** What a peer is told: one process adds jobs that do nothing and works them off. */
export type EngineOrder = { redisUrl: string; databaseUrl: string } & (
  | { kind: 'drain'; jobs: number }
  | { kind: 'together'; loops: number; ms: number; settle_ms: number }
  | { kind: 'paced'; rate: number; ms: number; settle_ms: number }
  | { kind: 'idle'; jobs: number }
)

/**
 * Jobs a second and latencies in milliseconds: from before the add to the call of the job; where it is idle, from the
 * answer of the add until a reader sees the job finished.
 */
export interface EngineReport {
  perSecond: number
  p50: number
  p99: number
}

/** A queue or durable engine with one kind of job, which does nothing; it has been started. */
export interface Engine {
  /** Adds a job durably; its id. */
  add(sent: number): Promise<string>
  /** Many at once, where the engine has a way to. */
  addAll(sent: number, count: number): Promise<unknown>
  /** Jobs that were added are not worked off before this. */
  work(): Promise<unknown>
  /** Whether a reader sees that it is done. */
  finished(id: string): Promise<boolean>
  stop(): Promise<unknown>
}

/** `ran` is called by each job with the time that it was added at. */
export type StartEngine = (order: EngineOrder, ran: (sent: number) => void) => Promise<Engine>

export const engineConcurrency = 50
const bulkSize = 1_000
const waitMsMax = 60_000
const lookMs = 1
const tickMs = 5

/** The program of a peer. */
export function runEngine(start: StartEngine): void {
  answerOrders(async (order: EngineOrder): Promise<EngineReport> => {
    const ends: number[] = []
    const latencies: number[] = []
    const engine = await start(order, sent => {
      const now = performance.now()
      ends.push(now)
      latencies.push(now - sent)
    })
    try {
      if (order.kind === 'idle') return await addOneByOne(engine, order.jobs)
      if ('settle_ms' in order) {
        await engine.work()
        await allRan(ends, await play(engine, { ...order, ms: order.settle_ms }))
        ends.length = 0
        latencies.length = 0
      }
      await allRan(ends, await play(engine, order))
      const took = (ends.at(-1) ?? 0) - (ends[0] ?? 0)
      return {
        perSecond: (ends.length * 1_000) / took,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      }
    } finally {
      await engine.stop()
    }
  })
}

/** How many were added. */
async function play(engine: Engine, order: Exclude<EngineOrder, { kind: 'idle' }>): Promise<number> {
  if (order.kind === 'drain') {
    for (let added = 0; added < order.jobs; added += bulkSize)
      await engine.addAll(performance.now(), Math.min(bulkSize, order.jobs - added))
    await engine.work()
    return order.jobs
  }
  return order.kind === 'together' ? addFromLoops(engine, order) : addPaced(engine, order)
}

async function addFromLoops(engine: Engine, { loops, ms }: { loops: number; ms: number }): Promise<number> {
  const until = performance.now() + ms
  let added = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      await engine.add(performance.now())
      added += 1
    }
  }
  await Promise.all(Array.from({ length: loops }, loop))
  return added
}

async function addPaced(engine: Engine, { rate, ms }: { rate: number; ms: number }): Promise<number> {
  const begun = performance.now()
  const underWay: Promise<unknown>[] = []
  while (performance.now() - begun < ms) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * rate)
    while (underWay.length < due) underWay.push(engine.add(performance.now()))
    await pause(tickMs)
  }
  await Promise.all(underWay)
  return underWay.length
}

async function allRan(ends: readonly number[], jobs: number): Promise<void> {
  const tooLate = performance.now() + waitMsMax
  while (ends.length < jobs) {
    if (performance.now() > tooLate) throw new Error(`${ends.length} of ${jobs} jobs were run in time`)
    await pause(tickMs)
  }
}

async function addOneByOne(engine: Engine, jobs: number): Promise<EngineReport> {
  await engine.work()
  const latencies: number[] = []
  for (let at = 0; at < jobs; at += 1) {
    const id = await engine.add(performance.now())
    const added = performance.now()
    while (!(await engine.finished(id))) await pause(lookMs)
    latencies.push(performance.now() - added)
  }
  return { perSecond: Number.NaN, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}
