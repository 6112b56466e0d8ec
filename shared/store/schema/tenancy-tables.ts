import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { FreezeEffect } from '../../contract/configuration/freeze-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { bytes, schema, time } from './columns.ts'

/**
 * An isolated application. `rules_version` grows with every change that affects decisions. The row also has the
 * last event of the configuration, so that a change that locks the row can append the next event.
 */
export const tenants = schema.table(
  'tenants',
  {
    tenant_id: text().primaryKey(),
    created_at: time('created_at').notNull().defaultNow(),
    rules_version: bigint({ mode: 'number' }).notNull().default(1),
    policy_revision: integer().notNull(),
    catalog_revision: integer(),
    approval_ttl_ms: bigint({ mode: 'number' }).notNull(),
    /** Milliseconds for which an attempt without effect is repeated; null for the service's setting. */
    execute_within_ms: bigint({ mode: 'number' }),
    /** True if a revision is refused when it breaks a property that was proved before. */
    verification_gate: boolean().notNull().default(false),
    config_event_count: integer().notNull().default(0),
    config_last_leaf: bytes(),
  },
  table => [index('tenants_by_creation').on(table.created_at, table.tenant_id)],
)

/** Immutable numbered revisions. `policy` is the canonical text of the normalized document. */
export const policyRevisions = schema.table(
  'policy_revisions',
  {
    tenant_id: text().notNull(),
    revision: integer().notNull(),
    policy: bytes().notNull(),
    policy_hash: text().notNull(),
    catalog_hash: text(),
    author: jsonb().$type<Author>().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    change_note: text(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.revision] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    check('policy_revisions_from_one', sql`${table.revision} >= 1`),
  ],
)

export const catalogRevisions = schema.table(
  'catalog_revisions',
  {
    tenant_id: text().notNull(),
    revision: integer().notNull(),
    catalog: bytes().notNull(),
    catalog_hash: text().notNull(),
    author: jsonb().$type<Author>().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    change_note: text(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.revision] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    check('catalog_revisions_from_one', sql`${table.revision} >= 1`),
  ],
)

/** The registered actuators of a tenant. Settings name secrets and never contain them. */
export const actuators = schema.table(
  'actuators',
  {
    tenant_id: text().notNull(),
    name: text().notNull(),
    kind: text().$type<RegisteredActuator['kind']>().notNull(),
    settings: jsonb().$type<RegisteredActuator['settings']>().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.name] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

/** Freezes and pauses in force. A null column matches everything. */
export const freezes = schema.table(
  'freezes',
  {
    tenant_id: text().notNull(),
    freeze_id: text().primaryKey(),
    effect: text().$type<FreezeEffect>().notNull().default('freeze'),
    system: text(),
    operation: text(),
    key_id: text(),
    reason: text().notNull(),
    author: jsonb().$type<Author>().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    index('freezes_by_tenant').on(table.tenant_id),
    check('freezes_effect', sql`${table.effect} in ('freeze', 'pause')`),
  ],
)

/** The job up to which freezes of operations or keys (hashed in `freezes`) stop a system's due jobs. */
export const scanCursors = schema.table(
  'scan_cursors',
  {
    tenant_id: text().notNull(),
    target_system: text().notNull(),
    freezes: text().notNull(),
    next_run_at: time('next_run_at').notNull(),
    action_id: text().notNull(),
    more: boolean().notNull(),
    /** The time of the last step of the scan. After the scan, the time at which it first ended. */
    looked_at: time('looked_at').notNull(),
    /** The furthest job that the last finished scan or the present scan has reached. */
    reached_run_at: time('reached_run_at'),
    reached_action_id: text(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.target_system] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

/** The append-only configuration events of a tenant (specification.md#audit-log). */
export const configEvents = schema.table(
  'config_events',
  {
    tenant_id: text().notNull(),
    sequence: integer().notNull(),
    previous_sequence: integer().generatedAlwaysAs(sql`nullif(sequence, 0) - 1`),
    kind: text().notNull(),
    event: bytes().notNull(),
    leaf_hash: bytes().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.sequence] }),
    foreignKey({
      name: 'config_events_chain',
      columns: [table.tenant_id, table.previous_sequence],
      foreignColumns: [table.tenant_id, table.sequence],
    }),
    check('config_events_sequence', sql`${table.sequence} >= 0`),
    check('config_events_leaf', sql`${table.leaf_hash} = sha256('\\x00'::bytea || ${table.event})`),
  ],
)

export const configPayloads = schema.table(
  'config_payloads',
  {
    tenant_id: text().notNull(),
    sequence: integer().notNull(),
    payload: bytes().notNull(),
    salt: bytes().notNull(),
  },
  table => [primaryKey({ columns: [table.tenant_id, table.sequence] })],
)

/**
 * Test calls that a process without a worker requests from the workers. Each is taken once. Rows are deleted after
 * minutes, because the tenant's events keep the history.
 */
export const testCalls = schema.table(
  'test_calls',
  {
    test_id: text().primaryKey(),
    tenant_id: text().notNull(),
    system: text().notNull(),
    /** JSON text of the request: operation, parameters and confirmation. */
    test: text().notNull(),
    /** The hash of the request that the author was shown, because no other request may be sent. */
    request_hash: text().notNull(),
    author: jsonb().$type<Author>().notNull(),
    asked_at: time('asked_at').notNull().defaultNow(),
    take_before: time('take_before').notNull(),
    taken_by: text(),
    /** The time after which a call without an answer counts as unknown. */
    ends_at: time('ends_at'),
    /** JSON text of the answer, in which secrets are hidden. */
    answer: text(),
  },
  table => [foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] })],
)
