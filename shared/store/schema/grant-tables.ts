import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, jsonb, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import type { Author } from '../../contract/configuration/tenant.ts'
import { bytes, schema, time } from './columns.ts'
import { actions } from './ledger-tables.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * Grants that let agents act a few times without an approval. `clause` is the canonical text that verdicts copy.
 */
export const boundedGrants = schema.table(
  'bounded_grants',
  {
    tenant_id: text().notNull(),
    grant_id: text().notNull(),
    clause: bytes().notNull(),
    clause_hash: text().notNull(),
    uses_max: integer().notNull(),
    ends_at: time('ends_at').notNull(),
    note: text().notNull(),
    author: jsonb().$type<Author>().notNull(),
    created_at: time('created_at').notNull(),
    revoked_at: time('revoked_at'),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.grant_id] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    index('bounded_grants_by_creation').on(table.tenant_id, table.created_at),
    check('bounded_grants_uses_max', sql`${table.uses_max} >= 1`),
  ],
)

export const grantUses = schema.table(
  'grant_uses',
  {
    tenant_id: text().notNull(),
    grant_id: text().notNull(),
    use: integer().notNull(),
    action_id: text().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.grant_id, table.use] }),
    foreignKey({
      name: 'grant_uses_of_grant',
      columns: [table.tenant_id, table.grant_id],
      foreignColumns: [boundedGrants.tenant_id, boundedGrants.grant_id],
    }),
    foreignKey({ columns: [table.action_id], foreignColumns: [actions.action_id] }),
    unique('grant_uses_once').on(table.action_id),
  ],
)
