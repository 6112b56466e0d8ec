import type { ActionStatus } from '../contract/status.ts'
import type { JobState } from '../lifecycle/change.ts'
import { arrayLiteral } from './array-literal.ts'
import { isoTime } from './iso-time.ts'
import type { Reader } from './open.ts'

/** An action with its whole recorded trace; event and payload are the exact canonical texts, times ISO 8601. */
export interface StoredAction {
  action_id: string
  tenant_id: string
  proposal_id: string
  proposal_hash: string
  status: ActionStatus
  event_count: number
  audit_root: Buffer
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

/** One action of a tenant, or null: an id of another tenant is as unknown as one that never was. */
export async function readAction(
  reader: Reader,
  tenantId: string,
  actionId: string,
): Promise<StoredAction | null> {
  const [row] = await reader.sql<StoredAction[]>`
    select ${actionColumns(reader)} from actions a where a.action_id = ${actionId} and a.tenant_id = ${tenantId}`
  return row ?? null
}

/** The action that a proposal id of a tenant stands for. */
export async function readActionByProposal(
  reader: Reader,
  tenantId: string,
  proposalId: string,
): Promise<StoredAction | null> {
  const [row] = await reader.sql<StoredAction[]>`
    select ${actionColumns(reader)} from actions a where a.tenant_id = ${tenantId} and a.proposal_id = ${proposalId}`
  return row ?? null
}

/** What changes with every event of an action: enough for an ETag and for waiting. */
export async function readVersion(
  reader: Reader,
  tenantId: string,
  actionId: string,
): Promise<{ status: ActionStatus; event_count: number; audit_root: Buffer } | null> {
  const [row] = await reader.sql<{ status: ActionStatus; event_count: number; audit_root: Buffer }[]>`
    select status, event_count, audit_root from actions where action_id = ${actionId} and tenant_id = ${tenantId}`
  return row ?? null
}

/** Number of events of each action: the version that waiters compare. */
export async function readVersions(
  reader: Reader,
  actionIds: string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.sql<{ action_id: string; event_count: number }[]>`
    select action_id, event_count from actions where action_id = any(${arrayLiteral(actionIds)}::text[])`
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

/** A page of a list: newest first, key-set based, so it costs the same at any depth and number of actions. */
export interface ListedAction {
  action_id: string
  status: ActionStatus
  created_at: string
  updated_at: string
  held_until: string | null
  proposal: string | null
  verdict: string | null
}

/** One index serves every list: a page of each status is read and the pages are merged. */
export async function listActions(reader: Reader, page: Page): Promise<ListedAction[]> {
  return reader.sql<ListedAction[]>`
    with page as (
      select a.* from unnest(${arrayLiteral(page.statuses)}::text[]) s(status)
      cross join lateral (
        select action_id, status, ${times(reader)} from actions
        where tenant_id = ${page.tenantId} and status = s.status and (${page.before}::text is null or action_id < ${page.before})
        order by action_id desc limit ${page.limit}
      ) a
      order by a.action_id desc limit ${page.limit}
    )
    select page.*, convert_from(proposal.payload, 'UTF8') as proposal, convert_from(verdict.payload, 'UTF8') as verdict
    from page
    left join event_payloads proposal on proposal.action_id = page.action_id and proposal.sequence = 0
    left join event_payloads verdict on verdict.action_id = page.action_id and verdict.sequence = 1
    order by page.action_id desc`
}

const times = (reader: Reader) =>
  reader.sql.unsafe(
    ['created_at', 'updated_at', 'held_until'].map(name => `${isoTime(name)} as ${name}`).join(', '),
  )

const actionColumns = (reader: Reader) => reader.sql`
  a.action_id, a.tenant_id, a.proposal_id, a.proposal_hash, a.status, a.event_count, a.audit_root,
  ${reader.sql.unsafe(isoTime('a.created_at'))} as created_at, ${reader.sql.unsafe(isoTime('a.updated_at'))} as updated_at,
  (
    select json_agg(json_build_object(
      'event', convert_from(e.event, 'UTF8'), 'leaf', encode(e.leaf_hash, 'hex'),
      'payload', convert_from(p.payload, 'UTF8'), 'salt', encode(p.salt, 'base64')
    ) order by e.sequence)
    from action_events e left join event_payloads p using (action_id, sequence) where e.action_id = a.action_id
  ) as events,
  (
    select json_build_object(
      'state', j.state, 'attempt', j.attempt, 'max_attempts', j.max_attempts,
      'next_run_at', ${reader.sql.unsafe(isoTime('j.next_run_at'))},
      'lease_owner', j.lease_owner, 'last_error', j.last_error
    ) from execution_jobs j where j.action_id = a.action_id
  ) as job`
