import { setTimeout as pause } from 'node:timers/promises'
import type { FaultLine, SightingLine } from '../check/evidence.ts'
import { workerNames } from '../settings.ts'
import type { World } from '../world.ts'
import { runNemesis } from './nemesis.ts'
import type { Fault } from './schedule.ts'
import type { Target } from './target.ts'

type Sighting = 'fenced_write' | 'late_result' | 'lost_commit'

/** What makes it likely where a worker has calls under way, and for how long. */
const provokedBy: Record<Sighting, Pick<Fault, 'kind' | 'ms'>> = {
  fenced_write: { kind: 'postgres_black_hole', ms: 4_000 },
  late_result: { kind: 'postgres_black_hole', ms: 4_000 },
  lost_commit: { kind: 'postgres_swallow', ms: 1_500 },
}

/** A server that nobody here wrote and that many calls go to: whoever has one under way when it dies is never answered. */
const killedInCall: Pick<Fault, 'kind' | 'ms' | 'victim'> = {
  kind: 'server_kill',
  ms: 500,
  victim: 'graphql server',
}

const triesMax = 12
const busyMsMax = 10_000
const lookMs = 20

export function sightingsOf({ processes, links }: World): (SightingLine & { what: Sighting })[] {
  const said = (message: string): number =>
    [...processes.values()].reduce((sum, each) => sum + each.said(message), 0)
  return [
    { what: 'fenced_write', count: said('outcome refused: the fencing token is not current') },
    { what: 'late_result', count: said('a result came after its lease: it is kept as evidence') },
    { what: 'lost_commit', count: [...links.values()].reduce((sum, link) => sum + link.lostCommits(), 0) },
  ]
}

/**
 * A slow machine may come through a plan without having shown what a run must show. Then more faults of the kind that shows it
 * strike in the middle of calls, up to a bound; returns how many. `struck`: what the plan has struck, which grows.
 */
export async function untilSeen(
  target: Target,
  struck: readonly FaultLine[],
  record: (line: FaultLine) => void,
): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const fault = await missingFault(target, struck)
    if (fault === null) return tries
    await runNemesis([{ n: struck.length + 1, ...fault, at_ms: 0 }], target, record)
    await pause(fault.ms)
  }
  return triesMax
}

/** What shows what was not seen yet; null where all was. */
async function missingFault(
  { world }: Target,
  struck: readonly FaultLine[],
): Promise<Pick<Fault, 'kind' | 'ms' | 'victim'> | null> {
  const missing = sightingsOf(world).find(({ count }) => count === 0)
  if (missing) return { ...provokedBy[missing.what], victim: `${await busyWorker(world)} to postgres` }
  return struck.some(leavesUnanswered) ? null : killedInCall
}

/** The token server is asked for tokens, which are no calls of an action. */
function leavesUnanswered({ kind, victim, in_flight }: FaultLine): boolean {
  return kind === 'server_kill' && victim !== 'token server' && in_flight > 0
}

/** Whoever has a call of a module actuator under way; anybody where that takes too long. */
async function busyWorker({ links }: World): Promise<string> {
  const tooLate = AbortSignal.timeout(busyMsMax)
  for (;;) {
    const busy = workerNames.find(name => (links.get(`${name} to downstream`)?.open() ?? 0) > 0)
    if (busy !== undefined) return busy
    if (tooLate.aborted) return workerNames[0]
    await pause(lookMs)
  }
}
