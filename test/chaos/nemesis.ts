import { setTimeout as pause } from 'node:timers/promises'
import type { FaultLine } from './check/evidence.ts'
import type { Fault } from './schedule.ts'
import { strike } from './strike.ts'
import type { Hit, Target } from './target.ts'

/**
 * Carries out a plan of faults from now on. Faults of one victim wait for each other, those of different victims overlap;
 * resolves when all are over.
 */
export async function runNemesis(
  plan: readonly Fault[],
  target: Target,
  record: (line: FaultLine) => void,
): Promise<void> {
  const begun = performance.now()
  const lanes = new Map<string, Promise<void>>()
  for (const fault of plan) {
    await pause(Math.max(0, begun + fault.at_ms - performance.now()))
    const before = lanes.get(fault.victim) ?? Promise.resolve()
    const over = before.then(async () => record(lineOf(fault, Date.now(), await strike(target, fault))))
    over.catch(() => undefined) // it is waited for below
    lanes.set(fault.victim, over)
  }
  await Promise.all(lanes.values())
}

function lineOf({ n, kind, victim }: Fault, at: number, hit: Hit): FaultLine {
  return { n, kind, victim, at, ended: Date.now(), ...hit }
}
