import { sql } from 'drizzle-orm'
import { check, foreignKey, index, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { OperatorRole } from '../../contract/operator-schema.ts'
import { bytes, schema, time } from './columns.ts'

/**
 * People who are invited to sign in to the console (specification.md#operators). They belong to no tenant. Rows of
 * removed operators stay.
 */
export const operators = schema.table(
  'operators',
  {
    operator_id: text().primaryKey(),
    label: text().notNull(),
    role: text().$type<OperatorRole>().notNull(),
    /** The operator's identity at an issuer; null until the invitation is used. */
    issuer: text(),
    subject: text(),
    invitation_hash: bytes().notNull().unique(),
    invitation_expires_at: time('invitation_expires_at').notNull(),
    invited_by: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    removed_at: time('removed_at'),
  },
  table => [
    uniqueIndex('operators_by_identity').on(table.issuer, table.subject).where(sql`removed_at is null`),
    index('operators_by_time').on(table.created_at, table.operator_id),
    check('operators_role', sql`${table.role} in ('operator', 'on_call')`),
    check('operators_identity', sql`(${table.issuer} is null) = (${table.subject} is null)`),
    check('operators_hash_length', sql`length(${table.invitation_hash}) = 32`),
  ],
)

/** Console sessions by the SHA-256 of their token, never the token, so that a row opens no session. */
export const operatorSessions = schema.table(
  'operator_sessions',
  {
    session_hash: bytes().primaryKey(),
    operator_id: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    expires_at: time('expires_at').notNull(),
    idle_expires_at: time('idle_expires_at').notNull(),
    issuer: text().notNull(),
    subject: text().notNull(),
    auth_time: time('auth_time'),
    acr: text(),
    sid: text(),
  },
  table => [
    foreignKey({ columns: [table.operator_id], foreignColumns: [operators.operator_id] }),
    index('operator_sessions_by_operator').on(table.operator_id, table.created_at),
    index('operator_sessions_by_idle_expiry').on(table.idle_expires_at),
    index('operator_sessions_by_identity').on(table.issuer, table.subject),
    check('operator_sessions_hash_length', sql`length(${table.session_hash}) = 32`),
  ],
)

/** Sign-ins of operators at issuers that have begun; owners and members have theirs in `sign_ins`. */
export const operatorSignIns = schema.table(
  'operator_sign_ins',
  {
    state_hash: bytes().primaryKey(),
    browser_hash: bytes().notNull(),
    issuer: text().notNull(),
    invitation_hash: bytes(),
    expires_at: time('expires_at').notNull(),
  },
  table => [
    index('operator_sign_ins_by_expiry').on(table.expires_at),
    check(
      'operator_sign_ins_hash_length',
      sql`length(${table.state_hash}) = 32 and length(${table.browser_hash}) = 32`,
    ),
  ],
)
