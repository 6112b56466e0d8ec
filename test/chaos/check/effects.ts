import { canonical } from '../../support/audit/independent-audit.ts'
import type { LedgerLine } from './evidence.ts'
import { groupBy } from './group-by.ts'
import type { History } from './history.ts'

/** What the downstream's own record says against the audit, each as a sentence. */
export interface EffectProblems {
  /** Happened more often than once. */
  doubled: string[]
  /** The service says that it happened, or did not, and it is not so. */
  contradicted: string[]
  /** Happened without having been granted and written ahead. */
  unauthorised: string[]
  /** What arrived is not what was proposed, or not the same each time. */
  altered: string[]
}

/** A call with the action that it was made for; its key tells where the protocol does not carry it. */
type Call = LedgerLine & { action_id: string }

export function checkEffects(histories: readonly History[], ledger: readonly LedgerLine[]): EffectProblems {
  const owners = ownersOf(histories)
  const calls = ledger.map(line => ({
    ...line,
    action_id: line.action_id ?? owners.get(line.key) ?? 'nobody',
  }))
  const byAction = groupBy(calls, ({ action_id }) => action_id)
  const known = new Map(histories.map(history => [history.action_id, history]))
  const effectsOf = (id: string): Call[] => (byAction.get(id) ?? []).filter(({ effect }) => effect)
  return {
    doubled: [
      ...[...byAction.keys()].flatMap(id => severalTimes(id, effectsOf(id))),
      ...sharedKeys(calls),
      ...[...byAction].flatMap(([id, each]) => severalKeys(id, each)),
      ...[...byAction].flatMap(([id, each]) => sentInDoubt(id, each)),
    ],
    contradicted: [
      ...histories.flatMap(history => contradictions(history, effectsOf(history.action_id))),
      ...histories.flatMap(history => guessed(history, byAction.get(history.action_id) ?? [])),
    ],
    unauthorised: [
      ...calls.flatMap(call => withoutRight(call, known.get(call.action_id))),
      ...[...byAction].flatMap(([id, each]) => moreThanAttempts(id, each, known.get(id))),
      ...histories.flatMap(offRoute),
    ],
    altered: [
      ...calls.flatMap(call => otherContent(call, known.get(call.action_id))),
      ...calls.flatMap(call => otherThanApproved(call, known.get(call.action_id))),
      ...[...byAction].flatMap(([id, each]) => severalRequests(id, each)),
    ],
  }
}

/** The action of every key that was written ahead. */
function ownersOf(histories: readonly History[]): ReadonlyMap<string, string> {
  return new Map(
    histories.flatMap(({ action_id, events }) =>
      events
        .filter(({ kind }) => kind === 'execution_attempt')
        .map(({ payload }) => [String(payload.idempotency_key), action_id] as const),
    ),
  )
}

function severalTimes(id: string, effects: readonly Call[]): string[] {
  if (effects.length < 2) return []
  const attempts = effects.map(({ attempt, n }) => attempt ?? `call ${n}`).join(' and ')
  return [`${id}: ${effects.length} effects, of attempts ${attempts}`]
}

function sharedKeys(calls: readonly Call[]): string[] {
  const owners = new Map<string, string>()
  for (const { key, action_id } of calls) if (!owners.has(key)) owners.set(key, action_id)
  return calls
    .filter(({ key, action_id }) => owners.get(key) !== action_id)
    .map(({ key, action_id }) => `${action_id}: its key ${key} is that of ${owners.get(key)} too`)
}

function severalKeys(id: string, calls: readonly Call[]): string[] {
  const keys = new Set(calls.map(({ key }) => key))
  return keys.size < 2 ? [] : [`${id}: ${keys.size} idempotency keys`]
}

function contradictions({ action_id, status }: History, effects: readonly Call[]): string[] {
  if (status === 'executed' && effects.length === 0) return [`${action_id}: executed, without an effect`]
  const denies = status === 'execution_failed' || status === 'denied'
  return denies && effects.length > 0 ? [`${action_id}: ${status}, with an effect`] : []
}

/** Where no key is honoured, what may have happened is not asked for again. */
function sentInDoubt(id: string, calls: readonly Call[]): string[] {
  const doubt = calls.find(({ honours_key, answer }) => !honours_key && answer === 'unanswered')
  const again = calls.some(({ n }) => doubt !== undefined && n > doubt.n)
  return again ? [`${id}: sent again after a call that nobody answered`] : []
}

/** A call that nobody answered is no failure, even where it had no effect: nobody could know. */
function guessed({ action_id, status }: History, calls: readonly Call[]): string[] {
  const isGuess = status === 'execution_failed' && calls.some(({ answer }) => answer === 'unanswered')
  return isGuess ? [`${action_id}: failed, after a call that nobody answered`] : []
}

/** Every call, not only those with an effect: nothing may be sent before it was granted and written down. */
function withoutRight(call: Call, history: History | undefined): string[] {
  const name = `${call.action_id}, ${call.attempt === null ? `call ${call.n}` : `attempt ${call.attempt}`}`
  if (!history) return [`${name}: a call for an action that is not in the audit`]
  if (call.tenant_id !== null && history.tenant_id !== call.tenant_id)
    return [`${name}: a call in the name of another tenant`]
  const before = history.events.filter(({ time }) => time <= call.arrived)
  const wrong: string[] = []
  if (!before.some(event => grants(event, history)) || !areEnough(history))
    wrong.push(`${name}: neither allowed nor approved before`)
  if (!before.some(event => writesAhead(event, call)))
    wrong.push(`${name}: its attempt was not written ahead`)
  return wrong
}

function writesAhead({ kind, payload }: History['events'][number], { attempt, key }: Call): boolean {
  return (
    kind === 'execution_attempt' &&
    payload.idempotency_key === key &&
    (attempt === null || payload.attempt === attempt)
  )
}

/** What the service sent, without what the network of the downstream delivered again. */
function moreThanAttempts(id: string, calls: readonly Call[], history: History | undefined): string[] {
  const sent = calls.filter(({ delivery }) => delivery === 1).length
  const attempts = history?.events.filter(({ kind }) => kind === 'execution_attempt').length ?? sent
  return sent > attempts ? [`${id}: ${sent} calls, of ${attempts} attempts that were written ahead`] : []
}

function otherContent({ action_id, n, parameters }: Call, history: History | undefined): string[] {
  const proposed = history?.events[0]?.payload.action as { parameters?: unknown } | undefined
  if (proposed === undefined || canonical(proposed.parameters) === canonical(parameters)) return []
  return [`${action_id}, call ${n}: its parameters are not those that were proposed`]
}

/** A held action was approved with the request that it would send. */
function otherThanApproved({ action_id, n, request }: Call, history: History | undefined): string[] {
  const verdict = history?.events.find(({ kind }) => kind === 'verdict')?.payload
  const approved = verdict?.request as { kind: string; method: string; url: string } | undefined
  if (approved?.kind !== 'http') return []
  const { pathname, search } = new URL(approved.url)
  const expected = `${approved.method} ${pathname}${search}`
  return request === expected
    ? []
    : [`${action_id}, call ${n}: ${request}, and what was approved is ${expected}`]
}

/**
 * A key means the same only to the same request. What provably had no effect may be sent differently the next time, since a
 * registration may have been replaced; what had one, or broke off, is never repeated as another request.
 */
function severalRequests(id: string, calls: readonly Call[]): string[] {
  const first = calls.find(call => call.honours_key && (call.effect || isBrokenOff(call)))
  if (first === undefined) return []
  const later = calls.filter(({ n, delivery }) => n > first.n && delivery === 1)
  const others = new Set(later.map(({ request }) => request).filter(request => request !== first.request))
  return [...others].map(request => `${id}: its key came with ${first.request} and then with ${request}`)
}

function isBrokenOff({ answer }: Call): boolean {
  return answer === 'none' || answer === 'unanswered'
}

/** As many approvals as the verdict demanded, by different approvers who did not propose it. */
function areEnough({ events, proposer }: History): boolean {
  const required = Number(events.find(({ kind }) => kind === 'verdict')?.payload.approvals_required ?? 1)
  const approvals = events.filter(({ kind }) => kind === 'approval' || kind === 'partial_approval')
  const people = new Set(approvals.map(({ principal }) => principal.id))
  if (approvals.length === 0) return true
  return !people.has(proposer) && people.size === approvals.length && approvals.length === required
}

/** Every decision about what has a route is for a group of it; of a group no more approvals than it demands. */
function offRoute({ action_id, events }: History): string[] {
  const verdict = events.find(({ kind }) => kind === 'verdict')?.payload
  const demanded = (verdict?.route as { required?: { group: string; approvals: number }[] } | undefined)
    ?.required
  if (demanded === undefined) return []
  const decided = events.filter(({ kind }) => personal.has(kind))
  const outside = decided.filter(({ payload }) => !demanded.some(({ group }) => group === payload.group))
  const given = (group: string) =>
    decided.filter(({ kind, payload }) => kind !== 'rejection' && payload.group === group).length
  const isDone = decided.some(({ kind }) => kind === 'approval')
  const wrong = demanded.filter(({ group, approvals }) =>
    isDone ? given(group) !== approvals : given(group) > approvals,
  )
  return [
    ...outside.map(({ kind }) => `${action_id}: ${kind} for no group of its route`),
    ...wrong.map(({ group }) => `${action_id}: ${given(group)} approvals of ${group}`),
  ]
}

const personal: ReadonlySet<string> = new Set(['approval', 'partial_approval', 'rejection'])

function grants({ kind, principal, payload }: History['events'][number], { proposer }: History): boolean {
  if (kind === 'verdict') return payload.decision === 'allow' && principal.kind === 'gate'
  return kind === 'approval' && principal.kind === 'approver' && principal.id !== proposer
}
