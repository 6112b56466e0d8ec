import type { RecordedVerdict } from '../../contract/action/action.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import type { Columns } from './given-rows.ts'
import type { SealedChange, SealedOpening, SealedRow } from './sealed-change.ts'

/** Columns of the rows that are sent to the ledger's statements. A statement derives all other columns. */

interface EventRow {
  action_id: string
  tenant_id: string
  row: SealedRow
}

interface JobRow {
  action_id: string
  tenant_id: string
  job: NonNullable<SealedChange['change']['job']>
}

const leftColumns: Columns<SealedChange> = [
  ['action_id', 'text', sealed => sealed.action_id],
  ['status_to', 'text', sealed => sealed.change.to],
  ['event_count', 'int4', sealed => sealed.leaves.length],
  ['leaves', 'text', sealed => Buffer.concat(sealed.leaves).toString('hex')],
  ['root', 'text', sealed => sealed.root.toString('hex')],
  ['at', 'timestamptz', sealed => sealed.at],
  ['hold_ms', 'int8', sealed => sealed.change.hold_ms],
]

export const openingColumns: Columns<SealedOpening> = [
  ...leftColumns,
  ['tenant_id', 'text', opening => opening.tenant_id],
  ['proposal_id', 'text', opening => opening.proposal_id],
  ['proposal_hash', 'text', opening => opening.proposal_hash],
  ['target_system', 'text', opening => opening.target_system],
  ['operation', 'text', opening => opening.operation],
  ['key_id', 'text', opening => opening.key_id],
  ['rules_version', 'int8', opening => opening.rules_version],
  ['traceparent', 'text', opening => opening.traceparent],
]

/** The columns that an inbox filters and searches by. `searched` has only the beginning of the texts. */
export const heldColumns: Columns<SealedOpening> = [
  ['action_id', 'text', opening => opening.action_id],
  ['tenant_id', 'text', opening => opening.tenant_id],
  ['agent_id', 'text', opening => heldContent(opening).proposal.actor.agent_id],
  ['risk', 'text', opening => heldContent(opening).verdict.effective_risk.level],
  ['review_route', 'text', opening => heldContent(opening).verdict.review_route ?? ''],
  ['escalates_at', 'timestamptz', opening => escalatesAt(opening)],
  ['searched', 'text', opening => searched(heldContent(opening).proposal)],
]

function heldContent({ change: { entries } }: SealedOpening) {
  const [proposal, verdict] = entries.map(({ payload }) => payload)
  return { proposal: proposal as unknown as Proposal, verdict: verdict as unknown as RecordedVerdict }
}

function escalatesAt(opening: SealedOpening): string | null {
  const { escalate } = heldContent(opening).verdict.route ?? {}
  return escalate ? new Date(Date.parse(opening.at) + escalate.after_ms).toISOString() : null
}

function searched({ summary, action: { parameters } }: Proposal): string {
  return searchable(`${summary} ${JSON.stringify(parameters)}`.slice(0, limits.searched_length_max))
}

/** Normalises a text for search, so that `amount:250` is found in `"amount":250`. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll('"', '')
}

export function patternsOf(words: readonly string[]): string {
  return arrayLiteral(words.map(word => `%${searchable(word).replaceAll(/[\\%_]/g, '\\$&')}%`))
}

export const changeColumns: Columns<SealedChange> = [
  ...leftColumns,
  ['status_from', 'text', sealed => sealed.change.from],
  ['prior_count', 'int4', sealed => sealed.leaves.length - sealed.rows.length],
]

export const eventColumns: Columns<EventRow> = [
  ['action_id', 'text', ({ action_id }) => action_id],
  ['tenant_id', 'text', ({ tenant_id }) => tenant_id],
  ['sequence', 'int4', ({ row }) => row.sequence],
  ['kind', 'text', ({ row }) => row.kind],
  ['status_from', 'text', ({ row }) => row.from],
  ['status_to', 'text', ({ row }) => row.to],
  ['leaf', 'text', ({ row }) => row.leafHash.toString('hex')],
  ['salt', 'text', ({ row }) => Buffer.from(row.salt).toString('hex')],
  ['event', 'canonical', ({ row }) => row.text],
  ['payload', 'canonical', ({ row }) => row.payloadText],
]

export const newJobColumns: Columns<JobRow> = [
  ['action_id', 'text', ({ action_id }) => action_id],
  ['tenant_id', 'text', ({ tenant_id }) => tenant_id],
  ['max_attempts', 'int4', ({ job }) => job.max_attempts],
]

export const jobColumns: Columns<JobRow> = [
  ['action_id', 'text', ({ action_id }) => action_id],
  ['state', 'text', ({ job }) => job.state],
  ['attempt', 'int4', ({ job }) => job.attempt],
  ['run_in_ms', 'int8', ({ job }) => job.run_in_ms],
  ['lease_owner', 'text', ({ job }) => job.lease_owner],
  ['lease_token', 'int8', ({ job }) => job.lease_token],
  ['lease_ms', 'int8', ({ job }) => job.lease_ms],
  ['maybe_executed', 'int4', ({ job }) => Number(job.maybe_executed)],
  ['key_honoured', 'int4', ({ job }) => Number(job.key_honoured)],
  ['rounds', 'int4', ({ job }) => job.rounds],
  ['uncounted', 'int4', ({ job }) => job.uncounted],
  ['leases_lost', 'int4', ({ job }) => job.leases_lost],
  ['retry_until', 'timestamptz', ({ job }) => job.retry_until],
  ['needs_operator', 'int4', ({ job }) => Number(job.needs_operator)],
  ['last_error', 'text', ({ job }) => job.last_error],
  ['expected_token', 'int8', ({ job }) => job.expected_token],
]

export function eventsOf(changes: readonly SealedChange[]): EventRow[] {
  return changes.flatMap(({ action_id, tenant_id, rows }) => rows.map(row => ({ action_id, tenant_id, row })))
}

export function jobsOf(changes: readonly SealedChange[]): { made: JobRow[]; changed: JobRow[] } {
  const jobs = changes.flatMap(({ action_id, tenant_id, change: { job } }) =>
    job ? [{ action_id, tenant_id, job }] : [],
  )
  const isNew = ({ job }: JobRow): boolean => job.expected_token === null
  return { made: jobs.filter(isNew), changed: jobs.filter(job => !isNew(job)) }
}
