import type { TraceEvent } from '../../../../shared/contract/action/action.ts'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import type { ActionEventKind } from '../../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'

export interface EventText {
  title: string
  detail: string | null
  /** The action's status after the event, or null if the event changes no status. */
  status: ActionStatus | null
}

/** Describes an event. If its content was erased, the description names only its kind. */
export function describeEvent({ kind, body }: Pick<TraceEvent, 'kind' | 'body'>): EventText {
  // The service may be newer than this page and send a kind that this page does not know.
  const describe: Describe | undefined = descriptions[kind as ActionEventKind]
  if (body === null)
    return { title: `${describe?.({}).title ?? kind} (content erased)`, detail: null, status: null }
  return describe?.(body) ?? { title: kind, detail: null, status: null }
}

type Describe = (body: JsonObject) => EventText

const descriptions: Readonly<Record<ActionEventKind, Describe>> = {
  proposal_received: () => textOf('The agent asked', null, 'received'),
  verdict: describeVerdict,
  approval: body => textOf(`Approved${viaOf(body)}${countOf(body)}`, noteOf(body), 'execution_pending'),
  partial_approval: body =>
    textOf(`Approved${viaOf(body)}${countOf(body)}`, noteOf(body), 'pending_approval'),
  rejection: body => textOf(`Rejected${viaOf(body)}`, noteOf(body), 'denied'),
  expiry: () => textOf('Denied: nobody decided in time', null, 'denied'),
  cancellation: body => textOf('Withdrawn by the agent', noteOf(body), 'denied'),
  comment: body => textOf('Comment', noteOf(body), null),
  change_request: body => textOf('Changes requested', noteOf(body), null),
  supersession: ({ superseded_by }) =>
    textOf('Edited: another action takes its place', said(superseded_by) || null, 'denied'),
  escalation: body => textOf('Nobody decided: others are asked too', noteOf(body), null),
  execution_attempt: ({ attempt }) => textOf(`Attempt ${said(attempt)} begins`, null, 'executing'),
  execution: body => describeOutcome(`Attempt ${said(body.attempt)}`, body),
  reconciliation: body => describeOutcome(sources[said(body.source)] ?? 'Looked into', body),
  erasure: ({ reason }) => textOf('Content erased', said(reason) || null, null),
}

const sources: Readonly<Record<string, string>> = {
  late_result: 'A result that came late',
  same_key: 'Asked again with the same key',
  lookup: 'Looked up in the system',
  operator: 'An operator looked',
  reconciler: 'Looked into',
}

function describeVerdict({ decision, blocking_reasons, grant }: JsonObject): EventText {
  const reasons = Array.isArray(blocking_reasons) ? blocking_reasons.map(said) : []
  if (decision === 'allow' && grant && typeof grant === 'object' && 'use' in grant)
    return textOf(`A grant allowed it, use ${said(grant.use)}`, null, 'execution_pending')
  if (decision === 'allow') return textOf('The gate allowed it', null, 'execution_pending')
  if (decision === 'needs_approval') return textOf('The gate holds it for a person', null, 'pending_approval')
  return textOf('The gate denied it', reasons[0] ?? null, 'denied')
}

const outcomes: Readonly<Record<string, readonly [words: string, status: ActionStatus]>> = {
  ok: ['it was executed', 'executed'],
  failed: ['it failed and had no effect', 'execution_failed'],
  retry: ['not yet: it is tried again', 'execution_pending'],
  unknown: ['the outcome is unknown', 'outcome_unknown'],
}

function describeOutcome(subject: string, body: JsonObject): EventText {
  const [words, status] = outcomes[said(body.outcome)] ?? ['the outcome is unknown', 'outcome_unknown']
  return textOf(`${subject}: ${words}`, errorOf(body), status)
}

/** Returns the error of an event, and the class that says if the attempt may have had an effect. */
function errorOf({ error, class: counted, note }: JsonObject): string | null {
  const own = said(note)
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return own || null
  const text = `${said(error.code)}: ${said(error.message)}`
  return said(counted) === '' ? text : `${text} (counts as ${said(counted)})`
}

function countOf({ approvals }: JsonObject): string {
  if (typeof approvals !== 'object' || approvals === null || Array.isArray(approvals)) return ''
  return `: ${said(approvals.given)} of ${said(approvals.required)}`
}

function viaOf({ via }: JsonObject): string {
  return via === undefined ? '' : ' in Slack'
}

function noteOf({ note }: JsonObject): string | null {
  return said(note) || null
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function textOf(title: string, detail: string | null, status: ActionStatus | null): EventText {
  return { title, detail, status }
}
