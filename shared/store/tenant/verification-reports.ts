import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { GateMode } from '../../contract/configuration/verification-schema.ts'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { Query } from '../postgres/open.ts'
import { reportSignatures, unsignedReports, verificationReports } from '../schema/schema.ts'

export interface NewReport
  extends Omit<typeof verificationReports.$inferInsert, 'body' | 'queries' | 'created_at'> {
  created_at: string
  body: string
  queries: string
}

export interface StoredReport {
  report_id: string
  created_at: Date
  report_hash: string
  body: string
  envelope: string | null
}

export async function insertReport(query: Query, report: NewReport): Promise<void> {
  const { tenant_id, report_id, created_at, body, queries, ...columns } = report
  await query.insert(verificationReports).values({
    ...columns,
    tenant_id,
    report_id,
    created_at: new Date(created_at),
    body: Buffer.from(body),
    queries: Buffer.from(queries),
  })
  await query.insert(unsignedReports).values({ tenant_id, report_id })
}

export interface ReportPage {
  limit: number
  cursor: TimeCursor | undefined
}

export async function listReports(query: Query, tenantId: string, page: ReportPage): Promise<StoredReport[]> {
  const { report_id, created_at, report_hash, body } = verificationReports
  const rows = await query
    .select({ report_id, created_at, report_hash, body, envelope: reportSignatures.envelope })
    .from(verificationReports)
    .leftJoin(reportSignatures, signatureOf())
    .where(olderThan(tenantId, page))
    .orderBy(desc(created_at), desc(report_id))
    .limit(page.limit)
  return rows.map(row => ({ ...row, body: row.body.toString('utf8') }))
}

/** Returns the size of each report with its signature, which Postgres knows without reading them. */
export async function reportSizes(query: Query, tenantId: string, page: ReportPage): Promise<number[]> {
  const { report_id, created_at, body } = verificationReports
  const signed = sql`coalesce(octet_length(${reportSignatures.envelope}), 0)`
  const rows = await query
    .select({ bytes: sql<number>`octet_length(${body}) + ${signed}` })
    .from(verificationReports)
    .leftJoin(reportSignatures, signatureOf())
    .where(olderThan(tenantId, page))
    .orderBy(desc(created_at), desc(report_id))
    .limit(page.limit)
  return rows.map(({ bytes }) => bytes)
}

function olderThan(tenantId: string, { cursor }: ReportPage) {
  const { tenant_id, created_at, report_id } = verificationReports
  const at = cursor && new Date(cursor[0])
  const older = cursor && at && or(lt(created_at, at), and(eq(created_at, at), lt(report_id, cursor[1])))
  return and(eq(tenant_id, tenantId), older)
}

export async function readReportSignature(
  query: Query,
  tenantId: string,
  reportId: string,
): Promise<string | null> {
  const [row] = await query
    .select({ envelope: reportSignatures.envelope })
    .from(reportSignatures)
    .where(and(eq(reportSignatures.tenant_id, tenantId), eq(reportSignatures.report_id, reportId)))
  return row?.envelope ?? null
}

/** Returns the queries (canonical text) of the latest live report of a mode that verified everything, or null. */
export async function readPassingReport(
  query: Query,
  tenantId: string,
  mode: GateMode,
): Promise<{ report_id: string; queries: string } | null> {
  const { tenant_id, report_id, created_at, kind, result, queries } = verificationReports
  const [row] = await query
    .select({ report_id, queries })
    .from(verificationReports)
    .where(
      and(
        eq(tenant_id, tenantId),
        eq(verificationReports.mode, mode),
        eq(kind, 'live'),
        eq(result, 'verified'),
      ),
    )
    .orderBy(desc(created_at), desc(report_id))
    .limit(1)
  return row ? { report_id: row.report_id, queries: row.queries.toString('utf8') } : null
}

function signatureOf() {
  return and(
    eq(reportSignatures.tenant_id, verificationReports.tenant_id),
    eq(reportSignatures.report_id, verificationReports.report_id),
  )
}
