import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import type { HourNumbers } from '../../contract/action/numbers-schema.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/** Changes whose events are stored but not yet in the tenant's log. */
export const logOutbox = schema.table(
  'log_outbox',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    tenant_id: text().notNull(),
    /** `config`, or `action/` and the action id. */
    stream: text().notNull(),
    /**
     * The action's id, or null. It is a stored column, because under row-level security PostgreSQL would not use
     * an index to find events by an expression on `stream`.
     */
    action_id: text().generatedAlwaysAs(sql`case when stream <> 'config' then substr(stream, 8) end`),
    first_sequence: integer().notNull(),
    event_count: integer().notNull(),
    queued_at: time('queued_at').notNull().defaultNow(),
  },
  table => [check('log_outbox_events', sql`${table.event_count} > 0 and ${table.first_sequence} >= 0`)],
)

/** The log of a tenant (specification.md#audit-log), with its size and root after the last batch. */
export const tenantLogs = schema.table(
  'tenant_logs',
  {
    tenant_id: text().primaryKey(),
    /** An id that reveals nothing about the tenant, because others get to see checkpoints. */
    log_id: text().notNull(),
    size: bigint({ mode: 'number' }).notNull().default(0),
    root: bytes().notNull(),
    signed_size: bigint({ mode: 'number' }).notNull().default(0),
    /** The size that the witness last signed, its signature lines, and the time of the last request to it. */
    witnessed_size: bigint({ mode: 'number' }).notNull().default(0),
    cosignature: text(),
    witness_asked_at: time('witness_asked_at'),
  },
  table => [
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    unique('tenant_logs_id').on(table.log_id),
    check('tenant_logs_root', sql`length(${table.root}) = 32`),
    check(
      'tenant_logs_order',
      sql`${table.witnessed_size} <= ${table.signed_size} and ${table.signed_size} <= ${table.size}`,
    ),
    index('tenant_logs_unsigned').on(table.tenant_id).where(sql`signed_size < size`),
    index('tenant_logs_unwitnessed').on(table.witness_asked_at).where(sql`witnessed_size < signed_size`),
    index('tenant_logs_asked').on(table.witness_asked_at).where(sql`signed_size > 0`),
  ],
)

export const logEntries = schema.table(
  'log_entries',
  {
    tenant_id: text().notNull(),
    index: bigint({ mode: 'number' }).notNull(),
    stream: text().notNull(),
    sequence: integer().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.index] }),
    unique('log_entries_once').on(table.tenant_id, table.stream, table.sequence),
  ],
)

export const logNodes = schema.table(
  'log_nodes',
  {
    tenant_id: text().notNull(),
    level: integer().notNull(),
    index: bigint({ mode: 'number' }).notNull(),
    hash: bytes().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.level, table.index] }),
    check('log_nodes_hash', sql`length(${table.hash}) = 32`),
  ],
)

export const logCheckpoints = schema.table(
  'log_checkpoints',
  {
    tenant_id: text().notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    note: text().notNull(),
    signed_at: time('signed_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.size] }),
    index('log_checkpoints_by_time').on(table.signed_at),
  ],
)

/** Actions whose statement must be signed, with the number of their events in the log. */
export const unsignedStatements = schema.table(
  'unsigned_statements',
  {
    action_id: text().notNull(),
    event_count: integer().notNull(),
    tenant_id: text().notNull(),
  },
  table => [primaryKey({ columns: [table.action_id, table.event_count] })],
)

export const actionStatements = schema.table(
  'action_statements',
  {
    action_id: text().notNull(),
    event_count: integer().notNull(),
    tenant_id: text().notNull(),
    note: text().notNull(),
  },
  table => [primaryKey({ columns: [table.action_id, table.event_count] })],
)

/** The key status that a log has recorded, and the smallest and largest size that the key signed. */
export const logKeys = schema.table(
  'log_keys',
  {
    tenant_id: text().notNull(),
    key_id: text().notNull(),
    told_status: text(),
    first_size: bigint({ mode: 'number' }),
    last_size: bigint({ mode: 'number' }),
  },
  table => [primaryKey({ columns: [table.tenant_id, table.key_id] })],
)

/** Every key that ever signed. Only public keys are stored (specification.md#audit-keys). */
export const signingKeys = schema.table(
  'signing_keys',
  {
    key_id: text().primaryKey(),
    name: text().notNull(),
    public_key: bytes().notNull(),
    status: text().$type<'next' | 'active' | 'retired' | 'compromised'>().notNull(),
    added_at: time('added_at').notNull().defaultNow(),
    ended_at: time('ended_at'),
  },
  table => [
    check('signing_keys_key', sql`length(${table.public_key}) = 32`),
    check('signing_keys_status', sql`${table.status} in ('next', 'active', 'retired', 'compromised')`),
    index('signing_keys_by_status').on(table.status),
  ],
)

/**
 * Numbers of decisions and outcomes per hour, counted from the log. If a tenant's rows are deleted here and in
 * `number_marks`, its log is counted again.
 */
export const numberHours = schema.table(
  'number_hours',
  {
    tenant_id: text().notNull(),
    hour: time('hour').notNull(),
    numbers: jsonb().$type<HourNumbers>().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.hour] }),
    index('number_hours_by_hour').on(table.hour),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

export const numberMarks = schema.table(
  'number_marks',
  {
    tenant_id: text().primaryKey(),
    counted: bigint({ mode: 'number' }).notNull(),
  },
  table => [foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] })],
)
