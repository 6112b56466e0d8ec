import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'

export interface TimedEvent {
  place: number
  kind: string
  at: string
  payload: JsonObject | null
}

/**
 * Returns the problem with the times of a held action, or null. Problems are an escalation before its time or
 * without one in the route, an event other than the denial after the hold, and an expiry before the hold ends.
 * Clocks differ, so differences up to `clock_tolerance_ms` are ignored. A verdict without times sets no limit.
 */
export function timeProblem(events: readonly TimedEvent[]): string | null {
  const verdict = events.find(({ kind }) => kind === 'verdict')
  const terms = verdict?.payload
  if (!verdict || terms?.decision !== 'needs_approval') return null
  const hold = readHold(Date.parse(verdict.at), terms)
  if (hold === null)
    return `event ${verdict.place}: the verdict has a time that is none, or another than its route`
  for (const event of events) {
    const problem = eventProblem(event, hold)
    if (problem !== null) return `event ${event.place}: ${event.kind} of ${event.at}, ${problem}`
  }
  return null
}

/** The end of the hold and the time of the escalation, in Unix milliseconds; null if the verdict names none. */
interface Hold {
  ends: number | null
  helps: { group: JsonValue; from: number } | null
  hasRoute: boolean
}

function readHold(begun: number, { decide_within_ms, route }: JsonObject): Hold | null {
  const terms = isPlainObject(route) ? route : {}
  const within = decide_within_ms ?? terms.decide_within_ms
  const escalate = isPlainObject(terms.escalate) ? terms.escalate : null
  if (![within, escalate?.after_ms].every(one => one === undefined || typeof one === 'number')) return null
  if (terms.decide_within_ms !== undefined && terms.decide_within_ms !== within) return null
  return {
    ends: within === undefined ? null : begun + Number(within),
    helps: escalate && { group: escalate.group ?? null, from: begun + Number(escalate.after_ms) },
    hasRoute: route !== undefined,
  }
}

function eventProblem({ kind, at, payload }: TimedEvent, hold: Hold): string | null {
  const time = Date.parse(at)
  if (kind === 'expiry' && hold.ends !== null && isBefore(time, hold.ends))
    return `before the hold was over (${textOf(hold.ends)})`
  if (whileHeld.has(kind) && hold.ends !== null && isBefore(hold.ends, time))
    return `after the hold was over (${textOf(hold.ends)})`
  return kind === 'escalation' && hold.hasRoute ? helpProblem(time, payload, hold) : null
}

function helpProblem(time: number, payload: JsonObject | null, { helps }: Hold): string | null {
  if (helps === null) return 'and the route asks nobody for help'
  const asked = payload?.group ?? helps.group
  if (asked !== helps.group) return `which asks ${String(asked)}, and the route names ${String(helps.group)}`
  return isBefore(time, helps.from) ? `before the route asks for help (${textOf(helps.from)})` : null
}

function isBefore(one: number, other: number): boolean {
  return one + limits.clock_tolerance_ms < other
}

function textOf(ms: number): string {
  return new Date(ms).toISOString()
}

const whileHeld: ReadonlySet<string> = new Set([
  'partial_approval',
  'approval',
  'rejection',
  'cancellation',
  'comment',
  'change_request',
  'supersession',
  'escalation',
])
