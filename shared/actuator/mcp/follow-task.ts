import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { Attempt, Session } from './mcp-session.ts'
import type { WireAnswer } from './watch-wire.ts'

type Result = Readonly<Record<string, JsonValue | undefined>>

/** A task that a server returns instead of a result, by the tasks extension or by protocol version 2025-11-25. */
export interface Task {
  id: string
  hasResultRequest: boolean
  state: Result
}

export type Followed =
  | { answer: WireAnswer }
  | { unknown: { code: string; message: string; body: JsonObject } }

const pollMs = { preset: 1_000, min: 20, max: 5_000 } as const

/** Returns the task in an answer, or null. Version 2025-11-25 returns one only if the call `asked` for it. */
export function taskIn(result: Result, asked: boolean): Task | null {
  const { resultType, taskId, task } = result
  if (resultType === 'task' && typeof taskId === 'string') {
    return { id: taskId, hasResultRequest: false, state: result }
  }
  const state = asked ? asObject(task) : null
  if (typeof state?.taskId !== 'string') return null
  return { id: state.taskId, hasResultRequest: true, state }
}

/**
 * Polls a task until it ends. If the attempt's time is over first, the outcome is unknown. A failed poll
 * never counts as a failed task.
 */
export async function followTask(session: Session, task: Task, attempt: Attempt): Promise<Followed> {
  let { state } = task
  for (;;) {
    const ended = await endOf(session, { ...task, state }, attempt)
    if (ended) return ended
    await pause(state, attempt.signal)
    if (attempt.signal.aborted || attempt.isLate()) {
      return lost(task, 'task_unfinished', 'the time of the attempt was over before the task ended')
    }
    const { answer } = await session.ask('tasks/get', { taskId: task.id }, attempt)
    if (answer?.kind === 'error') return lost(task, 'task_lost', `${answer.code}: ${answer.message}`)
    if (answer) state = answer.result
    else if (session.broken()) return lost(task, 'task_lost', 'the session ended before the task')
  }
}

async function endOf(session: Session, task: Task, attempt: Attempt): Promise<Followed | null> {
  const { status, result, error } = task.state
  if (status === 'cancelled') return lost(task, 'task_cancelled', 'the task was cancelled')
  if (status === 'input_required') return lost(task, 'task_needs_input', 'the task waits for more input')
  if (status !== 'completed' && status !== 'failed') return null
  if (task.hasResultRequest) return resultOf(session, task, attempt)
  const done = asObject(result)
  if (status === 'completed' && done) return { answer: { kind: 'result', result: done } }
  const told = asObject(error)
  if (status === 'failed' && told) {
    return { answer: { kind: 'error', code: Number(told.code), message: String(told.message) } }
  }
  return lost(
    task,
    'incomplete_result',
    `the task ${status} without ${status === 'failed' ? 'an error' : 'a result'}`,
  )
}

/**
 * Fetches the result of an ended task by protocol version 2025-11-25, or returns null to ask again. If an
 * error comes instead of a completed task's result, the outcome is unknown.
 */
async function resultOf(session: Session, task: Task, attempt: Attempt): Promise<Followed | null> {
  const { answer } = await session.ask('tasks/result', { taskId: task.id }, attempt)
  if (answer?.kind === 'result' || (answer && task.state.status === 'failed')) return { answer }
  if (!answer && !session.broken()) return null
  return lost(task, 'no_complete_answer', 'the task ended, and its result did not come')
}

/** Names the task in the unknown outcome, so that an operator can find out how the task ended. */
function lost({ id, state }: Task, code: string, message: string): Followed {
  const body: JsonObject = { task_id: id, status: state.status ?? null }
  return { unknown: { code, message: `${message} (task ${id})`, body } }
}

async function pause({ pollIntervalMs, pollInterval }: Result, signal: AbortSignal): Promise<void> {
  const asked = Number(pollIntervalMs ?? pollInterval ?? pollMs.preset)
  const ms = Math.min(pollMs.max, Math.max(pollMs.min, Number.isFinite(asked) ? asked : pollMs.preset))
  // An abort ends the pause early; the caller checks the signal next.
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

function asObject(value: JsonValue | undefined): Result | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
}
