import { newJob } from '../../lifecycle/job.ts'
import type { Writer } from '../postgres/open.ts'
import { isoTime, presentMs } from '../postgres/sql-text.ts'
import type { Parameter } from '../postgres/wire-exchange.ts'
import { keyIsGood } from '../tenant/api-keys.ts'
import { type Given, type GivenRows, given, handRows } from './given-rows.ts'
import {
  changeColumns,
  eventColumns,
  eventsOf,
  heldColumns,
  jobColumns,
  jobsOf,
  newJobColumns,
  openingColumns,
} from './ledger-columns.ts'
import type { SealedChange, SealedOpening } from './sealed-change.ts'

/**
 * The only writer of actions, events, payloads and jobs. Every write is one statement, so that status, events,
 * root and job change together or not at all. The statement that records an erasure also deletes the erased texts.
 */

/**
 * The result of inserting an action; `now` is the database's clock, ISO 8601 UTC with milliseconds.
 * `exists`: an action with this proposal id already exists.
 * `stale`: the tenant's rules changed after the decision, so the proposal must be decided again.
 * `untimely`: the time of the action is too far from the database's clock.
 * `key_ended`: the key that proposed the action is no longer valid.
 */
export interface Opened {
  outcome: 'made' | 'exists' | 'stale' | 'untimely' | 'key_ended'
  now: string
}

/**
 * Inserts new actions with their events, payloads and jobs, and commits. Results keep the order of `openings`.
 * Rows are inserted in a fixed order, because calls with the same proposals could deadlock otherwise.
 * model: submit
 */
export function insertActions(
  writer: Writer,
  openings: readonly SealedOpening[],
  checks_keys: boolean,
): Promise<Opened[]> {
  return insertBy(writer.last, openings, checks_keys)
}

/** Inserts one action without committing the transaction. */
export async function insertAction(
  writer: Writer,
  opening: SealedOpening,
  checks_keys: boolean,
): Promise<Opened> {
  const [opened] = await insertBy(writer.query, [opening], checks_keys)
  return opened ?? openedOf(undefined)
}

async function insertBy(
  run: Writer['query'],
  openings: readonly SealedOpening[],
  checks_keys: boolean,
): Promise<Opened[]> {
  const asked = { ...askedBy(openings), checks_keys, holds: openings.some(isHeld) }
  const { name, text, values } = statementOf('insert_actions', asked, insertSql, [
    given('opening', openingColumns, openings),
    given('new_events', eventColumns, eventsOf(openings)),
    ...(asked.makes_jobs ? [given('new_jobs', newJobColumns, jobsOf(openings).made)] : []),
    ...(asked.holds ? [given('new_held', heldColumns, openings.filter(isHeld))] : []),
  ])
  const rows = await run<InsertedRow>(name, text, values)
  const found = new Map(rows.map(row => [row.action_id, row]))
  return openings.map(({ action_id }) => openedOf(found.get(action_id)))
}

const isHeld = ({ change }: SealedOpening): boolean => change.to === 'pending_approval'

interface InsertedRow {
  action_id: string
  made: boolean
  key_good: boolean
  timely: boolean
  current: boolean
  now: string
}

function openedOf(row: InsertedRow | undefined): Opened {
  if (!row) throw new Error('the database did not answer for an action')
  const { now } = row
  if (row.made) return { outcome: 'made', now }
  if (!row.key_good) return { outcome: 'key_ended', now }
  if (!row.timely) return { outcome: 'untimely', now }
  return { outcome: row.current ? 'exists' : 'stale', now }
}

/**
 * Appends changes to actions that this transaction has locked, and commits. Rejects with `LedgerConflict` if a row
 * has changed since it was read.
 */
export async function appendChanges(writer: Writer, changes: readonly SealedChange[]): Promise<void> {
  if (changes.length > 0) await append(writer, changes, askedBy(changes))
}

/**
 * Appends changes to jobs and actions that are not locked, and commits. Rejects with `LedgerConflict` if a row has
 * changed since it was read, or if the change's time is too far from the database's clock.
 */
export async function appendUnlocked(writer: Writer, changes: readonly SealedChange[]): Promise<void> {
  // Actions are locked in this order, because transactions with different orders would deadlock.
  const inOrder = changes.toSorted((one, other) => (one.action_id < other.action_id ? -1 : 1))
  await append(writer, inOrder, { ...askedBy(changes), locks: true })
}

async function append(writer: Writer, changes: readonly SealedChange[], asked: Asked): Promise<void> {
  const { made, changed } = jobsOf(changes)
  const { name, text, values } = statementOf('append_changes', asked, appendSql, [
    given('changed', changeColumns, changes),
    given('new_events', eventColumns, eventsOf(changes)),
    ...(asked.makes_jobs ? [given('new_jobs', newJobColumns, made)] : []),
    ...(asked.changes_jobs ? [given('new_leases', jobColumns, changed)] : []),
  ])
  await writer.last(name, text, values).catch((error: { code?: unknown }) => {
    throw error.code === notWhole ? new LedgerConflict() : error
  })
}

/** The SQLSTATE that `require_whole` raises if the statement did not find all of its rows. */
const notWhole = 'AG001'

/** Reports that the transaction was rolled back, because a row had changed since it was read. */
export class LedgerConflict extends Error {
  constructor() {
    super('an action was changed by somebody else between reading and writing')
    this.name = 'LedgerConflict'
  }
}

const insertEventsSql = (rows: GivenRows, from: string): string => `
  events as (
    insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
    select action_id, sequence, kind, status_from, status_to, tenant_id, convert_to(event, 'UTF8'), decode(leaf, 'hex')
    from new_events e where ${rows.among('e', from)}
  ),
  payloads as (
    insert into event_payloads (action_id, sequence, tenant_id, payload, salt)
    select action_id, sequence, tenant_id, convert_to(payload, 'UTF8'), decode(salt, 'hex')
    from new_events e where ${rows.among('e', from)}
  ),
  outboxed as (
    insert into log_outbox (tenant_id, stream, first_sequence, event_count)
    select tenant_id, 'action/' || action_id, first_sequence, new_count from ${from}
  )`

const { state, attempt, lease_token, maybe_executed, key_honoured } = newJob(0)

const insertJobsSql = (from: string): string => `
  insert into execution_jobs (action_id, tenant_id, target_system, max_attempts, next_run_at, state, attempt, lease_token, maybe_executed, key_honoured)
  select action_id, tenant_id, w.target_system, max_attempts, ${presentMs}, '${state}', ${attempt}, ${lease_token}, ${maybe_executed}, ${key_honoured}
  from new_jobs join ${from} w using (action_id, tenant_id)`

/** Adds held actions to the inbox table. The change that ends a hold deletes the row. */
const listHeldSql = `
  insert into held_actions (tenant_id, action_id, held_until, escalates_at, agent_id, target_system, operation, risk, review_route, searched)
  select tenant_id, action_id, w.held_until, escalates_at, agent_id, w.target_system, w.operation, risk, review_route, searched
  from new_held join made w using (action_id, tenant_id)`

/** The most seconds between a change's time and the database's clock; waiting makes the time lag behind. */
const behindSecondsMax = 30
const aheadSecondsMax = 1

const timely = (at: string): string =>
  `${at} between clock_timestamp() - interval '${behindSecondsMax} seconds' and clock_timestamp() + interval '${aheadSecondsMax} seconds'`

const insertSql = (rows: GivenRows, { makes_jobs, checks_keys, holds }: Asked): string => `
with ${rows.expressions()},
judged as (
  select o.*,
    ${checks_keys ? keyIsGood('o') : 'true'} as key_good,
    ${timely('o.at')} as timely,
    exists (select from tenants t where t.tenant_id = o.tenant_id and t.rules_version = o.rules_version) as current
  from opening o
),
fresh as (select * from judged where key_good and timely and current),
made as (
  insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status, event_count, leaf_hashes, audit_root, created_at, updated_at, held_until, held_at, traceparent)
  select action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status_to, event_count, decode(leaves, 'hex'), decode(root, 'hex'), at, at,
    at + hold_ms * interval '1 millisecond', case when hold_ms is not null then at end, traceparent
  from fresh
  order by tenant_id, proposal_id
  on conflict (tenant_id, proposal_id) do nothing
  returning action_id, tenant_id, target_system, operation, held_until, 0 as first_sequence, event_count as new_count
),${[
  insertEventsSql(rows, 'made'),
  ...(makes_jobs ? [`\njobs as (${insertJobsSql('made')})`] : []),
  ...(holds ? [`\nheld as (${listHeldSql})`] : []),
].join(',')}
select action_id, action_id in (select action_id from made) as made, key_good, timely, current, ${isoTime('clock_timestamp()')} as now
from judged`

/** Optional parts of a statement. Unused ones are left out, because each table costs time before the first row. */
interface Asked {
  makes_jobs: boolean
  changes_jobs: boolean
  erases: boolean
  locks: boolean
  checks_keys: boolean
  holds: boolean
  ends_holds: boolean
}

function askedBy(changes: readonly SealedChange[]): Asked {
  const { made, changed } = jobsOf(changes)
  return {
    makes_jobs: made.length > 0,
    changes_jobs: changed.length > 0,
    erases: changes.some(({ rows }) => rows.some(({ kind }) => kind === 'erasure')),
    locks: false,
    checks_keys: false,
    holds: false,
    ends_holds: changes.some(endsHold),
  }
}

const endsHold = ({ change: { from, to } }: { change: SealedChange['change'] }): boolean =>
  from === 'pending_approval' && to !== from

const parts = ['makes_jobs', 'changes_jobs', 'erases', 'locks', 'checks_keys', 'holds', 'ends_holds'] as const
const texts = new Map<string, string>()

function statementOf(
  kind: string,
  asked: Asked,
  sql: (rows: GivenRows, asked: Asked) => string,
  tables: readonly Given[],
): { name: string; text: string; values: Parameter[] } {
  const rows = handRows(tables)
  const name = [kind, ...parts.filter(part => asked[part]), rows.form].join('_')
  const text = texts.get(name) ?? sql(rows, asked)
  texts.set(name, text)
  return { name, text, values: rows.values }
}

function appendSql(rows: GivenRows, { makes_jobs, changes_jobs, erases, locks, ends_holds }: Asked): string {
  const expressions = [
    rows.expressions(),
    ...(erases ? [eraseSql] : []),
    ...(locks ? [lockJobsSql] : []),
    changeSql(rows, erases ? erasedHash : 'a.proposal_hash', locks),
    insertEventsSql(rows, 'changed_actions'),
    ...(makes_jobs ? [`made_jobs as (${insertJobsSql('changed_actions')} returning action_id)`] : []),
    ...(changes_jobs ? [changeJobsSql(rows)] : []),
  ]
  const whole = [
    asMany('changed_actions', 'changed'),
    ...(makes_jobs ? [asMany('made_jobs', 'new_jobs')] : []),
    ...(changes_jobs ? [asMany('changed_jobs', 'new_leases')] : []),
  ]
  return `
with ${expressions.join(',\n')}
select require_whole(${whole.join(' and ')})${ends_holds ? unlistSql : ''}`
}

/** Calls `unlist_decided` after all changes, because the function checks the changed rows. */
const unlistSql = `, unlist_decided(array(select action_id from changed_actions))`

const asMany = (written: string, asked: string): string =>
  `(select count(*) from ${written}) = (select count(*) from ${asked})`

const eraseSql = `
erased as (
  delete from event_payloads p using new_events e
  where e.kind = 'erasure' and p.action_id = e.action_id and p.sequence < e.sequence
),
erased_results as (
  delete from late_results r using new_events e where e.kind = 'erasure' and r.action_id = e.action_id
),
erased_errors as (
  update execution_jobs j set last_error = null from new_events e where e.kind = 'erasure' and j.action_id = e.action_id
)`

const erasedHash = `case when exists (select from new_events e where e.kind = 'erasure' and e.action_id = c.action_id) then '' else a.proposal_hash end`

/**
 * Locks jobs before actions, as every transaction does, because they would deadlock otherwise. Leaves out a job
 * with a new callback, so that its change fails as a conflict: a callback is only judged under locks.
 */
const lockJobsSql = `
held as (
  select x.action_id from execution_jobs x join new_leases j using (action_id)
  where x.lease_token = j.expected_token and x.called_back is null order by x.action_id for update of x
)`

const changeSql = (rows: GivenRows, proposalHash: string, locks: boolean): string => `
changed_actions as (
  update actions a set
    status = c.status_to, event_count = c.event_count, leaf_hashes = decode(c.leaves, 'hex'), audit_root = decode(c.root, 'hex'),
    updated_at = c.at,
    held_until = case when c.status_to = c.status_from then a.held_until else c.at + c.hold_ms * interval '1 millisecond' end,
    proposal_hash = ${proposalHash}
  from changed c
  where a.action_id = c.action_id and a.status = c.status_from and a.event_count = c.prior_count
    ${locks ? `and ${rows.among('c', 'held', ['action_id'])} and ${timely('c.at')}` : ''}
  returning a.action_id, a.tenant_id, a.target_system, c.prior_count as first_sequence, c.event_count - c.prior_count as new_count
)`

const changeJobsSql = (rows: GivenRows): string => `
changed_jobs as (
  update execution_jobs x set
    state = j.state, attempt = j.attempt, next_run_at = ${presentMs} + j.run_in_ms * interval '1 millisecond',
    lease_owner = j.lease_owner, lease_token = j.lease_token, lease_expires_at = clock_timestamp() + j.lease_ms * interval '1 millisecond',
    maybe_executed = j.maybe_executed <> 0, key_honoured = j.key_honoured <> 0, last_error = j.last_error,
    rounds = j.rounds, uncounted = j.uncounted, leases_lost = j.leases_lost, lookups_begun = 0, retry_until = j.retry_until, needs_operator = j.needs_operator <> 0
  from new_leases j
  where x.action_id = j.action_id and x.lease_token = j.expected_token and ${rows.among('j', 'changed_actions', ['action_id'])}
  returning x.action_id
)`
