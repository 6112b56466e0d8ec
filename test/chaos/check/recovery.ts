import type { FaultLine } from './evidence.ts'
import { type History, terminal } from './history.ts'

/** How long something took, in milliseconds. */
export interface Durations {
  count: number
  p50: number
  p99: number
  max: number
}

/**
 * The actions that a worker held when it was killed: how long it took until the service noticed, and until each was
 * settled or known to be unknown, whatever else happened meanwhile.
 */
export interface Recovery {
  noticed: Durations
  settled: Durations
}

export function recoveryOf(histories: readonly History[], faults: readonly FaultLine[]): Recovery {
  const known = new Map(histories.map(history => [history.action_id, history]))
  const held = faults.flatMap(({ kill, at, leased }) => {
    const found = kill ? leased.flatMap(id => known.get(id) ?? []) : []
    return found.map(history => ({ at, history }))
  })
  return {
    noticed: durations(held.flatMap(({ at, history }) => after(at, history, () => true))),
    settled: durations(held.flatMap(({ at, history }) => after(at, history, isKnown))),
  }
}

/** How long the processes took that were told to end. */
export function shutdownsOf(faults: readonly FaultLine[]): Durations {
  return durations(faults.flatMap(({ exit_ms }) => exit_ms ?? []))
}

function isKnown(status: string | null): boolean {
  return terminal.has(status) || status === 'outcome_unknown'
}

/** From a moment to the first event after it that led to such a status. */
function after(
  at: number,
  { events, statuses }: History,
  ends: (status: string | null) => boolean,
): number[] {
  const found = events.find(({ time }, place) => time >= at && ends(statuses[place] ?? null))
  return found ? [found.time - at] : []
}

function durations(took: readonly number[]): Durations {
  const sorted = [...took].sort((one, other) => one - other)
  const quantile = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { count: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 }
}

/** Actions whose outcome was unknown at some time, what became of them, and what settled them. */
export interface Unknowns {
  actions: number
  reconciled: number
  left_to_operator: number
  by_source: Record<string, number>
}

export function unknownsOf(histories: readonly History[]): Unknowns {
  const unknown = histories.filter(({ statuses }) => statuses.includes('outcome_unknown'))
  const reconciled = unknown.filter(({ status }) => terminal.has(status))
  const by_source: Record<string, number> = {}
  for (const { events } of reconciled) {
    const source = String(events.findLast(({ kind }) => kind === 'reconciliation')?.payload.source)
    by_source[source] = (by_source[source] ?? 0) + 1
  }
  return {
    actions: unknown.length,
    reconciled: reconciled.length,
    left_to_operator: unknown.length - reconciled.length,
    by_source,
  }
}
