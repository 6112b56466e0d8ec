import type { ActionStatus } from '../contract/action/action-status.ts'
import type { ActionEventKind } from '../contract/action/audit.ts'
import {
  type CountedEvent,
  type HourNumbers,
  type KeptHour,
  type NumberName,
  type Numbers,
  type NumberWindow,
  numberNames,
  type Verdicts,
} from '../contract/action/numbers-schema.ts'
import { limits } from '../contract/base/limits.ts'

export const noNumbers: HourNumbers = { counts: {}, waits: [], agents: [], reasons: [] }

/** The growth per step of the scale for durations: each step is 5 % longer than the step before. */
const scale = 1.05

export function hourOf(at: string): string | null {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? null : new Date(ms - (ms % hourMs)).toISOString()
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Adds an event to the statistics of its hour. `event.times` equal events are added at once. */
export function countEvent(numbers: HourNumbers, event: CountedEvent): HourNumbers {
  const name = countedAs(event)
  if (!name) return numbers
  const { times } = event
  const counts = { ...numbers.counts, [name]: (numbers.counts[name] ?? 0) + times }
  const place = verdictNames.indexOf(name)
  if (event.kind === 'verdict' && place !== -1)
    return {
      ...numbers,
      counts,
      agents: withAgent(numbers.agents, event.agent_id, { place, times }),
      reasons: event.reasons
        .map(codeOf)
        .reduce((reasons, code) => withReason(reasons, code, times), numbers.reasons),
    }
  if (event.held_at === null) return { ...numbers, counts }
  const took = Date.parse(event.at) - Date.parse(event.held_at)
  return Number.isNaN(took)
    ? { ...numbers, counts }
    : { ...numbers, counts, waits: added(numbers.waits, stepOf(took), times) }
}

const verdictNames: readonly string[] = ['allowed', 'held', 'denied']

function countedAs(event: CountedEvent): NumberName | null {
  return ofKind[event.kind]?.(event) ?? null
}

const ofVerdict: Partial<Record<ActionStatus, NumberName>> = {
  execution_pending: 'allowed',
  pending_approval: 'held',
  denied: 'denied',
}
const ofEnd: Partial<Record<ActionStatus, NumberName>> = {
  executed: 'executed',
  execution_failed: 'failed',
  outcome_unknown: 'unknown',
}
type CountedAs = (event: CountedEvent) => NumberName | undefined

const asVerdict: CountedAs = ({ status_to }) => ofVerdict[status_to]
const asEnd: CountedAs = ({ status_from, status_to }) =>
  status_from === status_to ? undefined : ofEnd[status_to]

/**
 * The statistic that each kind of event counts for. Verdicts are counted by status, so that erased verdicts still
 * count.
 */
const ofKind: Partial<Record<ActionEventKind, CountedAs>> = {
  verdict: asVerdict,
  execution: asEnd,
  reconciliation: asEnd,
  approval: () => 'approved',
  rejection: () => 'rejected',
  supersession: () => 'edited',
  expiry: () => 'expired',
  cancellation: () => 'withdrawn',
}

export const countedKinds: readonly string[] = Object.keys(ofKind)

function codeOf(reason: string): string {
  return reason.split(':', 1)[0] ?? reason
}

function withAgent(
  agents: HourNumbers['agents'],
  agentId: string | null,
  { place, times }: { place: number; times: number },
): HourNumbers['agents'] {
  const isKnown = agents.some(([name]) => name === agentId)
  const named = isKnown || agents.length < limits.number_names_per_hour_max ? agentId : null
  const [, ...verdicts] = agents.find(([name]) => name === named) ?? [named, 0, 0, 0]
  const more = verdicts.map((count, at) => (at === place ? count + times : count)) as Verdicts
  return [...agents.filter(([name]) => name !== named), [named, ...more]]
}

/** Skips new codes beyond the maximum. The gate has fewer codes, so it never skips any. */
function withReason(reasons: HourNumbers['reasons'], code: string, times: number): HourNumbers['reasons'] {
  const isKnown = reasons.some(([name]) => name === code)
  return isKnown || reasons.length < limits.number_names_per_hour_max ? added(reasons, code, times) : reasons
}

/**
 * Moves an erased verdict to the unnamed agent and removes its reasons, so that a recount of the log gives the
 * same numbers.
 */
export function eraseNames(numbers: HourNumbers, verdict: CountedEvent): HourNumbers {
  const place = verdictNames.indexOf(countedAs(verdict) ?? '')
  const isKnown = numbers.agents.some(([name]) => name === verdict.agent_id)
  if (place === -1) return numbers
  return {
    ...numbers,
    agents: isKnown
      ? withAgent(withoutAgent(numbers.agents, verdict.agent_id, place), null, { place, times: 1 })
      : numbers.agents,
    reasons: verdict.reasons.map(codeOf).reduce(withoutReason, numbers.reasons),
  }
}

function withoutAgent(
  agents: HourNumbers['agents'],
  agentId: string | null,
  place: number,
): HourNumbers['agents'] {
  return agents
    .map(([name, ...verdicts]): HourNumbers['agents'][number] => {
      const left = verdicts.map((count, at) => (name === agentId && at === place ? count - 1 : count))
      return [name, ...(left as Verdicts)]
    })
    .filter(([, ...verdicts]) => sum(verdicts) > 0)
}

function withoutReason(reasons: HourNumbers['reasons'], code: string): HourNumbers['reasons'] {
  return reasons
    .map(([name, count]): [string, number] => [name, name === code ? count - 1 : count])
    .filter(([, count]) => count > 0)
}

function added<Name>(counts: readonly [Name, number][], name: Name, more: number): [Name, number][] {
  const count = counts.find(([known]) => known === name)?.[1] ?? 0
  return [...counts.filter(([known]) => known !== name), [name, count + more]]
}

function stepOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(scale))
}

export function beginOf(window: NumberWindow, now: number): number {
  const stepMs = stepMsOf(window)
  return now - (now % stepMs) - (stepsOf[window] - 1) * stepMs
}

const stepsOf: Readonly<Record<NumberWindow, number>> = { '24h': 24, '7d': 7, '30d': 30 }

function stepMsOf(window: NumberWindow): number {
  return window === '24h' ? hourMs : dayMs
}

export interface NumbersRead {
  window: NumberWindow
  /** Milliseconds since the epoch. */
  now: number
  hours: readonly KeptHour[]
  behind: number
}

export function numbersIn({ window, now, hours, behind }: NumbersRead): Numbers {
  const [since, stepMs] = [beginOf(window, now), stepMsOf(window)]
  const inWindow = hours.filter(({ hour }) => Date.parse(hour) >= since)
  const counts = countsOf(inWindow)
  return {
    window,
    step: window === '24h' ? 'hour' : 'day',
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
    behind,
    decisions: counts.allowed + counts.held + counts.denied,
    ...counts,
    time_to_decision: timeToDecision(inWindow),
    series: Array.from({ length: stepsOf[window] }, (_, step) => {
      const at = since + step * stepMs
      const ofStep = inWindow.filter(({ hour }) => Math.floor((Date.parse(hour) - since) / stepMs) === step)
      return { at: new Date(at).toISOString(), ...countsOf(ofStep) }
    }),
    agents: topAgents(inWindow),
    reasons: topReasons(inWindow),
  }
}

function countsOf(hours: readonly KeptHour[]): Record<NumberName, number> {
  const counts = numberNames.map(name => [name, sum(hours.map(({ numbers }) => numbers.counts[name] ?? 0))])
  return Object.fromEntries(counts) as Record<NumberName, number>
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

function timeToDecision(hours: readonly KeptHour[]): Numbers['time_to_decision'] {
  const waits = totals(hours.map(({ numbers }) => numbers.waits)).sort(([a], [b]) => a - b)
  const decided = sum(waits.map(([, count]) => count))
  if (decided === 0) return null
  const within = (share: number): number => {
    let left = Math.ceil(decided * share)
    const step = waits.find(([, count]) => {
      left -= count
      return left <= 0
    })?.[0]
    return Math.ceil(scale ** (step ?? 0))
  }
  return { decided, p50_ms: within(0.5), p95_ms: within(0.95) }
}

function totals<Name>(lists: readonly (readonly [Name, number][])[]): [Name, number][] {
  const all = new Map<Name, number>()
  for (const [name, count] of lists.flat()) all.set(name, (all.get(name) ?? 0) + count)
  return [...all]
}

function topAgents(hours: readonly KeptHour[]): Numbers['agents'] {
  const all = new Map<string | null, Verdicts>()
  for (const [name, allowed, held, denied] of hours.flatMap(({ numbers }) => numbers.agents)) {
    const [a, h, d] = all.get(name) ?? [0, 0, 0]
    all.set(name, [a + allowed, h + held, d + denied])
  }
  return [...all]
    .sort(([one, a], [other, b]) => sum(b) - sum(a) || compare(one ?? '', other ?? ''))
    .slice(0, limits.number_agents_listed_max)
    .map(([agent_id, [allowed, held, denied]]) => ({ agent_id, allowed, held, denied }))
}

function topReasons(hours: readonly KeptHour[]): Numbers['reasons'] {
  return totals(hours.map(({ numbers }) => numbers.reasons))
    .sort(([one, a], [other, b]) => b - a || compare(one, other))
    .slice(0, limits.number_reasons_listed_max)
    .map(([code, count]) => ({ code, count }))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
