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
}

export function checkEffects(histories: readonly History[], ledger: readonly LedgerLine[]): EffectProblems {
  const byAction = groupBy(ledger, ({ action_id }) => action_id)
  const known = new Map(histories.map(history => [history.action_id, history]))
  const effectsOf = (id: string): LedgerLine[] => (byAction.get(id) ?? []).filter(({ effect }) => effect)
  return {
    doubled: [
      ...[...byAction.keys()].flatMap(id => severalTimes(id, effectsOf(id))),
      ...sharedKeys(ledger),
      ...[...byAction].flatMap(([id, calls]) => severalKeys(id, calls)),
    ],
    contradicted: histories.flatMap(history => contradictions(history, effectsOf(history.action_id))),
    unauthorised: ledger.flatMap(call => withoutRight(call, known.get(call.action_id))),
  }
}

function severalTimes(id: string, effects: readonly LedgerLine[]): string[] {
  if (effects.length < 2) return []
  const attempts = effects.map(({ attempt }) => attempt).join(' and ')
  return [`${id}: ${effects.length} effects, of attempts ${attempts}`]
}

function sharedKeys(ledger: readonly LedgerLine[]): string[] {
  const owners = new Map<string, string>()
  for (const { key, action_id } of ledger) if (!owners.has(key)) owners.set(key, action_id)
  return ledger
    .filter(({ key, action_id }) => owners.get(key) !== action_id)
    .map(({ key, action_id }) => `${action_id}: its key ${key} is that of ${owners.get(key)} too`)
}

function severalKeys(id: string, calls: readonly LedgerLine[]): string[] {
  const keys = new Set(calls.map(({ key }) => key))
  return keys.size < 2 ? [] : [`${id}: ${keys.size} idempotency keys`]
}

function contradictions({ action_id, status }: History, effects: readonly LedgerLine[]): string[] {
  if (status === 'executed' && effects.length === 0) return [`${action_id}: executed, without an effect`]
  const denies = status === 'execution_failed' || status === 'denied'
  return denies && effects.length > 0 ? [`${action_id}: ${status}, with an effect`] : []
}

/** Every call, not only those with an effect: nothing may be sent before it was granted and written down. */
function withoutRight(call: LedgerLine, history: History | undefined): string[] {
  const name = `${call.action_id}, attempt ${call.attempt}`
  if (!history) return [`${name}: a call for an action that is not in the audit`]
  if (history.tenant_id !== call.tenant_id) return [`${name}: a call in the name of another tenant`]
  const before = history.events.filter(({ time }) => time <= call.arrived)
  const wrong: string[] = []
  if (!before.some(event => grants(event, history)) || !areEnough(history))
    wrong.push(`${name}: neither allowed nor approved before`)
  const writtenAhead = before.some(
    ({ kind, payload }) =>
      kind === 'execution_attempt' &&
      payload.attempt === call.attempt &&
      payload.idempotency_key === call.key,
  )
  if (!writtenAhead) wrong.push(`${name}: its attempt was not written ahead`)
  return wrong
}

/** As many approvals as the verdict demanded, by different approvers who did not propose it. */
function areEnough({ events, proposer }: History): boolean {
  const required = Number(events.find(({ kind }) => kind === 'verdict')?.payload.approvals_required ?? 1)
  const approvals = events.filter(({ kind }) => kind === 'approval' || kind === 'partial_approval')
  const people = new Set(approvals.map(({ principal }) => principal.id))
  if (approvals.length === 0) return true
  return !people.has(proposer) && people.size === approvals.length && approvals.length === required
}

function grants({ kind, principal, payload }: History['events'][number], { proposer }: History): boolean {
  if (kind === 'verdict') return payload.decision === 'allow' && principal.kind === 'gate'
  return kind === 'approval' && principal.kind === 'approver' && principal.id !== proposer
}
