import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import type { Decision } from '../../contract/action/verdict.ts'
import { limits } from '../../contract/base/limits.ts'
import type { JobState } from '../../lifecycle/change.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { keyIsGood } from '../tenant/api-keys.ts'

/** An action with its whole recorded trace; event and payload are the exact canonical texts, times ISO 8601. */
export interface StoredAction {
  action_id: string
  tenant_id: string
  proposal_id: string
  proposal_hash: string
  status: ActionStatus
  event_count: number
  audit_root: Buffer
  /** When the outcome, where it is unknown, is looked up next: no event tells of that. Null in any other state. */
  asked_next_at: string | null
  created_at: string
  updated_at: string
  events: StoredEvent[]
  job: StoredJob | null
}

/** `payload` and `salt` (base64) are null where they were erased. */
export interface StoredEvent {
  event: string
  leaf: string
  payload: string | null
  salt: string | null
}

/** `next_run_at` is ISO 8601 UTC with milliseconds. */
export interface StoredJob {
  state: JobState
  attempt: number
  max_attempts: number
  next_run_at: string
  lease_owner: string | null
  last_error: string | null
}

/** An action of a tenant, and the key that reads, or null. */
export interface Wanted {
  tenant_id: string
  action_id: string
  key_id: string | null
}

/** What is there of each, or null: an id of another tenant is as unknown as one that never was. In the order asked. */
export type Found<Stored> = ((Stored & { key_good: boolean }) | null)[]

/** Whole actions. */
export function readActions(reader: Reader, wanted: readonly Wanted[]): Promise<Found<StoredAction>> {
  return readWanted(reader, 'read_actions', readSql, wanted)
}

/** One action of a tenant, or null. */
export async function readAction(
  reader: Reader,
  tenant_id: string,
  action_id: string,
): Promise<StoredAction | null> {
  const [stored] = await readActions(reader, [{ tenant_id, action_id, key_id: null }])
  return stored ?? null
}

/** The action that a proposal id of a tenant stands for. */
export async function readActionByProposal(
  reader: Reader,
  tenantId: string,
  proposalId: string,
): Promise<StoredAction | null> {
  const [row] = await reader.query<StoredAction>('read_action_by_proposal', readByProposalSql, [
    tenantId,
    proposalId,
  ])
  return row ?? null
}

/** Which of these proposal ids stand for an action of the tenant. */
export async function knownProposals(
  reader: Reader,
  tenantId: string,
  proposalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = 'select proposal_id from actions where tenant_id = $1 and proposal_id = any($2::text[])'
  const rows = await reader.query<{ proposal_id: string }>('known_proposals', text, [
    tenantId,
    arrayLiteral(proposalIds),
  ])
  return new Set(rows.map(({ proposal_id }) => proposal_id))
}

/** What tells one state of a trace from another: enough for an ETag and for waiting. */
export type StoredVersion = Pick<StoredAction, 'status' | 'event_count' | 'audit_root' | 'asked_next_at'>

export function readVersions(reader: Reader, wanted: readonly Wanted[]): Promise<Found<StoredVersion>> {
  return readWanted(reader, 'read_versions', versionSql, wanted)
}

async function readWanted<Stored>(
  reader: Reader,
  name: string,
  text: string,
  wanted: readonly Wanted[],
): Promise<Found<Stored>> {
  const rows = await reader.query<Stored & { key_good: boolean; place: number }>(name, text, [
    arrayLiteral(wanted.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(wanted.map(({ action_id }) => action_id)),
    arrayLiteral(wanted.map(({ key_id }) => key_id)),
  ])
  const found = new Map(rows.map(row => [row.place, row]))
  return wanted.map((_, at) => found.get(at + 1) ?? null)
}

/** The action is found by its own id alone, and the tenant compared after: no plan reads the actions of the tenant. */
const wantedSql = `
  w.place::int4,
  (w.key_id is null or ${keyIsGood('w')}) as key_good
from unnest($1::text[], $2::text[], $3::text[]) with ordinality w(tenant_id, action_id, key_id, place)
join lateral ${optimizationFence(`select * from actions where action_id = w.action_id`)} a on a.tenant_id = w.tenant_id`

const askedNextAt = `case when a.status = 'outcome_unknown' then (
    select ${isoTime('j.next_run_at')} from execution_jobs j where j.action_id = a.action_id
  ) end as asked_next_at`

const versionSql = `select a.status, a.event_count, a.audit_root, ${askedNextAt}, ${wantedSql}`

/** Number of events of each action: the version that waiters compare. */
export async function readEventCounts(
  reader: Reader,
  actionIds: string[],
): Promise<ReadonlyMap<string, number>> {
  const text = 'select action_id, event_count from actions where action_id = any($1::text[])'
  const rows = await reader.query<{ action_id: string; event_count: number }>('read_event_counts', text, [
    arrayLiteral(actionIds),
  ])
  return new Map(rows.map(({ action_id, event_count }) => [action_id, event_count]))
}

export interface Page {
  tenantId: string
  /** Empty for every status. */
  statuses: readonly ActionStatus[]
  limit: number
  /** Only actions older than this one. */
  before: string | null
}

interface Listed {
  action_id: string
  status: ActionStatus
  created_at: string
  updated_at: string
  /** Whether an older one follows, on this page or on the next. */
  followed: boolean
}

/** An action with the texts that it begins with, null where they were erased. */
export interface ListedAction extends Listed {
  held_until: string | null
  proposal: string | null
  verdict: string | null
  /** What people said of a held action: the texts of its approvals and comments. */
  said: { event: string; payload: string }[] | null
}

/** What a list tells of an action: the members of what it begins with are null where that was erased. */
export interface ListedSummary extends Listed {
  proposal_id: string
  target_system: string
  operation: string
  agent_id: string | null
  summary: string | null
  decision: Decision | null
  effective_risk: RiskLevel | null
}

/**
 * A page of actions, newest first. Key-set based, so it costs the same at any depth and number of actions; it ends where its
 * texts have `list_bytes_max` bytes, and has one action at least.
 */
export function listActions(reader: Reader, page: Page): Promise<ListedAction[]> {
  return readPage(reader, 'list_actions', listSql, page)
}

/** The same of what a list tells, which is all that leaves the database. */
export function listSummaries(reader: Reader, page: Page): Promise<ListedSummary[]> {
  return readPage(reader, 'list_summaries', summariesSql, page)
}

/** One index serves every list: a page of each status is read and the pages are merged. */
function readPage<Row>(reader: Reader, name: string, text: string, page: Page): Promise<Row[]> {
  const { statuses, tenantId, limit } = page
  const before = page.before ?? afterEveryAction
  return reader.query(name, text, [arrayLiteral(statuses), tenantId, before, limit])
}

/** Greater than every action id: one condition for the first page and the others, so that the index serves both. */
export const afterEveryAction = `act_${'z'.repeat(40)}`

export const actionTimes = ['created_at', 'updated_at', 'held_until']
  .map(name => `${isoTime(name)} as ${name}`)
  .join(', ')

/** One look at the index for each row, whatever the planner makes of the size of a page. */
export const payloadText = (sequence: number): string => `(
    select convert_from(p.payload, 'UTF8') from event_payloads p
    where p.action_id = page.action_id and p.sequence = ${sequence}
  )`

/** Events of people beyond the two that a held action begins with. */
export const saidTexts = `case when page.status = 'pending_approval' then (
    select json_agg(json_build_object(
      'event', convert_from(e.event, 'UTF8'), 'payload', convert_from(p.payload, 'UTF8')
    ) order by e.sequence)
    from action_events e join event_payloads p using (action_id, sequence)
    where e.action_id = page.action_id and e.sequence > 1
      and e.kind in ('partial_approval', 'comment', 'change_request', 'escalation')
  ) end`

/** One more than is wanted tells whether more follow. The length of a payload is known without reading it. */
export const pageSql = (bytesMax: number, narrowed = ''): string => `
listed as (
  select a.* from unnest($1::text[]) s(status)
  cross join lateral (
    select action_id, proposal_id, target_system, operation, status, ${actionTimes} from actions
    where tenant_id = $2 and status = s.status and action_id collate "C" < $3 ${narrowed}
    order by action_id collate "C" desc limit $4::int4 + 1
  ) a
  order by a.action_id desc limit $4::int4 + 1
),
measured as (
  select listed.*, row_number() over newest as place, lead(action_id) over newest is not null as followed,
    sum((select sum(octet_length(p.payload)) from event_payloads p where p.action_id = listed.action_id)) over newest as bytes
  from listed window newest as (order by action_id desc)
),
page as (select * from measured where place <= $4::int4 and (place = 1 or bytes <= ${bytesMax}))`

const listSql = `
with ${pageSql(limits.list_bytes_max)}
select action_id, status, created_at, updated_at, held_until, followed,
  ${payloadText(0)} as proposal, ${payloadText(1)} as verdict, ${saidTexts} as said
from page
order by action_id desc`

/** The database reads texts whole to find a few members of them: so many bytes for a page. */
export const summarizedBytesMax = 8 * limits.list_bytes_max

/** Of a payload, some members; each text is read once. */
export const membersOf = (sequence: number, name: string, members: string): string => `
left join lateral ${optimizationFence(`
  select m.* from event_payloads p
  cross join lateral json_to_record(convert_from(p.payload, 'UTF8')::json) as m(${members})
  where p.action_id = page.action_id and p.sequence = ${sequence}
`)} ${name} on true`

const summariesSql = `
with ${pageSql(summarizedBytesMax)}
select page.action_id, proposal_id, target_system, operation, status, created_at, updated_at, followed,
  proposed.actor ->> 'agent_id' as agent_id, proposed.summary, decided.decision, decided.effective_risk ->> 'level' as effective_risk
from page ${membersOf(0, 'proposed', 'actor json, summary text')} ${membersOf(1, 'decided', 'decision text, effective_risk json')}
order by page.action_id desc`

const actionColumns = `
  a.action_id, a.tenant_id, a.proposal_id, a.proposal_hash, a.status, a.event_count, a.audit_root, ${askedNextAt},
  ${isoTime('a.created_at')} as created_at, ${isoTime('a.updated_at')} as updated_at,
  (
    select json_agg(json_build_object(
      'event', convert_from(e.event, 'UTF8'), 'leaf', encode(e.leaf_hash, 'hex'),
      'payload', convert_from(p.payload, 'UTF8'), 'salt', encode(p.salt, 'base64')
    ) order by e.sequence)
    from action_events e left join event_payloads p using (action_id, sequence) where e.action_id = a.action_id
  ) as events,
  (
    select json_build_object(
      'state', j.state, 'attempt', j.attempt, 'max_attempts', j.max_attempts + j.uncounted,
      'next_run_at', ${isoTime('j.next_run_at')}, 'lease_owner', j.lease_owner, 'last_error', j.last_error
    ) from execution_jobs j where j.action_id = a.action_id
  ) as job`

const readSql = `select ${actionColumns}, ${wantedSql}`
const readByProposalSql = `select ${actionColumns} from actions a where a.tenant_id = $1 and a.proposal_id = $2`

/** How many bytes everything has that is recorded of a tenant's held actions: known without reading it. */
export async function heldBytes(reader: Reader, tenantId: string): Promise<number> {
  const [row] = await reader.query<{ bytes: number }>('held_bytes', heldSql, [tenantId])
  return row?.bytes ?? 0
}

const heldSql = `
select coalesce(sum(octet_length(p.payload)), 0)::float8 as bytes
from actions a join event_payloads p using (action_id)
where a.tenant_id = $1 and a.status = 'pending_approval'`
