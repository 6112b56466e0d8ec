import { sql } from 'drizzle-orm'
import { bigint, check, foreignKey, index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { RegisteredActuator } from '../../contract/actuator.ts'
import type { Author } from '../../contract/tenant.ts'
import { bytes, schema, time } from './columns.ts'

/** An isolated application. `governing_version` grows with every change of what decides its proposals. */
export const tenants = schema.table(
  'tenants',
  {
    tenant_id: text().primaryKey(),
    created_at: time('created_at').notNull().defaultNow(),
    governing_version: bigint({ mode: 'number' }).notNull().default(1),
    policy_revision: integer().notNull(),
    approval_ttl_ms: bigint({ mode: 'number' }).notNull(),
  },
  table => [index('tenants_by_creation').on(table.created_at, table.tenant_id)],
)

/** Immutable numbered revisions; `policy` is the canonical text of the normalized document. */
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

/** Actuators registered for a tenant; secrets are only ever named, never stored. */
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
