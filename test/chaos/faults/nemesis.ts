import { setTimeout as pause } from 'node:timers/promises'
import type { FaultLine } from '../check/evidence.ts'
import type { Fault } from './schedule.ts'
import { strike } from './strike.ts'
import type { Hit, Target } from './target.ts'

/** Faults at once. A machine that needs long to start what was ended gets fewer at a time, and the run takes longer. */
const overlapMax = 4
/** What was started again works for a while before it is hit again. */
const restMs = 2_000

/**
 * Carries out a plan of faults from now on. Faults of one victim wait for each other, those of different victims overlap, up to
 * a bound; resolves when all are over.
 */
export async function runNemesis(
  plan: readonly Fault[],
  target: Target,
  record: (line: FaultLine) => void,
): Promise<void> {
  const begun = performance.now()
  /** For how long faults waited for others: the rest of the plan comes so much later, and not all at once. */
  let behindMs = 0
  const byVictim = new Map<string, Promise<void>>()
  const underWay = new Set<Promise<void>>()
  for (const fault of plan) {
    await pause(Math.max(0, begun + behindMs + fault.at_ms - performance.now()))
    const due = performance.now()
    while (underWay.size >= overlapMax) await Promise.race(underWay)
    behindMs += performance.now() - due
    const before = byVictim.get(fault.victim)?.then(() => pause(restMs)) ?? Promise.resolve()
    const over = before.then(async () => record(lineOf(fault, Date.now(), await strike(target, fault))))
    const counted = over.finally(() => underWay.delete(counted))
    counted.catch(() => undefined) // it is waited for below
    underWay.add(counted)
    byVictim.set(fault.victim, over)
  }
  await Promise.all(byVictim.values())
}

function lineOf({ n, kind, victim }: Fault, at: number, hit: Hit): FaultLine {
  return { n, kind, victim, at, ended: Date.now(), ...hit }
}
