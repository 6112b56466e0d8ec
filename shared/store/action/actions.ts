import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import type { Decision } from '../../contract/action/verdict.ts'
import { limits } from '../../contract/base/limits.ts'
import type { JobState } from '../../lifecycle/change.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { keyIsGood } from '../tenant/api-keys.ts'

/** An action with its whole recorded trace. Events and payloads are exact canonical texts; times are ISO 8601. */
export interface StoredAction {
  action_id: string
  tenant_id: string
  proposal_id: string
  proposal_hash: string
  status: ActionStatus
  event_count: number
  audit_root: Buffer
  /** The time of the next lookup of an unknown outcome; null in any other status. No event records it. */
  asked_next_at: string | null
  created_at: string
  updated_at: string
  events: StoredEvent[]
  job: StoredJob | null
}

/** `payload` and `salt` (base64) are null after an erasure. */
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

/** An action to read, and the API key of the reader. A null key is not checked. */
export interface Wanted {
  tenant_id: string
  action_id: string
  key_id: string | null
}

/** Results in the order of the request. An unknown id and an id of another tenant both give null. */
export type Found<Stored> = ((Stored & { key_good: boolean }) | null)[]

export function readActions(reader: Reader, wanted: readonly Wanted[]): Promise<Found<StoredAction>> {
  return readWanted(reader, 'read_actions', readSql, wanted)
}

export async function readAction(
  reader: Reader,
  tenant_id: string,
  action_id: string,
): Promise<StoredAction | null> {
  const [stored] = await readActions(reader, [{ tenant_id, action_id, key_id: null }])
  return stored ?? null
}

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

/** The parts of a trace that make its ETag and show a waiting request that the action has changed. */
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

/** Finds the action by its id before comparing the tenant; otherwise a plan may read the whole tenant. */
const wantedSql = `
  w.place::int4,
  (w.key_id is null or ${keyIsGood('w')}) as key_good
from unnest($1::text[], $2::text[], $3::text[]) with ordinality w(tenant_id, action_id, key_id, place)
join lateral ${optimizationFence(`select * from actions where action_id = w.action_id`)} a on a.tenant_id = w.tenant_id`

const askedNextAt = `case when a.status = 'outcome_unknown' then (
    select ${isoTime('j.next_run_at')} from execution_jobs j where j.action_id = a.action_id
  ) end as asked_next_at`

const versionSql = `select a.status, a.event_count, a.audit_root, ${askedNextAt}, ${wantedSql}`

/** Returns the number of events per action, by which a waiting request notices a change. */
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
  statuses: readonly ActionStatus[]
  limit: number
  before: string | null
}

interface Listed {
  action_id: string
  status: ActionStatus
  created_at: string
  updated_at: string
  /** True if an older action exists, on this page or on the next. */
  followed: boolean
}

export interface ListedAction extends Listed {
  held_until: string | null
  proposal: string | null
  verdict: string | null
  /** The texts of events that people added while the action was held; null if there are none. */
  said: { event: string; payload: string }[] | null
}

/** A listed action. A field is null if its text was erased. */
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
 * Lists a page of actions, newest first. A page begins after an action id, so that deep pages cost no more. A page
 * ends when its texts reach `list_bytes_max` bytes, and has at least one action.
 */
export function listActions(reader: Reader, page: Page): Promise<ListedAction[]> {
  return readPage(reader, 'list_actions', listSql, page)
}

/** Lists a page of actions with only a few fields, so that whole texts stay in the database. */
export function listSummaries(reader: Reader, page: Page): Promise<ListedSummary[]> {
  return readPage(reader, 'list_summaries', summariesSql, page)
}

/** Reads a page for each status and merges the pages, so that a single index serves every list. */
function readPage<Row>(reader: Reader, name: string, text: string, page: Page): Promise<Row[]> {
  const { statuses, tenantId, limit } = page
  const before = page.before ?? afterEveryAction
  return reader.query(name, text, [arrayLiteral(statuses), tenantId, before, limit])
}

/** A text greater than every action id, so that the first page uses the same condition as later pages. */
export const afterEveryAction = `act_${'z'.repeat(40)}`

export const actionTimes = ['created_at', 'updated_at', 'held_until']
  .map(name => `${isoTime(name)} as ${name}`)
  .join(', ')

/** An SQL subquery that finds a text by the index, however many rows the planner expects of a page. */
export const payloadText = (sequence: number): string => `(
    select convert_from(p.payload, 'UTF8') from event_payloads p
    where p.action_id = page.action_id and p.sequence = ${sequence}
  )`

export const saidTexts = `case when page.status = 'pending_approval' then (
    select json_agg(json_build_object(
      'event', convert_from(e.event, 'UTF8'), 'payload', convert_from(p.payload, 'UTF8')
    ) order by e.sequence)
    from action_events e join event_payloads p using (action_id, sequence)
    where e.action_id = page.action_id and e.sequence > 1
      and e.kind in ('partial_approval', 'comment', 'change_request', 'escalation')
  ) end`

/** Reads one row beyond the page to know if more follow. Reads payload lengths, but no payloads. */
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

/** The most bytes of texts behind a page of summaries, since Postgres reads a whole text for a few members. */
export const summarizedBytesMax = 8 * limits.list_bytes_max

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

/** Returns the size of all payloads of a tenant's held actions, which Postgres knows without reading them. */
export async function heldBytes(reader: Reader, tenantId: string): Promise<number> {
  const [row] = await reader.query<{ bytes: number }>('held_bytes', heldSql, [tenantId])
  return row?.bytes ?? 0
}

const heldSql = `
select coalesce(sum(octet_length(p.payload)), 0)::float8 as bytes
from actions a join event_payloads p using (action_id)
where a.tenant_id = $1 and a.status = 'pending_approval'`
