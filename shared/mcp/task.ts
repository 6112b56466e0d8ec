import type { Trace } from '../contract/action/action.ts'
import { isSettled } from '../lifecycle/status.ts'
import { messageOf, type ToolTrace } from './tool-result.ts'

/** A task of the extension `io.modelcontextprotocol/tasks`: the id is that of the action. */
export interface Task {
  taskId: string
  status: 'working' | 'completed' | 'cancelled'
  statusMessage: string
  createdAt: string
  lastUpdatedAt: string
  /** From its creation until the hold ends; null where nothing ends it. */
  ttlMs: number | null
  pollIntervalMs: number
}

/** People take longer than programs. */
const pollMs = { held: 5_000, other: 1_000 } as const

/** An action as a task; `held_until` is when its hold ends, or null. */
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

/** Whatever settled is complete with a result, also a failure; what its own agent withdrew is cancelled. */
function taskStatus({ status, outcome }: Trace): Task['status'] {
  if (outcome?.code === 'withdrawn') return 'cancelled'
  return isSettled(status) ? 'completed' : 'working'
}
