import { sql } from 'drizzle-orm'
import { check, index, text } from 'drizzle-orm/pg-core'
import { bytes, schema, time } from './columns.ts'

/**
 * API keys: SHA-256 of the secret, never the secret. An admin key has no tenant. Keys may stand in a
 * database of their own (`--api-key-db`), so nothing refers to tables of the tenant database.
 */
export const apiKeys = schema.table(
  'api_keys',
  {
    key_id: text().primaryKey(),
    tenant_id: text(),
    scope: text().$type<'agent' | 'approver' | 'admin'>().notNull(),
    name: text().notNull(),
    secret_hash: bytes().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    expires_at: time('expires_at'),
    revoked_at: time('revoked_at'),
    /** Who holds it, for quorums (`lifecycle/lineage.ts`); null where that was never recorded. */
    lineage: text(),
  },
  table => [
    check('api_keys_scope', sql`${table.scope} in ('agent', 'approver', 'admin')`),
    check('api_keys_admin_has_no_tenant', sql`(${table.scope} = 'admin') = (${table.tenant_id} is null)`),
    check('api_keys_hash_length', sql`length(${table.secret_hash}) = 32`),
    index('api_keys_by_tenant').on(table.tenant_id, table.created_at, table.key_id),
  ],
)
