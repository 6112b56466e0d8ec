import type { KeyPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { type Task, type ToolTrace, taskOf } from '../../mcp/tool-result.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { jobsAhead } from '../../store/job/queued-jobs.ts'
import { cancelAction, type RequestSpan } from '../action/decide-approval.ts'
import { readActionTrace, readApproval, type TraceAnswer } from '../action/read-actions.ts'
import { absoluteUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { confirmKey } from '../tenant/authenticate-key.ts'

/** An authenticated agent that calls a tool; `now` is from the database's clock. */
export interface Caller {
  principal: KeyPrincipal & { tenant_id: string }
  now: string
  traceparent: string
}

type Agent = Pick<Caller, 'principal'>

/**
 * Reads an action of the caller's tenant, or its replacement if a person edited it; one of another tenant is
 * answered as not found.
 */
export async function readToolAction(context: Context, agent: Agent, actionId: string): Promise<ToolTrace> {
  const trace = await traceOf(context, await readWith(context, agent, { actionId, known: [], wait_ms: 0 }))
  const next = trace.outcome?.superseded_by
  return next === undefined ? trace : readToolAction(context, agent, next)
}

/**
 * Waits up to `wait_ms` for an action to settle, without changing it; `onChange` receives every state on the way.
 * It keeps only the tag of the last state, so that a thousand agents may wait at once.
 */
export async function waitForAction(
  context: Context,
  agent: Agent,
  { actionId, wait_ms, onChange }: { actionId: string; wait_ms: number; onChange(trace: ToolTrace): void },
): Promise<ToolTrace> {
  const deadline = monotonicMs() + wait_ms
  const look = async (known: readonly string[], ms: number): Promise<Seen> => {
    const answer = await readWith(context, agent, { actionId, known, wait_ms: ms })
    const trace = answer.trace && (await traceOf(context, answer))
    if (trace && !answer.settled) onChange(trace)
    return { etag: answer.etag, settled: answer.settled, end: answer.settled ? trace : null }
  }
  let seen = await look([], 0)
  for (;;) {
    const left = deadline - monotonicMs()
    const next = seen.end?.outcome?.superseded_by
    if (next !== undefined)
      return waitForAction(context, agent, { actionId: next, wait_ms: Math.max(0, left), onChange })
    if (seen.end) return seen.end
    if (seen.settled || left <= 0 || context.watch.closed()) return readToolAction(context, agent, actionId)
    seen = await look([seen.etag], left)
  }
}

interface Seen {
  etag: string
  settled: boolean
  end: ToolTrace | null
}

export async function readTask(
  context: Context,
  agent: Agent,
  actionId: string,
): Promise<{ task: Task; trace: ToolTrace }> {
  const trace = await readToolAction(context, agent, actionId)
  const held_until =
    trace.status === 'pending_approval' ? await endOfHold(context, agent, trace.action_id) : null
  return { task: { ...taskOf(trace, held_until), taskId: actionId }, trace }
}

/** Returns null if the action was decided meanwhile. */
async function endOfHold(
  context: Context,
  { principal: viewer }: Agent,
  action_id: string,
): Promise<string | null> {
  const { tenant_id } = viewer
  try {
    return (await readApproval(context, { tenant_id, action_id, viewer })).expires_at
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'action_not_found') return null
    throw error
  }
}

/**
 * Withdraws a held action; returns null, or the refusal if it is too late or the key did not propose the action.
 */
export async function withdrawTask(
  context: Context,
  { principal }: Agent,
  { actionId, span }: { actionId: string; span: RequestSpan },
): Promise<ServiceError | null> {
  const decider = { key: principal }
  try {
    const { action_id } = await readToolAction(context, { principal }, actionId)
    await cancelAction(context, { decider, action_id, request: {}, wait_ms: 0, span })
    return null
  } catch (error) {
    if (error instanceof ServiceError && tooLate.has(error.code)) return error
    throw error
  }
}

const tooLate: ReadonlySet<string> = new Set(['action_not_approvable', 'not_the_proposer'])

function readWith(
  context: Context,
  { principal: { tenant_id, key_id } }: Agent,
  { actionId, known, wait_ms }: { actionId: string; known: readonly string[]; wait_ms: number },
): Promise<TraceAnswer> {
  return readActionTrace(context, {
    tenant_id,
    action_id: actionId,
    key_id,
    held_only: false,
    known,
    wait_ms,
    confirm: () => confirmKey(context, key_id),
  })
}

async function traceOf(context: Context, { trace }: TraceAnswer): Promise<ToolTrace> {
  if (!trace) throw new ServiceError('internal_error', 'a trace was asked for and none came')
  const told = opened(context, trace)
  if (trace.job?.state !== 'pending') return told
  const { tenant_id, action_id } = trace
  const ahead = await jobsAhead(context.store.readEach([tenant_id]), tenant_id, action_id)
  return ahead === null ? told : { ...told, ahead }
}

/** Makes the link to the decision page absolute, because a client of the protocol has no base for a path. */
export function opened<Told extends { review_url?: string | undefined }>(context: Context, told: Told): Told {
  const { review_url } = told
  return review_url === undefined ? told : { ...told, review_url: absoluteUrl(context, review_url) }
}
