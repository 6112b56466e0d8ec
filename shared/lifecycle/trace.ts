import type { ApprovalRecord, ExecutionRecord, RecordedVerdict, TraceEvent } from '../contract/action.ts'
import type { AuditEvent } from '../contract/audit.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Proposal } from '../contract/proposal.ts'

/** Event and payload as they are stored: exact canonical texts, the leaf in hex; the payload null once erased. */
export interface RecordedEvent {
  event: string
  leaf: string
  payload: string | null
}

/** The parts of a trace that its events tell (contract section 9). */
export interface ReadTrace {
  proposal: Proposal | null
  verdict: RecordedVerdict | null
  approval: ApprovalRecord | null
  execution: ExecutionRecord | null
  events: TraceEvent[]
}

const endings = {
  approval: 'approved',
  rejection: 'rejected',
  expiry: 'expired',
  cancellation: 'cancelled',
} as const

/** Read the recorded events back into what they say. */
export function readTrace(recorded: readonly RecordedEvent[]): ReadTrace {
  const events = recorded.map(traceEvent)
  const last = (kinds: readonly string[]): TraceEvent | undefined =>
    events.findLast(({ kind }) => kinds.includes(kind))
  const approval = last(Object.keys(endings))
  const execution = last(['execution', 'reconciliation'])
  return {
    proposal: (events[0]?.body as Proposal | null | undefined) ?? null,
    verdict: (last(['verdict'])?.body as RecordedVerdict | null | undefined) ?? null,
    approval: approval ? approvalRecord(approval) : null,
    execution: execution ? executionRecord(execution) : null,
    events,
  }
}

function traceEvent({ event, leaf, payload }: RecordedEvent): TraceEvent {
  const { sequence, kind, at, principal } = JSON.parse(event) as AuditEvent
  const body = payload === null ? null : (JSON.parse(payload) as JsonObject)
  return { sequence, kind, at, principal, body, leaf_hash: `sha256:${leaf}` }
}

function approvalRecord({ kind, principal, at, body }: TraceEvent): ApprovalRecord {
  const note = typeof body?.note === 'string' ? body.note : null
  return { decision: endings[kind as keyof typeof endings], principal, note, at }
}

function executionRecord({ at, body }: TraceEvent): ExecutionRecord {
  const recorded = (body ?? {}) as Partial<ExecutionRecord>
  return {
    outcome: recorded.outcome ?? 'unknown',
    attempt: recorded.attempt ?? 0,
    result: recorded.result ?? null,
    error: recorded.error ?? null,
    at,
  }
}
