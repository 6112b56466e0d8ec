import type { CountedApproval } from '../../contract/action/action-status.ts'
import type { FreezeEffect } from '../../contract/configuration/freeze-schema.ts'
import type { FrozenRoute } from '../../contract/configuration/route-schema.ts'
import type { ActionState, CalledBack, JobState, Quorum, RouteTerms } from '../../lifecycle/change.ts'
import { isDispatched } from '../job/dispatched-operations.ts'
import type { Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { holdPeople, type RoutePeople } from '../tenant/route-rows.ts'

export interface LockedAction extends ActionState {
  target_system: string
  age_ms: number
  /** The trace context of the caller that proposed the action; null if the caller sent none. */
  traceparent: string | null
  leaves: Buffer[]
}

/** Locks actions until the transaction ends; unknown ids are missing from the result. */
export async function lockActions(writer: Writer, ids: readonly string[]): Promise<LockedAction[]> {
  const rows = await writer.query<LockedRow>('lock_actions', lockSql, [arrayLiteral(ids)])
  const given = await readGiven(writer, rows)
  const people = await readPeople(writer, rows)
  const proven = await readProven(writer, rows)
  const dispatched = await readDispatched(writer, rows)
  return rows.map(row =>
    lockedAction(row, {
      dispatched: dispatched.has(row.action_id),
      given: given.get(row.action_id) ?? nothingGiven,
      people: people.get(row.tenant_id) ?? nobody,
      proven: proven.has(row.action_id),
    }),
  )
}

async function readPeople(
  writer: Writer,
  locked: readonly LockedRow[],
): Promise<ReadonlyMap<string, RoutePeople>> {
  const asked = locked.flatMap(({ tenant_id, held }) =>
    held?.route == null ? [] : { tenant_id, groups: groupsOf(held.route) },
  )
  return asked.length === 0 ? new Map() : holdPeople(writer, asked)
}

function groupsOf({ required, escalate }: FrozenRoute): string[] {
  return [...required.map(({ group }) => group), ...(escalate ? [escalate.group] : [])]
}

/**
 * Reads the counted approvals of actions that need several approvals or have a route. It needs its own statement,
 * because the locking statement sees other tables as they were before it waited for the lock.
 */
async function readGiven(writer: Writer, locked: readonly LockedRow[]): Promise<ReadonlyMap<string, Given>> {
  const ids = locked.flatMap(({ action_id, held }) =>
    held?.approvals_required == null && held?.route == null ? [] : action_id,
  )
  const given = new Map<string, Given>()
  if (ids.length === 0) return given
  const rows = await writer.query<GivenRow>('read_given_approvals', givenSql, [arrayLiteral(ids)])
  for (const { action_id, kind, ...approval } of rows) {
    const { approvals, escalated } = given.get(action_id) ?? nothingGiven
    given.set(
      action_id,
      kind === 'escalation'
        ? { approvals, escalated: true }
        : { approvals: [...approvals, countedOf(approval)], escalated },
    )
  }
  return given
}

/** Returns the actions with a late result. Has its own statement for the reason given at `readGiven`. */
async function readProven(writer: Writer, locked: readonly LockedRow[]): Promise<ReadonlySet<string>> {
  const ids = locked.flatMap(row => (mayBeProven(row) ? row.action_id : []))
  if (ids.length === 0) return new Set()
  const text = 'select distinct action_id from late_results where action_id = any($1::text[])'
  const rows = await writer.query<{ action_id: string }>('read_proven', text, [arrayLiteral(ids)])
  return new Set(rows.map(({ action_id }) => action_id))
}

/**
 * Returns true if a lease was lost, because only then can a result be late. The outcome is then unknown, or was
 * until a reconcile round.
 */
const mayBeProven = ({ state, rounds }: LockedRow): boolean => state === 'unknown' || rounds > 0

/**
 * Returns the actions whose lease expired while a downstream still runs their operation. It needs its own
 * statement, because an acceptance or a callback may be stored while the lock is awaited.
 */
async function readDispatched(writer: Writer, locked: readonly LockedRow[]): Promise<ReadonlySet<string>> {
  const ids = locked.flatMap(({ lease_expired, action_id }) => (lease_expired ? action_id : []))
  if (ids.length === 0) return new Set()
  const text = `select j.action_id from execution_jobs j where j.action_id = any($1::text[]) and ${isDispatched('j')}`
  const rows = await writer.query<{ action_id: string }>('read_dispatched', text, [arrayLiteral(ids)])
  return new Set(rows.map(({ action_id }) => action_id))
}

interface GivenRow extends Omit<CountedApproval, 'group' | 'on_behalf_of'> {
  action_id: string
  kind: 'partial_approval' | 'escalation'
  group: string | null
  on_behalf_of: string | null
}

interface Given {
  approvals: readonly CountedApproval[]
  escalated: boolean
}

const nothingGiven: Given = { approvals: [], escalated: false }

function countedOf({
  group,
  on_behalf_of,
  ...counted
}: Omit<GivenRow, 'action_id' | 'kind'>): CountedApproval {
  return {
    ...counted,
    ...(group === null ? {} : { group }),
    ...(on_behalf_of === null ? {} : { on_behalf_of }),
  }
}

export interface LockedRow {
  action_id: string
  tenant_id: string
  status: ActionState['status']
  target_system: string
  key_id: string
  proposal_hash: string
  leaf_hashes: Buffer
  hold_expired: boolean
  frozen: boolean
  held: HeldTerms | null
  at: string
  age_ms: number
  traceparent: string | null
  state: JobState | null
  attempt: number
  max_attempts: number
  lease_owner: string | null
  lease_token: string
  lease_expired: boolean
  maybe_executed: boolean
  key_honoured: boolean
  rounds: number
  uncounted: number
  leases_lost: number
  retry_until: string | null
  needs_operator: boolean
  called_back: CalledBack | null
}

interface HeldTerms {
  approvals_required: number | null
  proposer_holder: string | null
  request_hash: string | null
  route: FrozenRoute | null
  route_hash: string | null
}

/** Evidence that is read after the lock was taken. A due job needs none. */
interface Evidence {
  given: Given
  people: RoutePeople
  proven: boolean
  /** True if a downstream runs the operation; its expired lease then does not count as expired. */
  dispatched: boolean
}

const nobody: RoutePeople = { people: new Map(), absences: [] }

export function lockedAction(
  row: LockedRow,
  { given = nothingGiven, people = nobody, proven = false, dispatched = false }: Partial<Evidence> = {},
): LockedAction {
  return {
    action_id: row.action_id,
    tenant_id: row.tenant_id,
    status: row.status,
    event_count: row.leaf_hashes.length / 32,
    target_system: row.target_system,
    proposal_hash: row.proposal_hash,
    hold_expired: row.hold_expired,
    frozen: row.frozen,
    planned_hash: row.held?.request_hash ?? null,
    quorum: row.held && quorumOf(row.held, { given, people, age_ms: row.age_ms }),
    proven: proven || row.called_back === 'done' || row.called_back === 'done_before',
    key_id: row.key_id,
    at: row.at,
    age_ms: row.age_ms,
    traceparent: row.traceparent,
    leaves: split(row.leaf_hashes),
    job: row.state && {
      state: row.state,
      attempt: row.attempt,
      max_attempts: row.max_attempts,
      lease_owner: row.lease_owner,
      lease_token: Number(row.lease_token),
      lease_expired: row.lease_expired && !dispatched,
      maybe_executed: row.maybe_executed,
      key_honoured: row.key_honoured,
      rounds: row.rounds,
      uncounted: row.uncounted,
      leases_lost: row.leases_lost,
      retry_until: row.retry_until,
      needs_operator: row.needs_operator,
      called_back: row.called_back,
    },
  }
}

function quorumOf(
  { approvals_required: required, proposer_holder, route, route_hash }: HeldTerms,
  about: Pick<Evidence, 'given' | 'people'> & { age_ms: number },
): Quorum | null {
  if (required === null && route === null) return null
  return {
    required: required ?? 1,
    proposer_holder: proposer_holder ?? '',
    given: about.given.approvals,
    route: route && termsOf(route, { hash: route_hash ?? '', ...about }),
  }
}

function termsOf(
  { name, required, escalate, issuer }: FrozenRoute,
  {
    hash,
    given: { escalated },
    people,
    age_ms,
  }: Pick<Evidence, 'given' | 'people'> & { hash: string; age_ms: number },
): RouteTerms {
  const asked_next = escalate && !escalated && age_ms >= escalate.after_ms ? escalate.group : null
  return {
    name,
    hash,
    required,
    issuer: issuer ?? null,
    helping: escalated ? (escalate?.group ?? null) : null,
    asked_next,
    ...people,
  }
}

function split(leafHashes: Buffer): Buffer[] {
  return Array.from({ length: leafHashes.length / 32 }, (_, at) => leafHashes.subarray(at * 32, at * 32 + 32))
}

/** Returns an SQL condition: a freeze matches the action. With the effect `pause`, pauses match as well. */
export const frozen = (action: string, effects: readonly FreezeEffect[] = ['freeze']): string => `exists (
    select from freezes f where f.tenant_id = ${action}.tenant_id and f.effect in (${effects.map(effect => `'${effect}'`).join(', ')})
      and coalesce(f.system = ${action}.target_system, true) and coalesce(f.operation = ${action}.operation, true)
      and coalesce(f.key_id = ${action}.key_id, true)
  )`

const heldTerms = `case when a.status = 'pending_approval' then (
    select to_json(v) from event_payloads p, json_to_record(convert_from(p.payload, 'UTF8')::json)
      v(approvals_required int4, proposer_holder text, request_hash text, route json, route_hash text)
    where p.action_id = a.action_id and p.sequence = 1
  ) end`

export const lockedColumns = `
  a.action_id, a.tenant_id, a.status, a.target_system, a.key_id, a.proposal_hash, a.leaf_hashes, a.traceparent,
  coalesce(a.held_until <= clock_timestamp(), false) as hold_expired, ${frozen('a')} as frozen,
  ${heldTerms} as held,
  ${isoTime('clock_timestamp()')} as at, extract(epoch from clock_timestamp() - a.created_at)::float8 * 1000 as age_ms,
  j.state, j.attempt, j.max_attempts, j.lease_owner, j.lease_token,
  coalesce(j.lease_expires_at <= clock_timestamp(), false) as lease_expired, j.maybe_executed, j.key_honoured,
  j.rounds, j.uncounted, j.leases_lost, ${isoTime('j.retry_until')} as retry_until, j.needs_operator, j.called_back`

/** Locks the job before the action, as every transaction does, because they could deadlock otherwise. */
const lockSql = `
with j as (select * from execution_jobs where action_id = any($1::text[]) order by action_id for update)
select ${lockedColumns}
from actions a left join j using (action_id)
where a.action_id = any($1::text[])
order by a.action_id
for update of a`

const givenSql = `
select action_id, kind, event -> 'principal' as principal, event ->> 'at' as at,
  payload ->> 'name' as name, payload ->> 'note' as note, payload ->> 'holder' as holder,
  payload ->> 'group' as group, payload ->> 'on_behalf_of' as on_behalf_of
from (
  select e.action_id, e.sequence, e.kind, convert_from(e.event, 'UTF8')::json as event, convert_from(p.payload, 'UTF8')::json as payload
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = any($1::text[]) and e.kind in ('partial_approval', 'escalation')
) given
order by action_id, sequence`
