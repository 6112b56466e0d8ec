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
import type { DeliveredFormat, DeliveryState, DisabledReason, MessageType } from '../../contract/webhook.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/** Endpoints for a tenant's messages. Their secret is not stored, because it derives from id and generation. */
export const webhooks = schema.table(
  'webhooks',
  {
    webhook_id: text().primaryKey(),
    tenant_id: text().notNull(),
    /** The URL to show. For a chat or a browser it is a masked form, because the full URL is a secret. */
    url: text().notNull(),
    sealed_url: bytes(),
    format: text().$type<DeliveredFormat>().notNull().default('signed'),
    subscriber: text(),
    event_types: jsonb().$type<MessageType[]>().notNull(),
    remind_after_ms: jsonb().$type<number[]>().notNull().default([]),
    tells_values: boolean().notNull().default(true),
    description: text(),
    enabled: boolean().notNull(),
    /** The reason if the service disabled the webhook; otherwise null. */
    disabled_reason: text().$type<DisabledReason>(),
    /** The generation of the secret. Until `previous_until` the previous generation signs as well. */
    generation: integer().notNull().default(1),
    previous_until: time('previous_until'),
    /** The index of the first log entry that has not been examined for messages. */
    position: bigint({ mode: 'number' }).notNull(),
    /** The time since which every attempt has failed; null after a success. */
    failing_since: time('failing_since'),
    /** True once the webhook is deleted. Its row is removed after its deliveries. */
    deleted: boolean().notNull().default(false),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    index('webhooks_by_tenant').on(table.tenant_id, table.created_at),
    index('webhooks_deleted').on(table.webhook_id).where(sql`deleted`),
    check('webhooks_generation', sql`${table.generation} >= 1`),
    check(
      'webhooks_sealed_url',
      sql`(${table.format} in ('slack', 'teams', 'push')) = (${table.sealed_url} is not null)`,
    ),
    check('webhooks_subscriber', sql`(${table.format} = 'push') = (${table.subscriber} is not null)`),
    check('webhooks_disabled', sql`${table.disabled_reason} is null or not ${table.enabled}`),
  ],
)

/**
 * Messages and reminders, one row for each endpoint, log entry and reminder. A `pending` message is due at
 * `next_attempt_at`. A claim sets this time to the end of its lease, so that the message is due again if the
 * process crashes. `delivered` and `failed` are final; `claim` fences the record of an attempt.
 */
export const webhookDeliveries = schema.table(
  'webhook_deliveries',
  {
    webhook_id: text().notNull(),
    log_index: bigint({ mode: 'number' }).notNull(),
    /** The number of a reminder, counted from 1; 0 for the message itself. */
    reminder: integer().notNull().default(0),
    tenant_id: text().notNull(),
    type: text().$type<MessageType>().notNull(),
    action_id: text().notNull(),
    status: text().notNull(),
    occurred_at: text().notNull(),
    state: text().$type<DeliveryState>().notNull().default('pending'),
    attempts: integer().notNull().default(0),
    claim: integer().notNull().default(0),
    /** The time of the next attempt. During an attempt, the time at which the attempt counts as lost. */
    next_attempt_at: time('next_attempt_at').notNull().defaultNow(),
    last_attempt_at: time('last_attempt_at'),
    last_status: integer(),
    last_error: text(),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.webhook_id, table.log_index, table.reminder] }),
    foreignKey({ columns: [table.webhook_id], foreignColumns: [webhooks.webhook_id] }),
    index('webhook_deliveries_due').on(table.webhook_id, table.next_attempt_at).where(sql`state = 'pending'`),
    index('webhook_deliveries_by_age').on(table.created_at),
    check('webhook_deliveries_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
  ],
)
