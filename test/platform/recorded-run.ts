import type { ReadEvent } from '../support/audit/independent-audit.ts'
import type { LedgerCall } from '../support/fixtures/ledger-actuator-calls.ts'

/** An action as three witnesses tell it: its row, its proven events, and the actuators' ledger. */
export interface Recorded {
  action_id: string
  proposal_id: string
  status: string
  job_state: string | null
  events: ReadEvent[]
  calls: LedgerCall[]
}

/** What does not hold of an action, each as a sentence; none of an action that was executed as it should be. */
export function violations(action: Recorded): string[] {
  const claims = [...claimsOfOutcome(action), ...claimsOfAuthority(action), ...claimsOfCalls(action)]
  return claims.filter(([holds]) => !holds).map(([, claim]) => `${action.proposal_id}: not so that ${claim}`)
}

/** Calls of no known action, and keys of more than one. */
export function strayCalls(actions: readonly Recorded[], calls: readonly LedgerCall[]): LedgerCall[] {
  const known = new Set(actions.map(({ action_id }) => action_id))
  const owners = new Map(calls.map(({ key, action_id }) => [key, action_id]))
  return calls.filter(({ key, action_id }) => !known.has(action_id) || owners.get(key) !== action_id)
}

/** Whether the sweeper gave up an attempt of this worker: its lease ran out while the call was under way. */
export function wasLostBy(action: Recorded, worker: string): boolean {
  return action.events.some(({ kind, principal }, place) => {
    const after = action.events[place + 1]
    const byWorker = kind === 'execution_attempt' && principal.id === worker
    return byWorker && after?.principal.kind === 'system' && errorCode(after) === 'lease_expired'
  })
}

/** Whether nobody knows what a call came to: its lease or its deadline ran out. */
export function hasLostCall({ events }: Recorded): boolean {
  return events.some(event => ['lease_expired', 'no_answer_in_time'].includes(errorCode(event)))
}

type Claim = readonly [holds: boolean, claim: string]

const statusAfter: Record<string, string> = {
  'verdict deny': 'denied',
  rejection: 'denied',
  'execution ok': 'executed',
  'execution failed': 'execution_failed',
  'execution unknown': 'outcome_unknown',
  'reconciliation ok': 'executed',
  'reconciliation failed': 'execution_failed',
  'reconciliation unknown': 'outcome_unknown',
}

function claimsOfOutcome({ status, job_state, events }: Recorded): Claim[] {
  const ended = events
    .flatMap(event => statusAfter[endOf(event)] ?? [])
    .filter(end => end !== 'outcome_unknown')
  const last = events.at(-1)
  return [
    [last !== undefined && statusAfter[endOf(last)] === status, `its last event makes it ${status}`],
    [ended.length === (status === 'outcome_unknown' ? 0 : 1), 'it ends once'],
    [job_state === jobAfter[status], `its job is ${jobAfter[status]}, not ${job_state}`],
  ]
}

const jobAfter: Record<string, string | null> = {
  denied: null,
  executed: 'done',
  execution_failed: 'done',
  outcome_unknown: 'unknown',
}

function claimsOfAuthority({ events }: Recorded): Claim[] {
  const first = events.findIndex(({ kind }) => kind === 'execution_attempt')
  if (first < 0) return []
  const granted = events.slice(0, first).some(({ kind, principal, payload }) => {
    if (kind === 'verdict') return payload.decision === 'allow' && principal.kind === 'gate'
    return kind === 'approval' && principal.kind === 'approver'
  })
  return [[granted, 'it was allowed or approved before the first attempt']]
}

function claimsOfCalls({ status, events, calls }: Recorded): Claim[] {
  const attempts = events.filter(({ kind }) => kind === 'execution_attempt').map(({ payload }) => payload)
  const numbers = attempts.map(({ attempt }) => Number(attempt))
  const tokens = attempts.map(({ token }) => Number(token))
  const keys = new Set([...attempts.map(each => each.idempotency_key), ...calls.map(({ key }) => key)])
  const performing = calls.filter(({ performs }) => performs)
  const keyed = calls.some(({ actuator }) => actuator === 'ledger_keyed')
  const hasAttempt = (call: LedgerCall) => numbers.includes(call.attempt)
  return [
    [numbers.every((number, place) => number === place + 1), 'its attempts count from one'],
    [tokens.every((token, place) => token > (tokens[place - 1] ?? 0)), 'its tokens grow'],
    [keys.size <= 1, 'all its attempts and calls have one idempotency key'],
    [calls.every(hasAttempt), 'every call has its attempt in the audit'],
    [calls.every(call => call.written_ahead), 'every attempt was committed before its call'],
    [new Set(calls.map(({ attempt }) => attempt)).size === calls.length, 'no attempt was called twice'],
    [keyed || performing.length <= 1, 'it had at most one effect'],
    [
      keyed || performing.length === 0 || calls.at(-1) === performing[0],
      'nothing was called after its effect',
    ],
    [status !== 'denied' || calls.length + attempts.length === 0, 'a denied action was not touched'],
    [status !== 'executed' || calls.length === 0 || performing.length > 0, 'executed means that it happened'],
    [status !== 'execution_failed' || performing.length === 0, 'failed means that nothing happened'],
  ]
}

function endOf({ kind, payload }: ReadEvent): string {
  if (kind === 'verdict') return `verdict ${payload.decision}`
  return kind === 'execution' || kind === 'reconciliation' ? `${kind} ${payload.outcome}` : kind
}

function errorCode({ payload }: ReadEvent): string {
  return (payload.error as { code?: string } | null | undefined)?.code ?? ''
}
