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
 * One row per action. A foreign key makes its status that of its last event, and events can only follow each other
 * as the state table allows, so that the database itself refuses an illegal transition.
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
    /** The time at which the hold began, which stays after the hold. It is a copy and decides nothing. */
    held_at: time('held_at'),
    /** The caller's trace context (W3C Trace Context). It decides nothing, and no digest covers it. */
    traceparent: varchar({ length: 55 }),
  },
  table => [
    unique('actions_one_per_proposal').on(table.tenant_id, table.proposal_id),
    /**
     * A separate collation makes lists use this index instead of the primary key, which would walk through the
     * actions of every tenant.
     */
    index('actions_by_status').on(table.tenant_id, table.status, sql`${table.action_id} collate "C"`),
    index('actions_held').on(table.held_until).where(sql`status = 'pending_approval'`),
    // The index has only actions that were held, so that other actions cost no entry.
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

/** The append-only trace. `event` holds the exact canonical bytes that are hashed in `leaf_hash`. */
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
     * Checks the state table by a domain (migration `legal_step`). Postgres keeps a domain's check for the
     * session, but reads a table's check for every statement: of the 52 µs for writing a single event, a list in a
     * table's check took 21.
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

/** Payloads and salts. They are the only erasable part of the audit trail, because the hashes stay. */
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
 * Fields by which the approvers' inbox orders, filters and searches held actions. The statement that holds an
 * action writes its row, and the statement that ends the hold deletes it. It is a copy and decides nothing.
 */
export const heldActions = schema.table(
  'held_actions',
  {
    tenant_id: text().notNull(),
    action_id: text().notNull(),
    held_until: time('held_until').notNull(),
    /** The time at which another group is asked as well; null without such a group or after asking it. */
    escalates_at: time('escalates_at'),
    agent_id: text().notNull(),
    target_system: text().notNull(),
    operation: text().notNull(),
    risk: text().$type<RiskLevel>().notNull(),
    review_route: text().notNull(),
    /** The beginning of the summary and the canonical parameters, in lower case and without quotation marks. */
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
 * `pending`: the permission to execute, a retry or a look-up that found no effect makes the job due. A claim
 * leases it. After a crash it is still due.
 *
 * `leased`: a claim sets it before the call. The outcome makes the job done, pending or unknown. If the worker
 * crashes, its lease expires, and the sweep records an attempt that may have had an effect.
 *
 * `unknown`: an attempt without a known outcome sets it. A reconcile round or an operator moves it on. If a round
 * crashes, the next one comes later.
 *
 * `done`: the end of the action sets it, and it stays.
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
    /** Look-ups begun since the last recorded change. An unrecorded look-up may have crashed its worker. */
    lookups_begun: integer().notNull().default(0),
    /** The time until which an attempt without effect is repeated; null before the first attempt. */
    retry_until: time('retry_until'),
    needs_operator: boolean().notNull().default(false),
    last_error: text(),
    called_back: text().$type<CalledBack>(),
    /** The system of the action; null only for jobs that were done before this column existed. */
    target_system: text(),
  },
  table => [
    foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] }),
    // Claims jump in this index from one system of a tenant to the next, past any number of waiting jobs.
    index('execution_jobs_due_by_system')
      .on(table.tenant_id, table.target_system, table.next_run_at, table.action_id)
      .where(sql`state = 'pending'`),
    index('execution_jobs_leased').on(table.lease_expires_at).where(sql`state = 'leased'`),
    index('execution_jobs_inquiries_by_system')
      .on(table.tenant_id, table.target_system, table.next_run_at, table.action_id)
      .where(sql`state = 'unknown' and not needs_operator`),
    /**
     * Serves lists of jobs by state, with a collation as in `actions_by_status`. Only statements with the words of
     * `isOpen` use it. Claims planned while the queue was empty would otherwise use it and read all pending jobs.
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
    // Claims select jobs by system, so a pending job without a system would never be claimed.
    check('execution_jobs_system', sql`${table.state} = 'done' or ${table.target_system} is not null`),
    check(
      'execution_jobs_attempts',
      sql`${table.uncounted} >= 0 and ${table.attempt} between 0 and ${table.max_attempts} + ${table.rounds} + ${table.uncounted}`,
    ),
  ],
)

/** Results that came after their lease. They prove an effect, even if another outcome was recorded. */
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

/** Operations that a downstream has accepted or called back about. Each row belongs to one attempt. */
export const dispatchedOperations = schema.table(
  'dispatched_operations',
  {
    action_id: text().primaryKey(),
    tenant_id: text().notNull(),
    attempt: integer().notNull(),
    /** The address at which the downstream is polled; null if only a callback reports. */
    url: text(),
    interval_ms: bigint({ mode: 'number' }).notNull(),
    kept_at: time('kept_at').notNull().defaultNow(),
    ends_at: time('ends_at').notNull(),
    /** The JSON of the first callback that ends the operation. It may come before the downstream's acceptance. */
    called_back: text(),
  },
  table => [foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] })],
)

/** Fencing tokens come from a sequence, because it only grows, even if a transaction is rolled back. */
export const leaseTokens = schema.sequence('lease_tokens', { startWith: 1, cycle: false })

/** Samples of the queue, kept for a day. The worker that sweeps stores one row per minute. */
export const queueSamples = schema.table('queue_samples', {
  at: time('at').primaryKey(),
  due: integer().notNull(),
  later: integer().notNull(),
  leased: integer().notNull(),
  unknown: integer().notNull(),
  held: integer().notNull(),
  workers: integer().notNull(),
})

/** Workers that run or ran lately. Each start draws a new random name, which reveals nothing about the machine. */
export const workers = schema.table('workers', {
  worker_id: text().primaryKey(),
  started_at: time('started_at').notNull().defaultNow(),
  seen_at: time('seen_at').notNull().defaultNow(),
  offer: text(),
})
