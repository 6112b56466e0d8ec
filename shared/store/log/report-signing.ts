import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

export interface UnsignedReport {
  tenant_id: string
  report_id: string
  body: Buffer
}

const signerLock = 4_701_225_007

export async function takeReportSigner(writer: Writer): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1::int8) as taken'
  const [lock] = await writer.query<{ taken: boolean }>('take_report_signer', text, [signerLock])
  return lock?.taken ?? false
}

export async function readUnsignedReports(writer: Writer, limit: number): Promise<UnsignedReport[]> {
  const text = `
    select u.tenant_id, u.report_id, r.body
    from (select * from unsigned_reports order by tenant_id, report_id limit $1::int4) u
    join verification_reports r using (tenant_id, report_id)`
  return writer.query('read_unsigned_reports', text, [limit])
}

export interface ReportSignature {
  tenant_id: string
  report_id: string
  envelope: string
}

export async function insertReportSignatures(
  writer: Writer,
  signatures: readonly ReportSignature[],
): Promise<void> {
  await writer.query('insert_report_signatures', signaturesSql, [
    arrayLiteral(signatures.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(signatures.map(({ report_id }) => report_id)),
    arrayLiteral(signatures.map(({ envelope }) => envelope)),
  ])
}

const signaturesSql = `
with signed as (
  select * from unnest($1::text[], $2::text[], $3::text[]) as t(tenant_id, report_id, envelope)
),
kept as (
  insert into report_signatures (tenant_id, report_id, envelope) select tenant_id, report_id, envelope from signed
)
delete from unsigned_reports u using signed s where u.tenant_id = s.tenant_id and u.report_id = s.report_id`
