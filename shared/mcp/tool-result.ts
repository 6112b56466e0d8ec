import type { Trace } from '../contract/action/action.ts'
import type { ActionOutcome, ActionStatus, Approvals } from '../contract/action/action-status.ts'
import type { Comment } from '../contract/action/comment-schema.ts'
import type { ToolResult } from '../contract/action/tool-result-schema.ts'
import type { Verdict } from '../contract/action/verdict.ts'
import { limits } from '../contract/base/limits.ts'
import { isSettled } from '../lifecycle/status.ts'

export function resultOfVerdict(verdict: Verdict): ToolResult {
  const { action_id, proposal_id, action_status: status, decision, review_url } = verdict
  const outcome = verdict.outcome ?? null
  const review_route = verdict.review_route ?? null
  return {
    result: verdict.result?.detail ?? null,
    status,
    message: told({ action_id, status, outcome, review_route, review_url, comments: verdict.comments }),
    decision,
    reasons: reasonsOf(verdict.blocking_reasons),
    outcome,
    ...(review_url === undefined ? {} : { review_url }),
    action_id,
    proposal_id,
    audit_root: verdict.audit.root,
  }
}

export type ToolTrace = Trace & Pick<Standing, 'ahead'>

export function resultOfTrace(trace: ToolTrace): ToolResult {
  const { action_id, status, verdict, outcome, execution } = trace
  return {
    result: status === 'executed' ? (execution?.result?.detail ?? null) : null,
    status,
    message: told({ ...trace, review_route: verdict.review_route }),
    decision: verdict.decision,
    reasons: reasonsOf(verdict.blocking_reasons),
    outcome,
    ...(trace.review_url === undefined ? {} : { review_url: trace.review_url }),
    action_id,
    proposal_id: trace.proposal.proposal_id,
    audit_root: trace.audit_root,
  }
}

/** Returns texts for a model: the result or the message, the downstream's answer about a failure, and the ids. */
export function textsOf({ result, status, message, outcome, action_id, proposal_id }: ToolResult): string[] {
  const first = result === null ? message : JSON.stringify(result)
  const answered = outcome?.body === undefined ? [] : [JSON.stringify(outcome.body)]
  return [first, ...answered, JSON.stringify({ status, action_id, proposal_id })]
}

/**
 * Returns true only if the agent should correct or repeat the call, because frameworks add "please fix your
 * mistakes" to an error. So neither a decision by policy, person or time nor an unknown outcome is an error.
 */
export function isError({ status, outcome }: Pick<ToolResult, 'status' | 'outcome'>): boolean {
  return status === 'execution_failed' || outcome?.mendable === true
}

/** Adds to the message how to wait, because a client without tasks must ask again. */
function told({ action_id, ...standing }: Standing & { action_id: string }): string {
  const message = messageOf(standing)
  if (isSettled(standing.status)) return message
  return `${message} Wait for its end with action_wait and {"action_id":"${action_id}"}.`
}

function reasonsOf(blocking: readonly string[]): ToolResult['reasons'] {
  return blocking.map(reason => {
    const colon = reason.indexOf(': ')
    return colon < 0
      ? { code: reason, message: reason }
      : { code: reason.slice(0, colon), message: reason.slice(colon + 2) }
  })
}

export interface Standing {
  status: ActionStatus
  outcome: ActionOutcome | null
  review_route: string | null
  /** Jobs of the same system that run first, at most `jobs_ahead_max`; absent if the action does not wait. */
  ahead?: number | undefined
  review_url?: string | undefined
  approvals?: Approvals | undefined
  comments?: readonly Comment[] | undefined
  job?: Pick<NonNullable<Trace['job']>, 'attempt' | 'next_run_at'> | null
}

export function messageOf(standing: Standing): string {
  return messages[standing.status](standing)
}

const queued = ({ job, ahead = 0 }: Standing): string =>
  job && job.attempt > 0
    ? `Attempt ${job.attempt} had no effect; the next one is due at ${job.next_run_at}.`
    : `Queued for execution${ahead === 0 ? '' : behind(ahead)}.`

function behind(ahead: number): string {
  return ` behind ${ahead}${ahead < limits.jobs_ahead_max ? '' : ' or more'} of the same system`
}

const messages: Readonly<Record<ActionStatus, (standing: Standing) => string>> = {
  received: () => 'Accepted.',
  allowed: queued,
  approved: queued,
  execution_pending: queued,
  executing: ({ job }) => `Attempt ${job?.attempt ?? 1} is under way.`,
  pending_approval: ({ review_route, review_url, approvals, comments = [] }) => {
    const request = comments.findLast(({ kind }) => kind === 'change_request')
    if (request) return changesWanted(request)
    const comment = comments.at(-1)
    const remark = comment ? `${comment.name ?? 'Somebody'} says: ${sentence(comment.text)} ` : ''
    const count = approvals ? `${approvals.given} of ${approvals.required} approvals given. ` : ''
    const place = review_url === undefined ? '' : `They decide at ${review_url}. `
    return `Waiting for a person to approve: ${review_route ?? 'an approver'}. ${count}${place}${remark}The service executes it after that by itself. Do not propose it again.`
  },
  executed: ({ outcome }) => `Executed: ${outcome?.message ?? 'the actuator reported success'}.`,
  denied: ({ outcome }) => denials(outcome),
  execution_failed: ({ outcome }) =>
    `Not executed: ${said(outcome)}. ${outcome?.try_again ? 'A new call may succeed.' : 'The same call would fail again.'}`,
  outcome_unknown: ({ outcome }) =>
    `Nobody knows whether it happened: ${said(outcome)}. All automation of it stops, and an operator looks. Do not repeat it.`,
}

/** Tells the agent to propose a new action, because a held action never changes. */
function changesWanted({ name, text }: Comment): string {
  return `${name ?? 'Who decides'} asks for changes: ${sentence(text)} Withdraw this one, then propose what they ask for as a new action. Nothing was done so far.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function denials(outcome: ActionOutcome | null): string {
  switch (outcome?.code) {
    case 'rejected':
      return `A person rejected it: ${said(outcome)}. Nothing was done. Do not propose it again.`
    case 'approval_expired':
      return 'Nobody decided in time. Nothing was done. A new call asks again.'
    case 'withdrawn':
      return `Withdrawn: ${said(outcome)}. Nothing was done.`
    case 'superseded':
      return `A person edited it: ${said(outcome)}. Nothing was done of this one. Do not propose it again.`
    default:
      return `${outcome?.mendable ? 'Refused' : 'The policy denies it'}: ${said(outcome)}. Nothing was done. ${outcome?.next ?? ''}`.trim()
  }
}

function said(outcome: ActionOutcome | null): string {
  return (outcome?.message ?? 'no reason was recorded').replace(/[.]$/, '')
}

/** A task of the extension `io.modelcontextprotocol/tasks`. Its id is the id of the action. */
export interface Task {
  taskId: string
  status: 'working' | 'completed' | 'cancelled'
  statusMessage: string
  createdAt: string
  lastUpdatedAt: string
  /** Milliseconds from the creation to the end of the hold; null if the hold has no end. */
  ttlMs: number | null
  pollIntervalMs: number
}

/**
 * Milliseconds between polls. The interval of a held action is longer, because a person takes longer to
 * decide.
 */
const pollMs = { held: 5_000, other: 1_000 } as const

export function taskOf(trace: ToolTrace, held_until: string | null): Task {
  const { action_id, status, created_at, updated_at } = trace
  return {
    taskId: action_id,
    status: taskStatus(trace),
    statusMessage: messageOf({ ...trace, review_route: trace.verdict.review_route }),
    createdAt: created_at,
    lastUpdatedAt: updated_at,
    ttlMs: held_until === null ? null : Math.max(0, Date.parse(held_until) - Date.parse(created_at)),
    pollIntervalMs: status === 'pending_approval' ? pollMs.held : pollMs.other,
  }
}

/**
 * Returns `cancelled` if the agent withdrew the action, otherwise `working` until it settles, then
 * `completed`.
 */
function taskStatus({ status, outcome }: Trace): Task['status'] {
  if (outcome?.code === 'withdrawn') return 'cancelled'
  return isSettled(status) ? 'completed' : 'working'
}
