import { checkEffects } from './effects.ts'
import type { Evidence, FaultLine } from './evidence.ts'
import { groupBy } from './group-by.ts'
import { illegalMoves, readHistories } from './history.ts'
import { checkPromises } from './promises.ts'
import {
  type Durations,
  type Recovery,
  recoveryOf,
  shutdownsOf,
  type Unknowns,
  unknownsOf,
} from './recovery.ts'

/** What a run shows. A problem of any kind fails it; so does a run that put too little to the test. */
export interface Report {
  passed: boolean
  /** Why the run says nothing, although nothing was found; empty where it does say something. */
  says_nothing: string[]
  faults: { total: number; by_kind: Record<string, number> }
  kills: { total: number; in_flight: number; share: number }
  actions: { total: number; by_status: Record<string, number> }
  requests: { total: number; ok: number; fail: number; info: number }
  calls: { total: number; effects: number; replayed: number; refused: number; late: number }
  unknown: Unknowns
  recovery_ms: Recovery
  shutdown_ms: Durations
  problems: Record<ProblemKind, string[]>
}

export type ProblemKind =
  | 'lost'
  | 'doubled'
  | 'contradicted'
  | 'unauthorised'
  | 'illegal_transitions'
  | 'roots_not_reproducible'
  | 'duplicate_actions'
  | 'decided_twice'

/** Of the kills, this many must have hit work under way. */
const inFlightShareMin = 0.3

/** Judge a run from what its witnesses wrote; nothing of the service is asked or imported. */
export function check({ ledger, journal, faults, exports }: Evidence): Report {
  const { histories, broken } = readHistories(exports)
  const { doubled, contradicted, unauthorised } = checkEffects(histories, ledger)
  const { lost, duplicates, decided_twice } = checkPromises(histories, journal, exports)
  const problems = {
    lost,
    doubled,
    contradicted,
    unauthorised,
    illegal_transitions: histories.flatMap(illegalMoves),
    roots_not_reproducible: broken,
    duplicate_actions: duplicates,
    decided_twice,
  }
  const kills = killsOf(faults)
  const unknown = unknownsOf(histories)
  const says_nothing = [
    ...(histories.length === 0 ? ['there is no action'] : []),
    ...(kills.share < inFlightShareMin ? [`only ${percent(kills.share)} of the kills hit work`] : []),
    ...(unknown.actions === 0 ? ['no outcome was ever unknown'] : []),
  ]
  return {
    passed: says_nothing.length === 0 && Object.values(problems).every(found => found.length === 0),
    says_nothing,
    faults: { total: faults.length, by_kind: countBy(faults, ({ kind }) => kind) },
    kills,
    actions: { total: histories.length, by_status: countBy(histories, ({ status }) => String(status)) },
    requests: requestsOf(journal),
    calls: callsOf(ledger),
    unknown,
    recovery_ms: recoveryOf(histories, faults),
    shutdown_ms: shutdownsOf(faults),
    problems,
  }
}

function killsOf(faults: readonly FaultLine[]): Report['kills'] {
  const kills = faults.filter(({ kill }) => kill)
  const hits = kills.filter(({ in_flight }) => in_flight > 0).length
  return { total: kills.length, in_flight: hits, share: kills.length === 0 ? 0 : hits / kills.length }
}

function requestsOf(journal: Evidence['journal']): Report['requests'] {
  const { ok = 0, fail = 0, info = 0 } = countBy(journal, ({ result }) => result)
  return { total: journal.length, ok, fail, info }
}

function callsOf(ledger: Evidence['ledger']): Report['calls'] {
  const { replayed = 0, refused = 0, late = 0 } = countBy(ledger, ({ answer }) => answer)
  const effects = ledger.filter(({ effect }) => effect).length
  return { total: ledger.length, effects, replayed, refused, late }
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  const groups = [...groupBy(items, nameOf)].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(groups.map(([name, group]) => [name, group.length]))
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
