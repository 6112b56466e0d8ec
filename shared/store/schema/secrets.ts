import { sql } from 'drizzle-orm'
import { check, foreignKey, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Author } from '../../contract/configuration/tenant.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * Secrets of tenants, encrypted for a key that only workers have. A row holds the newest version. The row of a
 * deleted secret keeps its number, so that no version number is used twice.
 */
export const tenantSecrets = schema.table(
  'tenant_secrets',
  {
    tenant_id: text().notNull(),
    name: text().notNull(),
    version: integer().notNull(),
    actuator: text().notNull(),
    /** Names of the origins to which the actuator may send the secret. */
    bound_to: jsonb().$type<string[]>().notNull(),
    sealed: bytes(),
    wrapped_key: bytes(),
    /** The key for which the data key is wrapped. */
    key_id: text(),
    author: jsonb().$type<Author>().notNull(),
    written_at: time('written_at').notNull().defaultNow(),
    /** The author who last confirmed the origins; null if nobody has confirmed them for this version. */
    confirmed_by: jsonb().$type<Author>(),
    confirmed_at: time('confirmed_at'),
    first_used_at: time('first_used_at'),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.name] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    check('tenant_secrets_from_one', sql`${table.version} >= 1`),
    check(
      'tenant_secrets_sealed',
      sql`num_nulls(${table.sealed}, ${table.wrapped_key}, ${table.key_id}) in (0, 3)`,
    ),
  ],
)
