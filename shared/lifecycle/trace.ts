import type {
  ApprovalRecord,
  ExecutionRecord,
  RecordedVerdict,
  TraceEvent,
} from '../contract/action/action.ts'
import type { Approvals, CountedApproval } from '../contract/action/action-status.ts'
import type { AuditEvent } from '../contract/action/audit.ts'
import type { Comment } from '../contract/action/comment-schema.ts'
import type { RecordedProposal } from '../contract/action/proposal-schema.ts'
import type { JsonObject } from '../contract/base/json.ts'

/**
 * A stored event and its payload. Both are exact canonical texts, and the leaf is in hex; the payload is null
 * after erasure.
 */
export interface RecordedEvent {
  event: string
  leaf: string
  payload: string | null
}

/** The parts of a trace that come from its events (specification.md#endpoints). */
export interface ReadTrace {
  proposal: RecordedProposal | null
  verdict: RecordedVerdict | null
  approval: ApprovalRecord | null
  approvals: Approvals | null
  /** Comments on the held action; empty after their content was erased. */
  comments: Comment[]
  execution: ExecutionRecord | null
  events: TraceEvent[]
}

const endings = {
  approval: 'approved',
  rejection: 'rejected',
  expiry: 'expired',
  cancellation: 'cancelled',
  supersession: 'superseded',
} as const

export function readTrace(recorded: readonly RecordedEvent[]): ReadTrace {
  const events = recorded.map(traceEvent)
  const last = (kinds: readonly string[]): TraceEvent | undefined =>
    events.findLast(({ kind }) => kinds.includes(kind))
  const approval = last(Object.keys(endings))
  const execution = last(['execution', 'reconciliation'])
  const verdict = (last(['verdict'])?.body as RecordedVerdict | null | undefined) ?? null
  return {
    proposal: (events[0]?.body as RecordedProposal | null | undefined) ?? null,
    verdict,
    approval: approval ? approvalRecord(approval) : null,
    approvals: approvalsOf(verdict, events),
    comments: commentsOf(events),
    execution: execution ? executionRecord(execution) : null,
    events,
  }
}

export function approvalsOf(
  verdict: Pick<RecordedVerdict, 'approvals_required'> | null,
  events: readonly Counting[],
): Approvals | null {
  const required = verdict?.approvals_required
  if (required === undefined) return null
  const by = approvalsGiven(events)
  return { required, given: by.length, by }
}

export function approvalsGiven(events: readonly Counting[]): CountedApproval[] {
  return events.filter(({ kind }) => countingKinds.has(kind)).map(countedApproval)
}

export type Counting = Pick<TraceEvent, 'kind' | 'principal' | 'at' | 'body'>

const countingKinds: ReadonlySet<string> = new Set(['partial_approval', 'approval'])

function countedApproval({ principal, at, body }: Counting): CountedApproval {
  const said = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const { name, role, note, holder, group, on_behalf_of } = body ?? {}
  return {
    principal,
    name: said(name),
    ...(typeof role === 'string' ? { role } : {}),
    holder: said(holder) ?? '',
    note: said(note),
    at,
    ...(typeof group === 'string' ? { group } : {}),
    ...(typeof on_behalf_of === 'string' ? { on_behalf_of } : {}),
  }
}

export function commentsOf(events: readonly Counting[]): Comment[] {
  return events.flatMap(({ kind, principal, at, body }) => {
    if ((kind !== 'comment' && kind !== 'change_request') || typeof body?.note !== 'string') return []
    const name = typeof body.name === 'string' ? body.name : null
    const role = typeof body.role === 'string' ? { role: body.role } : {}
    return [{ kind, principal, name, ...role, text: body.note, at }]
  })
}

export function traceEvent({ event, leaf, payload }: RecordedEvent): TraceEvent {
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
