import fc from 'fast-check'
import type { Decision } from '../../../shared/contract/action/verdict.ts'
import type { Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ActionState, Change, Entry, JobRecord } from '../../../shared/lifecycle/change.ts'
import { approve, cancel, expire, open, reject } from '../../../shared/lifecycle/decide.ts'
import { claim, judgeExpiredLease, refuse, settle } from '../../../shared/lifecycle/execute.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import {
  findAbsent,
  findExecuted,
  findFailed,
  repeatKey,
  resolve,
  stillUnknown,
} from '../../../shared/lifecycle/reconciliation.ts'
import { action, agent, approval, approver, terms, worker } from './action-state.ts'

/** One thing that people, workers and time do to an action, in any order. */
export type Step =
  | { do: (typeof plainSteps)[number] }
  | { do: 'claim'; key_honoured: boolean }
  /** `back`: how many claims ago the worker took the token that it records with. */
  | { do: 'settle'; class: Outcome['class']; back: number }

const plainSteps = [
  'approve',
  'reject',
  'expire',
  'cancel',
  'refuse',
  'hold_runs_out',
  'lease_runs_out',
  'judge',
  'find_executed',
  'find_failed',
  'find_absent',
  'repeat',
  'find_nothing',
  'resolve_executed',
  'resolve_failed',
] as const

const name = fc.constantFrom(...plainSteps)

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: name.map((what): Step => ({ do: what })) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), key_honoured: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      class: fc.constantFrom(...(['ok', 'failed', 'retry', 'retry', 'busy', 'unknown', 'unknown'] as const)),
      back: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
)

/** An action as the database would keep it: a change applies as a whole, and only to the row it was decided on. */
export interface History {
  attemptsMax: number
  action: ActionState
  events: Entry[]
  /** Tokens of all claims, oldest first. */
  tokens: number[]
  refused: number
}

export function begin(decision: Decision, attemptsMax: number): History {
  const change = open({
    proposer: agent,
    proposal: { proposal_id: 'p-1' },
    verdict: { decision },
    attempts_max: attemptsMax,
    approval_ttl_ms: 1_000,
  })
  const history: History = {
    attemptsMax,
    action: action({ status: 'received' }),
    events: [],
    tokens: [],
    refused: 0,
  }
  apply(history, change)
  return history
}

export function take(history: History, step: Step): void {
  if (step.do === 'hold_runs_out') history.action = { ...history.action, hold_expired: true }
  else if (step.do === 'lease_runs_out') endLease(history)
  else {
    const decided = decision(history, step)(history.action)
    if (decided.ok) apply(history, decided.value)
    else history.refused += 1
  }
}

function endLease(history: History): void {
  const {
    action,
    action: { job },
  } = history
  if (job?.state === 'leased') history.action = { ...action, job: { ...job, lease_expired: true } }
}

function decision(history: History, step: Step): Decide {
  switch (step.do) {
    case 'approve':
      return approve(approval({}, history.attemptsMax))
    case 'reject':
      return reject(approver, {})
    case 'cancel':
      return cancel(agent, {})
    case 'expire':
      return expire()
    case 'refuse':
      return refuse(worker, { code: 'actuator_not_registered', message: 'gone' }, { terms, jitter: 0 })
    case 'judge':
      return judgeExpiredLease({ terms, jitter: 0 })
    case 'claim':
      return claim({
        worker,
        token: (history.tokens.at(-1) ?? 0) + 1,
        lease_ms: 1_000,
        idempotency_key: 'key-1',
        not_after: '2026-11-21T00:00:30.000Z',
        retry_until: '2026-11-21T01:00:00.000Z',
        actuator: { idempotency: step.key_honoured ? 'key_honoured' : 'none' },
        request_hash: null,
        key_honoured: step.key_honoured,
      })
    case 'settle': {
      const token = history.tokens.at(-1 - step.back) ?? 0
      return settle({ worker, token, outcome: outcomeOf(step.class), terms, jitter: 0 })
    }
    case 'find_executed':
      return findExecuted(worker, 'lookup', {})
    case 'find_failed':
      return findFailed(roundOf(history), problem)
    case 'find_absent':
      return findAbsent(roundOf(history))
    case 'repeat':
      return repeatKey(roundOf(history))
    case 'find_nothing':
      return stillUnknown(roundOf(history), { source: 'lookup', problem, needsOperator: false })
    case 'resolve_executed':
      return resolve(operator, { outcome: 'executed', note: 'seen', evidence: null, detail: {} })
    case 'resolve_failed':
      return resolve(operator, { outcome: 'execution_failed', note: 'not seen', evidence: null, detail: {} })
    default:
      throw new Error(`${step.do} is not decided`)
  }
}

const operator = { id: 'adk_1', kind: 'admin' } as const
const problem = { code: 'absent', message: 'no trace' }

function roundOf(history: History) {
  return { worker, rounds: history.action.job?.rounds ?? 0, terms, jitter: 0 }
}

function outcomeOf(outcome: Outcome['class']): Outcome {
  if (outcome === 'ok') return { class: 'ok', detail: {} }
  return { class: outcome, code: outcome, message: outcome }
}

function apply(history: History, change: Change): void {
  const job = change.job
  if (job && job.expected_token !== (history.action.job?.lease_token ?? null)) {
    throw new Error('the change was decided on another job row')
  }
  if (job && job.lease_token !== history.action.job?.lease_token && job.state === 'leased') {
    history.tokens.push(job.lease_token)
  }
  history.events.push(...change.entries)
  const record: JobRecord | null = job && { ...job, lease_expired: false, called_back: null }
  history.action = { ...history.action, status: change.to, job: record ?? history.action.job }
}
