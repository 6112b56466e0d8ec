import type { ActionStatus } from '../contract/action/action-status.ts'
import type { ActionEventKind } from '../contract/action/audit.ts'

export type Trigger =
  | 'submit'
  | 'allow'
  | 'hold'
  | 'deny'
  | 'approve'
  | 'approve_partly'
  | 'reject'
  | 'expire'
  | 'cancel'
  | 'comment'
  | 'request_changes'
  | 'supersede'
  | 'escalate'
  | 'claim'
  | 'refuse'
  | 'succeed'
  | 'fail'
  | 'retry'
  | 'lose'
  | 'find_executed'
  | 'find_failed'
  | 'find_absent'
  | 'repeat'
  | 'find_nothing'
  | 'resolve_executed'
  | 'resolve_failed'
  | 'erase'

/** One row of the state table. The statuses in `via` are passed within one transaction and are never committed. */
export interface Transition {
  from: ActionStatus | null
  trigger: Trigger
  via: readonly ActionStatus[]
  to: ActionStatus
  event: ActionEventKind
  when: string
}

type Row = readonly [
  from: ActionStatus | null,
  trigger: Trigger,
  to: readonly [...via: ActionStatus[], to: ActionStatus],
  event: ActionEventKind,
  when: string,
]

const table: readonly Row[] = [
  [null, 'submit', ['received'], 'proposal_received', 'the proposal is accepted'],
  ['received', 'allow', ['allowed', 'execution_pending'], 'verdict', 'the gate allows; its job is made'],
  ['received', 'hold', ['pending_approval'], 'verdict', 'the gate holds it for a person'],
  ['received', 'deny', ['denied'], 'verdict', 'the gate denies'],
  ['pending_approval', 'approve', ['approved', 'execution_pending'], 'approval', 'approved; its job is made'],
  [
    'pending_approval',
    'approve_partly',
    ['pending_approval'],
    'partial_approval',
    'approved, and it takes more approvals',
  ],
  ['pending_approval', 'reject', ['denied'], 'rejection', 'an approver rejects'],
  ['pending_approval', 'expire', ['denied'], 'expiry', 'held longer than the time to live'],
  ['pending_approval', 'cancel', ['denied'], 'cancellation', 'withdrawn by the key that proposed it'],
  ['pending_approval', 'comment', ['pending_approval'], 'comment', 'whoever may decide says something'],
  [
    'pending_approval',
    'request_changes',
    ['pending_approval'],
    'change_request',
    'whoever may decide asks the agent for something else',
  ],
  [
    'pending_approval',
    'supersede',
    ['denied'],
    'supersession',
    'an approver edits it: a new action takes its place',
  ],
  [
    'pending_approval',
    'escalate',
    ['pending_approval'],
    'escalation',
    'nobody decided in time: others are asked too',
  ],
  ['execution_pending', 'claim', ['executing'], 'execution_attempt', 'a worker takes the lease'],
  ['execution_pending', 'refuse', ['execution_failed'], 'execution', 'not what was decided, or not runnable'],
  [
    'execution_pending',
    'lose',
    ['outcome_unknown'],
    'execution',
    'the same, after an attempt that may have happened',
  ],
  ['executing', 'succeed', ['executed'], 'execution', 'success recorded'],
  ['executing', 'fail', ['execution_failed'], 'execution', 'every attempt definitely had no effect'],
  ['executing', 'retry', ['execution_pending'], 'execution', 'safe to try again'],
  ['executing', 'lose', ['outcome_unknown'], 'execution', 'the outcome cannot be known'],
  ['outcome_unknown', 'find_executed', ['executed'], 'reconciliation', 'look-up: it happened'],
  ['outcome_unknown', 'find_failed', ['execution_failed'], 'reconciliation', 'look-up: it was refused'],
  ['outcome_unknown', 'find_absent', ['execution_pending'], 'reconciliation', 'look-up: it never happened'],
  [
    'outcome_unknown',
    'repeat',
    ['execution_pending'],
    'reconciliation',
    'the same key again, which the downstream honours',
  ],
  ['outcome_unknown', 'find_nothing', ['outcome_unknown'], 'reconciliation', 'look-up: nothing is proved'],
  ['outcome_unknown', 'resolve_executed', ['executed'], 'reconciliation', 'an operator: it happened'],
  ['outcome_unknown', 'resolve_failed', ['execution_failed'], 'reconciliation', 'an operator: it did not'],
  ['executed', 'erase', ['executed'], 'erasure', 'an admin erases its content; its events stay'],
  ['denied', 'erase', ['denied'], 'erasure', 'the same'],
  ['execution_failed', 'erase', ['execution_failed'], 'erasure', 'the same'],
]

/** The state machine of an action (specification.md#states). It alone decides which moves are legal. */
export const transitions: readonly Transition[] = table.map(([from, trigger, path, event, when]) => ({
  from,
  trigger,
  via: path.slice(0, -1),
  to: path[path.length - 1] as ActionStatus,
  event,
  when,
}))

export interface IllegalMove {
  status: ActionStatus | null
  trigger: Trigger
}

export function next(status: ActionStatus | null, trigger: Trigger): Transition | null {
  return byMove.get(moveKey(status, trigger)) ?? null
}

const byMove: ReadonlyMap<string, Transition> = new Map(
  transitions.map(transition => [moveKey(transition.from, transition.trigger), transition]),
)

function moveKey(status: ActionStatus | null, trigger: Trigger): string {
  return `${status ?? ''}>${trigger}`
}
