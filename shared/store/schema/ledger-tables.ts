import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  text,
  unique,
  varchar,
} from 'drizzle-orm/pg-core'
import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import type { CalledBack, JobState } from '../../lifecycle/change.ts'
import { isOpen } from '../postgres/planner.ts'
import { bytes, schema, time } from './columns.ts'

/**
 * One row per action. The foreign key to the events makes its status that of its last event, and the events only
 * chain along the state table, so that the database refuses an illegal transition by itself.
 */
export const actions = schema.table(
  'actions',
  {
    action_id: text().primaryKey(),
    tenant_id: text().notNull(),
    proposal_id: text().notNull(),
    proposal_hash: text().notNull(),
    target_system: text().notNull(),
    operation: text().notNull(),
    key_id: text().notNull(),
    status: text().$type<ActionStatus>().notNull(),
    event_count: integer().notNull(),
    last_sequence: integer().generatedAlwaysAs(sql`event_count - 1`),
    leaf_hashes: bytes().notNull(),
    audit_root: bytes().notNull(),
    created_at: time('created_at').notNull(),
    updated_at: time('updated_at').notNull(),
    held_until: time('held_until'),
    /** The time of the hold, which stays when the hold ends; a copy, which decides nothing. */
    held_at: time('held_at'),
    /** The caller's trace context (W3C Trace Context); it decides nothing, and no digest covers it. */
    traceparent: varchar({ length: 55 }),
  },
  table => [
    unique('actions_one_per_proposal').on(table.tenant_id, table.proposal_id),
    /**
     * This index has a collation of its own, so that lists use it and not the primary key, which would walk
     * through the actions of every tenant.
     */
    index('actions_by_status').on(table.tenant_id, table.status, sql`${table.action_id} collate "C"`),
    index('actions_held').on(table.held_until).where(sql`status = 'pending_approval'`),
    // Only held actions are in this index, so that one allowed or denied at once costs no entry.
    index('actions_held_by_key')
      .on(table.tenant_id, table.key_id, table.held_at)
      .where(sql`held_at is not null`),
    check('actions_leaves_counted', sql`length(${table.leaf_hashes}) = 32 * ${table.event_count}`),
    check(
      'actions_held_until',
      sql`${table.status} <> 'pending_approval' or ${table.held_until} is not null`,
    ),
    foreignKey({
      name: 'actions_status_is_last_event',
      columns: [table.action_id, table.last_sequence, table.status],
      foreignColumns: [actionEvents.action_id, actionEvents.sequence, actionEvents.status_to],
    }),
  ],
)

/** The append-only trace; `event` holds the exact canonical bytes that the leaf hash commits to. */
export const actionEvents = schema.table(
  'action_events',
  {
    action_id: text().notNull(),
    sequence: integer().notNull(),
    previous_sequence: integer().generatedAlwaysAs(sql`nullif(sequence, 0) - 1`),
    kind: text().notNull(),
    status_from: text().$type<ActionStatus>(),
    status_to: text().$type<ActionStatus>().notNull(),
    tenant_id: text().notNull(),
    event: bytes().notNull(),
    leaf_hash: bytes().notNull(),
  },
  table => [
    primaryKey({ columns: [table.action_id, table.sequence] }),
    unique('action_events_chain_target').on(table.action_id, table.sequence, table.status_to),
    foreignKey({
      name: 'action_events_chain',
      columns: [table.action_id, table.previous_sequence, table.status_from],
      foreignColumns: [table.action_id, table.sequence, table.status_to],
    }),
    check('action_events_begin', sql`(${table.sequence} = 0) = (${table.status_from} is null)`),
    check('action_events_sequence', sql`${table.sequence} >= 0`),
    /**
     * Checks the steps of the state table (migration `legal_step`) by a domain, because Postgres keeps the check
     * of a domain for the session and reads that of a table anew for every statement: of the 52 µs in which it
     * writes an event that comes alone, the list took 21.
     */
    check(
      'action_events_legal_transition',
      sql.raw(
        `(coalesce(status_from, '') || '>' || kind || '>' || status_to)::action_gate.legal_step is not null`,
      ),
    ),
    check('action_events_leaf', sql`${table.leaf_hash} = sha256('\\x00'::bytea || ${table.event})`),
  ],
)

/** Payloads and salts, which are the only erasable part of the audit; leaves commit to them. */
export const eventPayloads = schema.table(
  'event_payloads',
  {
    action_id: text().notNull(),
    sequence: integer().notNull(),
    tenant_id: text().notNull(),
    payload: bytes().notNull(),
    salt: bytes().notNull(),
  },
  table => [primaryKey({ columns: [table.action_id, table.sequence] })],
)

/**
 * Fields by which the approvers' inbox orders, filters and searches the actions that wait for a person. A row is
 * written with the hold of its action, and the statement that ends the hold deletes it. It is a copy, which
 * decides nothing.
 */
export const heldActions = schema.table(
  'held_actions',
  {
    tenant_id: text().notNull(),
    action_id: text().notNull(),
    held_until: time('held_until').notNull(),
    /** The time at which another group is asked as well; null if none is, or it was asked. */
    escalates_at: time('escalates_at'),
    agent_id: text().notNull(),
    target_system: text().notNull(),
    operation: text().notNull(),
    risk: text().$type<RiskLevel>().notNull(),
    review_route: text().notNull(),
    /** Summary and canonical parameters in lower case, without quotation marks, cut to their beginning. */
    searched: text().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.action_id] }),
    index('held_actions_by_end').on(table.tenant_id, table.held_until, table.action_id),
    index('held_actions_by_escalation').on(table.escalates_at).where(sql`escalates_at is not null`),
  ],
)

/**
 * The durable job of an action, which is the truth about its execution (specification.md#execution).
 *
 * `pending`: a grant, a retry or a look-up that found no effect makes it due, and a claim leases it. A crash
 * leaves it due.
 *
 * `leased`: a claim sets it before the call, and the outcome makes it done, pending or unknown. If the worker
 * crashes, the sweep judges the lease once it expires as an attempt that may have had its effect.
 *
 * `unknown`: an attempt without a known outcome sets it, and a reconcile round or an operator moves it on. A crash
 * of a round only delays the next one.
 *
 * `done`: the end of its action sets it, and the job stays so.
 */
export const executionJobs = schema.table(
  'execution_jobs',
  {
    action_id: text().primaryKey(),
    tenant_id: text().notNull(),
    state: text().$type<JobState>().notNull(),
    attempt: integer().notNull(),
    max_attempts: integer().notNull(),
    next_run_at: time('next_run_at').notNull(),
    lease_owner: text(),
    lease_token: bigint({ mode: 'number' }).notNull(),
    lease_expires_at: time('lease_expires_at'),
    maybe_executed: boolean().notNull(),
    key_honoured: boolean().notNull(),
    rounds: integer().notNull().default(0),
    uncounted: integer().notNull().default(0),
    leases_lost: integer().notNull().default(0),
    /** Look-ups begun since the last recorded change; one that is never recorded has cost a worker. */
    lookups_begun: integer().notNull().default(0),
    /** The time until which an attempt without effect is repeated; null before the first attempt. */
    retry_until: time('retry_until'),
    needs_operator: boolean().notNull().default(false),
    last_error: text(),
    called_back: text().$type<CalledBack>(),
    /** The system of its action; null only for jobs that were done before this column existed. */
    target_system: text(),
  },
  table => [
    foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] }),
    // This index leads from one system of a tenant to the next, however many jobs a pause or a bound keeps.
    index('execution_jobs_due_by_system')
      .on(table.tenant_id, table.target_system, table.next_run_at, table.action_id)
      .where(sql`state = 'pending'`),
    index('execution_jobs_leased').on(table.lease_expires_at).where(sql`state = 'leased'`),
    index('execution_jobs_inquiries_by_system')
      .on(table.tenant_id, table.target_system, table.next_run_at, table.action_id)
      .where(sql`state = 'unknown' and not needs_operator`),
    /**
     * This index serves lists of a state, with a collation of its own as `actions_by_status` has. Only statements
     * that say `isOpen` get it, because claims planned while the queue was empty would take it and read all that
     * is pending.
     */
    index('execution_jobs_listed')
      .on(table.state, sql`${table.action_id} collate "C"`)
      .where(sql.raw(isOpen)),
    index('execution_jobs_failed')
      .on(table.next_run_at, table.action_id)
      .where(sql`state = 'done' and last_error is not null`),
    index('execution_jobs_needing_operator').on(table.action_id).where(sql`needs_operator`),
    check('execution_jobs_state', sql`${table.state} in ('pending', 'leased', 'unknown', 'done')`),
    check(
      'execution_jobs_lease',
      sql`(${table.state} = 'leased') = (${table.lease_expires_at} is not null and ${table.lease_owner} is not null)`,
    ),
    // Claims go by the system, so a pending job without one would never be claimed.
    check('execution_jobs_system', sql`${table.state} = 'done' or ${table.target_system} is not null`),
    check(
      'execution_jobs_attempts',
      sql`${table.uncounted} >= 0 and ${table.attempt} between 0 and ${table.max_attempts} + ${table.rounds} + ${table.uncounted}`,
    ),
  ],
)

/** Results that came after their lease: evidence of an effect, whatever was recorded meanwhile. */
export const lateResults = schema.table(
  'late_results',
  {
    action_id: text().notNull(),
    token: bigint({ mode: 'number' }).notNull(),
    tenant_id: text().notNull(),
    worker: text().notNull(),
    detail: bytes().notNull(),
    received_at: time('received_at').notNull().defaultNow(),
    contradicts: boolean().notNull().default(false),
  },
  table => [
    primaryKey({ columns: [table.action_id, table.token] }),
    index('late_results_contradicting').on(table.received_at).where(sql`contradicts`),
    foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] }),
  ],
)

/** Operations that a downstream accepted and has not ended yet; each belongs to the accepted attempt. */
export const dispatchedOperations = schema.table(
  'dispatched_operations',
  {
    action_id: text().primaryKey(),
    tenant_id: text().notNull(),
    attempt: integer().notNull(),
    /** The address where the downstream is asked; null if only a callback reports. */
    url: text(),
    interval_ms: bigint({ mode: 'number' }).notNull(),
    kept_at: time('kept_at').notNull().defaultNow(),
    ends_at: time('ends_at').notNull(),
    /**
     * The JSON of the first callback that ends the operation, which may come before the answer that accepts it.
     */
    called_back: text(),
  },
  table => [foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] })],
)

/** Fencing tokens come from a sequence, because it only grows, even over a rolled back transaction. */
export const leaseTokens = schema.sequence('lease_tokens', { startWith: 1, cycle: false })

/** Samples of the queue, one row per minute by the worker that swept then, kept for a day. */
export const queueSamples = schema.table('queue_samples', {
  at: time('at').primaryKey(),
  due: integer().notNull(),
  later: integer().notNull(),
  leased: integer().notNull(),
  unknown: integer().notNull(),
  held: integer().notNull(),
  workers: integer().notNull(),
})

/** Workers that run or ran lately, by a name drawn at each start that says nothing about the machine. */
export const workers = schema.table('workers', {
  worker_id: text().primaryKey(),
  started_at: time('started_at').notNull().defaultNow(),
  seen_at: time('seen_at').notNull().defaultNow(),
  offer: text(),
})
