import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, text } from 'drizzle-orm/pg-core'
import type { GateMode, VerificationReport } from '../../contract/configuration/verification-schema.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/** Verification reports. The hash and the signature cover the canonical text in `body`, but not `queries`. */
export const verificationReports = schema.table(
  'verification_reports',
  {
    tenant_id: text().notNull(),
    report_id: text().notNull(),
    created_at: time('created_at').notNull(),
    kind: text().$type<VerificationReport['subject']['kind']>().notNull(),
    mode: text().$type<GateMode>().notNull(),
    result: text().$type<VerificationReport['result']>().notNull(),
    policy_hash: text().notNull(),
    catalog_hash: text(),
    report_hash: text().notNull(),
    body: bytes().notNull(),
    queries: bytes().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.report_id] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    check('verification_reports_kind', sql`${table.kind} in ('live', 'draft')`),
    check('verification_reports_mode', sql`${table.mode} in ('strict', 'basic')`),
    check('verification_reports_result', sql`${table.result} in ('verified', 'violated', 'inconclusive')`),
    index('verification_reports_by_time').on(table.tenant_id, table.created_at, table.report_id),
    index('verification_reports_passing')
      .on(table.tenant_id, table.mode, table.created_at, table.report_id)
      .where(sql`kind = 'live' and result = 'verified'`),
  ],
)

export const unsignedReports = schema.table(
  'unsigned_reports',
  { tenant_id: text().notNull(), report_id: text().notNull() },
  table => [primaryKey({ columns: [table.tenant_id, table.report_id] })],
)

/** Signatures of reports as DSSE envelopes. They have their own table, because reports are never changed. */
export const reportSignatures = schema.table(
  'report_signatures',
  {
    tenant_id: text().notNull(),
    report_id: text().notNull(),
    envelope: text().notNull(),
    signed_at: time('signed_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.report_id] }),
    foreignKey({
      name: 'report_signatures_report',
      columns: [table.tenant_id, table.report_id],
      foreignColumns: [verificationReports.tenant_id, verificationReports.report_id],
    }),
  ],
)
