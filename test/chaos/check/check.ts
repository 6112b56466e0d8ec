import { checkEffects } from './effects.ts'
import { type Evidence, type FaultLine, type RealSystem, realSystems, type SightingLine } from './evidence.ts'
import { groupBy } from './group-by.ts'
import { type History, illegalMoves, readHistories } from './history.ts'
import { disobeyed } from './orders.ts'
import { checkPromises } from './promises.ts'
import {
  type Durations,
  type Recovery,
  recoveryOf,
  shutdownsOf,
  type Unknowns,
  unknownsOf,
} from './recovery.ts'
import { starved } from './starvation.ts'

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
  /** How often it was seen what a run must see. */
  seen: Seen
  recovery_ms: Recovery
  shutdown_ms: Durations
  problems: Record<ProblemKind, string[]>
}

/**
 * Writes with a fencing token that was spent, results after their lease, answers to a COMMIT that were lost, calls that
 * repeated a key, look-ups that were recorded, orders of operators that were acknowledged, calls that a server left unanswered
 * because it was killed, effects at each server that nobody here wrote, polls of accepted operations that hang, and those of
 * other tenants that were answered beside them.
 */
export type Seen = Record<
  | SightingLine['what']
  | 'repeated_key'
  | 'look_up'
  | 'freeze'
  | 'pause'
  | 'revoke'
  | 'erase'
  | 'end_of_person'
  | 'write_of_person'
  | 'quorum'
  | 'unanswered_call'
  | `effect_at_${RealSystem}`,
  number
>

export type ProblemKind =
  | 'lost'
  | 'doubled'
  | 'contradicted'
  | 'unauthorised'
  | 'illegal_transitions'
  | 'roots_not_reproducible'
  | 'duplicate_actions'
  | 'decided_twice'
  | 'altered'
  | 'disobeyed'
  | 'starved'

/** Of the kills, this many must have hit work under way. */
const inFlightShareMin = 0.3

/** Judge a run from what its witnesses wrote; nothing of the service is asked or imported. */
export function check(evidence: Evidence): Report {
  const { ledger, journal, faults, orders, exports } = evidence
  const { histories, broken } = readHistories(exports, orders)
  const { doubled, contradicted, unauthorised, altered } = checkEffects(histories, ledger)
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
    altered,
    disobeyed: disobeyed(histories, orders),
    starved: starved(histories, evidence.sightings),
  }
  const kills = killsOf(faults)
  const unknown = unknownsOf(histories)
  const seen = seenIn(evidence, histories)
  const says_nothing = [
    ...(histories.length === 0 ? ['there is no action'] : []),
    ...(kills.share < inFlightShareMin ? [`only ${percent(kills.share)} of the kills hit work`] : []),
    ...(unknown.actions === 0 ? ['no outcome was ever unknown'] : []),
    ...Object.entries(seen).flatMap(([what, count]) =>
      count === 0 ? [`there was no ${what.replaceAll('_', ' ')}`] : [],
    ),
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
    seen,
    recovery_ms: recoveryOf(histories, faults),
    shutdown_ms: shutdownsOf(faults),
    problems,
  }
}

function seenIn({ ledger, orders, sightings }: Evidence, histories: readonly History[]): Seen {
  const sighted = (what: SightingLine['what']): number =>
    sightings.filter(line => line.what === what).reduce((sum, { count }) => sum + count, 0)
  const ordered = (order: Evidence['orders'][number]['order']): number =>
    orders.filter(line => line.order === order).length
  const events = histories.flatMap(history => history.events)
  const firstDeliveries = ledger.filter(({ delivery }) => delivery === 1)
  return {
    fenced_write: sighted('fenced_write'),
    late_result: sighted('late_result'),
    lost_commit: sighted('lost_commit'),
    hanging_poll: sighted('hanging_poll'),
    poll_beside_hanging: sighted('poll_beside_hanging'),
    repeated_key: firstDeliveries.length - new Set(firstDeliveries.map(({ key }) => key)).size,
    look_up: events.filter(({ payload }) => payload.source === 'lookup').length,
    freeze: ordered('freeze'),
    pause: ordered('pause'),
    revoke: ordered('revoke'),
    erase: ordered('erase'),
    end_of_person: ordered('end_of_person'),
    write_of_person: orders.reduce(
      (sum, line) => sum + (line.order === 'end_of_person' ? line.written : 0),
      0,
    ),
    quorum: events.filter(({ kind }) => kind === 'partial_approval').length,
    unanswered_call: ledger.filter(({ answer }) => answer === 'unanswered').length,
    ...effectsAtReal(ledger),
  }
}

function effectsAtReal(ledger: Evidence['ledger']): Pick<Seen, `effect_at_${RealSystem}`> {
  const at = (system: RealSystem): number =>
    ledger.filter(({ endpoint, effect }) => endpoint === system && effect).length
  const counts = realSystems.map(system => [`effect_at_${system}`, at(system)] as const)
  return Object.fromEntries(counts) as Pick<Seen, `effect_at_${RealSystem}`>
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
