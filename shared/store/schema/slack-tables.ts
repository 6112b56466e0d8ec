import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { accounts } from './account-tables.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/** The Slack app of a tenant. The secret that signs its requests is encrypted. */
export const slackApps = schema.table(
  'slack_apps',
  {
    tenant_id: text().primaryKey(),
    team_id: text().notNull(),
    sealed_secret: bytes().notNull(),
    registered_at: time('registered_at').notNull().defaultNow(),
  },
  table => [foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] })],
)

/** The Slack user by which an account decides in a tenant, and the SHA-256 of the code that links them. */
export const slackLinks = schema.table(
  'slack_links',
  {
    tenant_id: text().notNull(),
    account_id: text().notNull(),
    user_id: text(),
    linked_at: time('linked_at'),
    code_hash: bytes(),
    code_expires_at: time('code_expires_at'),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.account_id] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [slackApps.tenant_id] }),
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    uniqueIndex('slack_links_by_user').on(table.tenant_id, table.user_id),
    index('slack_links_by_account').on(table.account_id),
    check('slack_links_user', sql`(${table.user_id} is null) = (${table.linked_at} is null)`),
    check('slack_links_code', sql`(${table.code_hash} is null) = (${table.code_expires_at} is null)`),
    check('slack_links_hash_length', sql`length(${table.code_hash}) = 32`),
  ],
)

/** Requests from Slack until they are too old, by the SHA-256 of their signature, to recognise a replay. */
export const slackRequests = schema.table(
  'slack_requests',
  {
    tenant_id: text().notNull(),
    request_hash: bytes().notNull(),
    expires_at: time('expires_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.request_hash] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    check('slack_requests_hash_length', sql`length(${table.request_hash}) = 32`),
  ],
)
