import { arrayLiteral } from './array-literal.ts'
import type { Writer } from './open.ts'
import type { SealedChange, SealedOpening } from './sealed-change.ts'

/**
 * The only writer of actions, events, payloads and jobs. Every write is one statement over arrays, of which a single
 * action is the smallest group: status, events, root and job change together or not at all. An erasure removes what was
 * recorded before it, in the same statement.
 */

/** What became of a new action: made; there was one already; or its tenant's rules changed since it was decided. */
export type Opened = { outcome: 'made' } | { outcome: 'exists' } | { outcome: 'stale' }

/**
 * Insert new actions with their events, payloads and jobs. The answers are in the order of the openings. Rows go in in one
 * order everywhere, so that two groups with the same proposals wait for each other and never both.
 * model: submit
 */
export async function insertActions(writer: Writer, openings: readonly SealedOpening[]): Promise<Opened[]> {
  const rows = await writer.query<InsertedRow>('insert_actions', insertSql, [
    ...column(openings, [
      opening => opening.proposal_id,
      opening => opening.proposal_hash,
      opening => opening.target_system,
      opening => opening.operation,
      opening => opening.key_id,
      opening => opening.governing_version,
    ]),
    ...changeColumns(openings),
    ...eventColumns(openings),
    ...jobColumns(openings),
  ])
  const found = new Map(rows.map(row => [row.action_id, row]))
  return openings.map(({ action_id }) => {
    const row = found.get(action_id)
    if (row?.made) return { outcome: 'made' }
    return { outcome: row?.current ? 'exists' : 'stale' }
  })
}

interface InsertedRow {
  action_id: string
  made: boolean
  current: boolean
}

/** Append changes to actions that the same transaction holds locked. Throws when a row is not as it was read. */
export async function appendChanges(writer: Writer, changes: readonly SealedChange[]): Promise<void> {
  if (changes.length === 0) return
  const [counted] = await writer.query<{ actions: number; jobs: number }>('append_changes', appendSql, [
    ...changeColumns(changes),
    ...eventColumns(changes),
    ...jobColumns(changes),
  ])
  const jobs = changes.filter(({ change }) => change.job !== null).length
  if (counted?.actions !== changes.length || counted.jobs !== jobs) throw new LedgerConflict()
}

/** A row was not in the state it was read in; the transaction is rolled back. */
export class LedgerConflict extends Error {
  constructor() {
    super('an action was changed by somebody else between reading and writing')
    this.name = 'LedgerConflict'
  }
}

/** One array literal per column; booleans go as 0 and 1. */
function column<Row>(
  rows: readonly Row[],
  read: readonly ((row: Row) => string | number | null)[],
): string[] {
  return read.map(of => arrayLiteral(rows.map(of)))
}

function changeColumns(changes: readonly SealedChange[]): string[] {
  return column(changes, [
    sealed => sealed.action_id,
    sealed => sealed.tenant_id,
    sealed => sealed.change.from,
    sealed => sealed.change.to,
    sealed => sealed.leaves.length - sealed.rows.length,
    sealed => sealed.leaves.length,
    sealed => Buffer.concat(sealed.leaves).toString('hex'),
    sealed => sealed.root.toString('hex'),
    sealed => sealed.at,
    sealed => sealed.change.hold_ms,
  ])
}

function eventColumns(changes: readonly SealedChange[]): string[] {
  const rows = changes.flatMap(({ action_id, tenant_id, rows }) =>
    rows.map(row => ({ action_id, tenant_id, row })),
  )
  return column(rows, [
    ({ action_id }) => action_id,
    ({ tenant_id }) => tenant_id,
    ({ row }) => row.sequence,
    ({ row }) => row.kind,
    ({ row }) => row.from,
    ({ row }) => row.to,
    ({ row }) => row.text,
    ({ row }) => row.leafHash.toString('hex'),
    ({ row }) => row.payloadText,
    ({ row }) => Buffer.from(row.salt).toString('hex'),
  ])
}

function jobColumns(changes: readonly SealedChange[]): string[] {
  const rows = changes.flatMap(({ action_id, tenant_id, change }) =>
    change.job ? [{ action_id, tenant_id, job: change.job }] : [],
  )
  return column(rows, [
    ({ action_id }) => action_id,
    ({ tenant_id }) => tenant_id,
    ({ job }) => job.state,
    ({ job }) => job.attempt,
    ({ job }) => job.max_attempts,
    ({ job }) => job.run_in_ms,
    ({ job }) => job.lease_owner,
    ({ job }) => job.lease_token,
    ({ job }) => job.lease_ms,
    ({ job }) => Number(job.maybe_executed),
    ({ job }) => Number(job.key_honoured),
    ({ job }) => job.rounds,
    ({ job }) => Number(job.needs_operator),
    ({ job }) => job.last_error,
    ({ job }) => job.expected_token,
  ])
}

/** `unnest($first::type[], …) as name(columns)`; returns the text and the number of the next parameter. */
function unnest(first: number, name: string, columns: readonly (readonly [string, string])[]): string {
  const parameters = columns.map(([, type], at) => `$${first + at}::${type}[]`).join(', ')
  return `${name} as (select * from unnest(${parameters}) as t(${columns.map(([column]) => column).join(', ')}))`
}

const openingShape = [
  ['proposal_id', 'text'],
  ['proposal_hash', 'text'],
  ['target_system', 'text'],
  ['operation', 'text'],
  ['key_id', 'text'],
  ['governing_version', 'int8'],
] as const
const changeShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['status_from', 'text'],
  ['status_to', 'text'],
  ['prior_count', 'int4'],
  ['event_count', 'int4'],
  ['leaves', 'text'],
  ['root', 'text'],
  ['at', 'timestamptz'],
  ['hold_ms', 'int8'],
] as const
const eventShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['sequence', 'int4'],
  ['kind', 'text'],
  ['status_from', 'text'],
  ['status_to', 'text'],
  ['event', 'text'],
  ['leaf', 'text'],
  ['payload', 'text'],
  ['salt', 'text'],
] as const
const jobShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['state', 'text'],
  ['attempt', 'int4'],
  ['max_attempts', 'int4'],
  ['run_in_ms', 'int8'],
  ['lease_owner', 'text'],
  ['lease_token', 'int8'],
  ['lease_ms', 'int8'],
  ['maybe_executed', 'int4'],
  ['key_honoured', 'int4'],
  ['rounds', 'int4'],
  ['needs_operator', 'int4'],
  ['last_error', 'text'],
  ['expected_token', 'int8'],
] as const

const insertEventsSql = (from: string): string => `
  events as (
    insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
    select e.action_id, e.sequence, e.kind, e.status_from, e.status_to, e.tenant_id, convert_to(e.event, 'UTF8'), decode(e.leaf, 'hex')
    from new_events e join ${from} using (action_id)
  ),
  payloads as (
    insert into event_payloads (action_id, sequence, tenant_id, payload, salt)
    select e.action_id, e.sequence, e.tenant_id, convert_to(e.payload, 'UTF8'), decode(e.salt, 'hex')
    from new_events e join ${from} using (action_id)
  ),
  outboxed as (
    insert into log_outbox (tenant_id, stream, first_sequence, event_count)
    select e.tenant_id, 'action/' || e.action_id, min(e.sequence), count(*)
    from new_events e join ${from} using (action_id) group by e.tenant_id, e.action_id
  )`

const insertJobsSql = (from: string): string => `
  insert into execution_jobs
    (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_owner, lease_token, lease_expires_at, maybe_executed, key_honoured, last_error)
  select j.action_id, j.tenant_id, j.state, j.attempt, j.max_attempts, now(), null, j.lease_token, null, j.maybe_executed <> 0, j.key_honoured <> 0, j.last_error
  from new_jobs j join ${from} using (action_id) where j.expected_token is null`

const insertSql = `
with opening as (
  select * from unnest(${[...openingShape, ...changeShape].map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')})
    as t(${[...openingShape, ...changeShape].map(([name]) => name).join(', ')})
),
${unnest(17, 'new_events', eventShape)},
${unnest(27, 'new_jobs', jobShape)},
fresh as (
  select o.* from opening o join tenants t on t.tenant_id = o.tenant_id and t.governing_version = o.governing_version
),
made as (
  insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status, event_count, leaf_hashes, audit_root, created_at, updated_at, held_until)
  select action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status_to, event_count, decode(leaves, 'hex'), decode(root, 'hex'), at, at,
    at + hold_ms * interval '1 millisecond'
  from fresh
  order by tenant_id, proposal_id
  on conflict (tenant_id, proposal_id) do nothing
  returning action_id
),${insertEventsSql('made')},
jobs as (${insertJobsSql('made')})
select o.action_id, m.action_id is not null as made, f.action_id is not null as current
from opening o left join made m using (action_id) left join fresh f using (action_id)`

const appendSql = `
with
${unnest(1, 'changed', changeShape)},
${unnest(11, 'new_events', eventShape)},
${unnest(21, 'new_jobs', jobShape)},
erased as (
  delete from event_payloads p using new_events e
  where e.kind = 'erasure' and p.action_id = e.action_id and p.sequence < e.sequence
),
erased_results as (
  delete from late_results r using new_events e where e.kind = 'erasure' and r.action_id = e.action_id
),
erased_errors as (
  update execution_jobs j set last_error = null from new_events e where e.kind = 'erasure' and j.action_id = e.action_id
),
amended as (
  update actions a set
    status = c.status_to, event_count = c.event_count, leaf_hashes = decode(c.leaves, 'hex'), audit_root = decode(c.root, 'hex'),
    updated_at = c.at, held_until = c.at + c.hold_ms * interval '1 millisecond',
    proposal_hash = case when exists (select from new_events e where e.kind = 'erasure' and e.action_id = c.action_id) then '' else a.proposal_hash end
  from changed c
  where a.action_id = c.action_id and a.status = c.status_from and a.event_count = c.prior_count
  returning a.action_id
),${insertEventsSql('amended')},
made_jobs as (${insertJobsSql('amended')} returning action_id),
changed_jobs as (
  update execution_jobs x set
    state = j.state, attempt = j.attempt, next_run_at = clock_timestamp() + j.run_in_ms * interval '1 millisecond',
    lease_owner = j.lease_owner, lease_token = j.lease_token, lease_expires_at = clock_timestamp() + j.lease_ms * interval '1 millisecond',
    maybe_executed = j.maybe_executed <> 0, key_honoured = j.key_honoured <> 0, last_error = j.last_error,
    rounds = j.rounds, needs_operator = j.needs_operator <> 0
  from new_jobs j join amended using (action_id)
  where x.action_id = j.action_id and x.lease_token = j.expected_token
  returning x.action_id
)
select (select count(*)::int4 from amended) as actions,
  (select count(*)::int4 from made_jobs) + (select count(*)::int4 from changed_jobs) as jobs`
